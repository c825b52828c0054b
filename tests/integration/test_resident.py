"""The resident engine and its client: one per home, nothing lost, nobody kept waiting."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gsd_engine.resident import app
from tests.support.resident import EngineHome


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EngineHome]:
    with EngineHome(tmp_path) as made:
        made.session("alpha")
        yield made


def test_the_first_hook_is_taken_in_process_and_starts_the_engine_for_the_next(home: EngineHome) -> None:
    first = home.hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"})
    home.wait_for_engine()
    second = home.hook("Stop", {"prompt_id": "p2", "last_assistant_message": "two"})
    assert (first.returncode, first.stdout, second.returncode, second.stdout) == (0, b"", 0, b"")
    assert home.events("Stopped") == 2
    health = home.health()
    assert health is not None
    assert health["requests"] == 1


def test_a_second_engine_leaves_quietly(home: EngineHome) -> None:
    pid = home.start_engine()
    second = home.cli("serve")
    assert second.returncode == 0
    assert "already" in second.stderr
    assert home.wait_for_engine() == pid


def test_the_socket_is_the_owners_alone(home: EngineHome) -> None:
    home.start_engine()
    assert stat.S_IMODE(home.config.socket_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700


def test_ten_hooks_at_once_with_no_engine_start_exactly_one_and_lose_nothing(home: EngineHome) -> None:
    running = [home.start_hook("Stop", {"prompt_id": f"p{n}", "last_assistant_message": f"m{n}"}) for n in range(10)]
    codes = [process.wait(60) for process in running]
    pid = home.wait_for_engine()
    assert codes == [0] * 10
    assert home.events("Stopped") == 10
    assert {record["pid"] for record in home.log("resident engine started")} == {pid}


def test_stop_ends_the_engine_and_says_which(home: EngineHome) -> None:
    pid = home.start_engine()
    assert home.cli("stop").stdout.strip() == f"stopped (pid {pid})"
    assert home.health() is None
    assert home.cli("stop").stdout.strip() == "no resident engine is running"


def test_an_engine_of_another_version_hands_over_and_the_event_is_not_lost(home: EngineHome, tmp_path: Path) -> None:
    old = home.start_engine()
    client = tmp_path / "hook.py"
    source = (Path(__file__).parents[2] / "scripts" / "hook.py").read_text()
    client.write_text(source.replace('VERSION = "', 'VERSION = "newer-than-'))
    payload = b'{"hook_event_name": "Stop", "prompt_id": "p1", "last_assistant_message": "hello"}'
    command = [sys.executable, "-I", "-S", str(client), "Stop"]
    done = subprocess.run(command, input=payload, env=home.environment("alpha"), capture_output=True, timeout=60)
    assert done.returncode == 0
    assert home.events("Stopped") == 1
    home.wait_for(lambda: (home.health() or {}).get("pid") != old, 20, "the old engine's end")


def test_an_engine_with_another_registry_hands_over(home: EngineHome, tmp_path: Path) -> None:
    old = home.start_engine()
    home.hook("Stop", {"last_assistant_message": "hi"}, GSD_ENGINE_REGISTRY=str(tmp_path / "other.json"))
    home.wait_for(lambda: (home.health() or {}).get("pid") != old, 20, "the old engine's end")
    assert home.events("Stopped") == 0  # the other registry names nobody


def test_a_dead_socket_is_no_obstacle(home: EngineHome) -> None:
    pid = home.start_engine()
    os.kill(pid, signal.SIGKILL)
    done = home.hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"})
    assert (done.returncode, done.stdout) == (0, b"")
    assert home.events("Stopped") == 1
    assert home.wait_for_engine() != pid


def test_a_hung_engine_delays_one_hook_and_is_then_replaced(home: EngineHome) -> None:
    pid = home.start_engine()
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    first = home.hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"})
    delayed = time.monotonic() - began
    began = time.monotonic()
    second = home.hook("Stop", {"prompt_id": "p2", "last_assistant_message": "two"})
    bypassed = time.monotonic() - began
    assert (first.returncode, second.returncode) == (0, 0)
    assert home.events("Stopped") == 2
    assert bypassed < delayed
    home.wait_for(lambda: (home.health() or {"pid": pid})["pid"] != pid, 30, "another engine")
    assert home.started.wait(10) in (-signal.SIGTERM, -signal.SIGKILL)


def test_the_end_of_a_session_is_not_waited_for_even_when_the_engine_hangs(home: EngineHome) -> None:
    home.hook("SessionStart", {"source": "startup"})
    pid = home.wait_for_engine()
    os.kill(pid, signal.SIGSTOP)
    done = home.hook("SessionEnd", {"reason": "prompt_input_exit"})
    assert done.returncode == 0
    home.wait_for(lambda: home.events("SessionFinished") == 1, 20, "the event of the session's end")
    home.wait_for(lambda: (home.health() or {"pid": pid})["pid"] != pid, 30, "another engine")


def test_the_same_event_handed_over_twice_is_taken_once(home: EngineHome) -> None:
    """The engine took it and died before it answered: the client takes it again, with the same invocation."""
    arguments = ["hook", "--invocation", "the-same", "Stop"]
    payload = '{"hook_event_name": "Stop", "stop_hook_active": true}'
    for _ in range(2):
        command = [sys.executable, "-m", "gsd_engine", *arguments]
        subprocess.run(command, input=payload.encode(), env=home.environment("alpha"), check=True, timeout=60)
    assert home.events("Stopped") == 1


def test_a_hook_that_is_held_is_told_apart_from_an_engine_that_hangs(home: EngineHome) -> None:
    """A database that is busy for longer than the client's patience with silence: the engine says that it works."""
    home.hook("SessionStart", {"source": "startup"})
    pid = home.wait_for_engine()
    assert app.SIGN_OF_LIFE_SECONDS < 4.0
    release = threading.Event()
    locked = threading.Event()

    def hold_the_database() -> None:
        connection = sqlite3.connect(home.config.sqlite_path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        locked.set()
        release.wait(30)
        connection.execute("ROLLBACK")
        connection.close()

    holder = threading.Thread(target=hold_the_database)
    holder.start()
    locked.wait(10)
    hook = home.start_hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"})
    with pytest.raises(subprocess.TimeoutExpired):
        hook.wait(5)  # longer than the client would wait for an engine that says nothing
    release.set()
    holder.join()
    assert hook.wait(20) == 0
    assert home.events("Stopped") == 1
    health = home.health()
    assert health is not None
    assert health["pid"] == pid


def test_a_home_with_a_very_long_path_is_served_all_the_same(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    with EngineHome(tmp_path) as home:
        home.session("alpha")
        environ = {"GSD_ENGINE_HOME": str(deep), "GSD_ENGINE_REGISTRY": str(home.folder / "registry.json")}
        home.hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"}, **environ)
        home.wait_for(lambda: (deep / "engine.sock").exists(), 20, "the engine's socket")
        home.hook("Stop", {"prompt_id": "p2", "last_assistant_message": "two"}, **environ)
        stopped = home.cli("stop", **environ)
        assert stopped.stdout.startswith("stopped")
        log = (deep / "engine.log").read_text()
        assert '"requests": 1' in log or '"requests": 2' in log


def test_without_a_resident_engine_everything_still_works(tmp_path: Path) -> None:
    with EngineHome(tmp_path, resident="off") as home:
        home.session("alpha")
        home.hook("Stop", {"prompt_id": "p1", "last_assistant_message": "one"})
        home.wait_for(lambda: home.value("SELECT count(*) FROM inbox") == 1, 20, "the wake in the inbox")
        assert home.health() is None


def test_an_agents_command_goes_through_the_engine_that_runs(home: EngineHome) -> None:
    home.hook("SessionStart", {"source": "startup"})
    home.wait_for_engine()
    refused = home.cli("queue", "start", "--session", "nobody", '["/clear"]', check=False)
    before = (home.health() or {})["requests"]
    shown = home.cli("queue", "show", "--session", "alpha", "--json")
    assert (home.health() or {})["requests"] == before + 1
    assert shown.stdout.split() == ["{", '"queue":', "null", "}"]
    assert refused.returncode == 3
    assert "nobody" in refused.stderr


def test_disabled_means_nothing_at_all(home: EngineHome) -> None:
    done = home.hook("Stop", {"last_assistant_message": "one"}, GSD_ENGINE_DISABLE="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not home.config.lock_path.exists()
