"""`gsd-engine demo`: the whole cycle in under a minute, and the machine is as it was."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the audience sees. Somebody else's engine and tmux are in the environment: they must not be touched."""
    place = tmp_path_factory.mktemp("demo")
    environment = {
        **os.environ,
        "GSD_ENGINE_HOME": str(place / "someone-else"),
        "TMUX": f"{place}/someone-else.sock,1,0",
        "TMPDIR": str(place),
    }
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "gsd_engine", "demo"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.monotonic() - began < 60
    assert list(place.iterdir()) == []
    return done.stdout


def test_the_cycle_is_told_in_its_order(shown: str) -> None:
    order = [
        "person   types: Please finish phase 2.",
        "claude   Stop  Phase 2 is finished.",
        "agent    woken: response_complete",
        "agent    $ gsd-engine queue start",
        "command 1: active → done  /clear",
        "delivery 2: typed → accepted  /gsd:plan-phase 3",
        "queue 1: active → completed",
        "agent    woken: queue_complete",
        "session 1: idle → ended",
    ]
    places = [shown.find(line) for line in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


def test_the_audit_comes_from_the_store(shown: str) -> None:
    audit = shown[shown.index("What was queued") :]
    assert re.search(r"1 +1 +/clear +done +accepted", audit)
    assert re.search(r"1 +2 +/gsd:plan-phase 3 +done +accepted +[0-9:.]+ +Phase 3 is planned", audit)


def test_no_process_of_it_is_left(shown: str) -> None:
    folder = re.search(r"tmux -S (\S+)/tmux\.sock", shown)
    assert folder is not None
    left = [
        command
        for process in Path("/proc").glob("[0-9]*")
        if folder[1] in (command := _command_line(process)) and process.name != str(os.getpid())
    ]
    assert left == []


def _command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
