"""Whatever is wrong with the engine's own things: the hook exits 0 and says nothing, and the payload is kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.resident import EngineHome

STOP: dict[str, Any] = {"prompt_id": "p1", "last_assistant_message": "Done."}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EngineHome]:
    with EngineHome(tmp_path, resident="off") as made:
        made.session("alpha")
        made.hook("SessionStart", {"source": "startup"})
        yield made


def _execute(home: EngineHome, sql: str) -> None:
    assert home.config.sqlite_path is not None
    with closing(sqlite3.connect(home.config.sqlite_path)) as connection:
        connection.execute(sql)
        connection.commit()


def _corrupt(home: EngineHome) -> None:
    assert home.config.sqlite_path is not None
    for path in home.folder.glob("engine.db*"):
        path.unlink()
    home.config.sqlite_path.write_bytes(b"this is no database, whatever its name says" * 200)


def _break_registry(home: EngineHome) -> None:
    (home.folder / "registry.json").write_text('{"version": 1, "agents": [')


BROKEN: dict[str, Callable[[EngineHome], None]] = {
    "a newer database": lambda home: _execute(home, "UPDATE alembic_version SET version_num = '9999'"),
    "a database without its tables": lambda home: _execute(home, "DROP TABLE history"),
    "a corrupt database": _corrupt,
    "a broken registry": _break_registry,
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_hook_never_traps_anyone_and_keeps_its_payload(home: EngineHome, what: str) -> None:
    BROKEN[what](home)
    done = home.hook("Stop", STOP)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (kept,) = home.config.kept_payloads.glob("*.json")
    record = json.loads(kept.read_text())
    assert record["hook"] == "Stop"
    assert json.loads(record["payload"])["last_assistant_message"] == "Done."
    assert home.log("payload kept")[-1]["why"]


def test_a_locked_database_is_waited_for_and_then_let_be(home: EngineHome) -> None:
    assert home.config.sqlite_path is not None
    with closing(sqlite3.connect(home.config.sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = home.hook("SessionEnd", {"reason": "prompt_input_exit"})
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        home.wait_for(lambda: bool(list(home.config.kept_payloads.glob("*.json"))), 20, "the kept payload")
        other.execute("ROLLBACK")


def test_a_home_that_cannot_be_is_no_reason_to_trap_anyone(home: EngineHome, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    done = home.hook("Stop", STOP, GSD_ENGINE_HOME=str(in_the_way / "home"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_missing_database_is_made_again(home: EngineHome) -> None:
    for path in home.folder.glob("engine.db*"):
        path.unlink()
    assert home.hook("Stop", STOP).returncode == 0
    assert home.events("Stopped") == 1
