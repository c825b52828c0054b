"""Eight processes on one home: every event has its row, every counter is right, and no caller sees a busy database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_engine.config import load_config
from gsd_engine.store.opening import open_store
from tests.support.engine import Home

PROCESSES, EVENTS = 8, 500

# Starts a queue of one command in its session where none is active, and fires prompts and stops.
WRITER = """
import json, sys
from gsd_engine.config import load_config
from gsd_engine.domain.events import PromptSubmitted, Stopped, Who
from gsd_engine.engine import Engine
from gsd_engine.store.opening import open_store

folder, session, number, events = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
config = load_config({"GSD_ENGINE_HOME": folder})
engine = Engine(open_store(config))
who = Who(host=config.host, name=session)
print("ready", flush=True)
sys.stdin.readline()
errors = []
for n in range(events):
    event = Stopped(who=who, prompt_id=f"{number}-{n}", message="said", stop_hook_active=bool(n % 3))
    if n % 2:
        event = PromptSubmitted(who=who, prompt=f"prompt {n}", prompt_id=f"{number}-{n}")
    try:
        engine.step(event)
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error}")
print(json.dumps(errors))
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("sessions", [1, PROCESSES])
def test_eight_processes_lose_nothing(tmp_path: Path, sessions: int) -> None:
    home = Home(tmp_path / "home")
    names = [f"session-{n % sessions}" for n in range(PROCESSES)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home.folder), name, str(number), str(EVENTS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, name in enumerate(names)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    outputs = [writer.communicate("go\n")[0] if writer is writers[-1] else _go(writer) for writer in writers]
    errors = [error for output in [*_finish(writers[:-1]), outputs[-1]] for error in json.loads(output)]
    assert errors == []

    count = EVENTS // 2
    assert home.value("SELECT count(*) FROM events") == PROCESSES * EVENTS
    assert home.value("SELECT count(DISTINCT session_id || ':' || key) FROM events WHERE key IS NOT NULL") == (
        PROCESSES * count
    )
    assert home.value("SELECT count(*) FROM sessions") == sessions
    # A third of the stops wakes the agent: as many effects as events that say so.
    wakes = home.value("SELECT count(*) FROM events WHERE decision_path = 'stop/wake'")
    assert wakes == home.value("SELECT count(*) FROM effects WHERE kind = 'Wake'")
    assert wakes == PROCESSES * len([n for n in range(EVENTS) if n % 2 == 0 and n % 3 == 0])
    home.close()
    open_store(load_config({"GSD_ENGINE_HOME": str(home.folder)})).close()


def _go(writer: subprocess.Popen[str]) -> None:
    assert writer.stdin is not None
    writer.stdin.write("go\n")
    writer.stdin.flush()


def _finish(writers: list[subprocess.Popen[str]]) -> list[str]:
    outputs = []
    for writer in writers:
        assert writer.stdout is not None
        outputs.append(writer.stdout.read())
        assert writer.wait(60) == 0
        writer.stdin.close() if writer.stdin else None
    return outputs
