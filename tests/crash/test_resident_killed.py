"""`kill -9` of the resident engine while hooks come: every acknowledged event is stored, once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.resident import EngineHome

EVENTS = int(os.environ.get("GSD_CRASH_EVENTS", "200"))
KILLS = max(3, EVENTS // 60)


def test_killing_the_engine_again_and_again_loses_no_event_and_takes_none_twice(tmp_path: Path) -> None:
    with EngineHome(tmp_path) as home:
        home.session("alpha")
        home.hook("SessionStart", {"source": "startup"})
        home.wait_for_engine()
        finished = threading.Event()
        killer = threading.Thread(target=_kill_again_and_again, args=(home, finished))
        killer.start()
        try:
            with ThreadPoolExecutor(4) as clients:
                done = list(clients.map(lambda n: _stop(home, n), range(EVENTS)))
        finally:
            finished.set()
            killer.join()
        assert [process.returncode for process in done] == [0] * EVENTS
        assert {process.stdout for process in done} == {b""}
        stored = home.rows("SELECT payload, count(*) FROM events WHERE kind = 'Stopped' GROUP BY payload")
        assert len(stored) == EVENTS
        assert {count for _, count in stored} == {1}
        assert home.value("SELECT count(*) FROM sessions") == 1
        assert home.value("PRAGMA integrity_check") == "ok"


def _stop(home: EngineHome, number: int) -> subprocess.CompletedProcess[bytes]:
    return home.hook("Stop", {"stop_hook_active": True, "last_assistant_message": f"message {number}"})


def _kill_again_and_again(home: EngineHome, finished: threading.Event) -> None:
    chance = random.Random(7)
    for _ in range(KILLS):
        health = home.health()
        if health is not None:
            os.kill(health["pid"], signal.SIGKILL)
        if finished.wait(chance.uniform(0.2, 1.5)):
            return
