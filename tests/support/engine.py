"""An engine in a home of its own, with a clock that stands still and a pane that remembers.

`Home` is real down to the SQLite file: only the outside world (keys, the gateway) is replaced, by performers that write
down what they were asked to do. Two homes on the same folder are two processes as far as the store is concerned.
"""

from __future__ import annotations

import functools
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gsd_engine.config import Config, load_config
from gsd_engine.dispatch import Dispatcher, Done, Failed, Later, Result
from gsd_engine.domain.effects import AwaitReceipt, AwaitStart, Effect, Notify, TypeText, Wake
from gsd_engine.domain.events import (
    Event,
    PromptSubmitted,
    QueueRequested,
    SessionStarted,
    Stopped,
    TypingBegan,
    Who,
)
from gsd_engine.domain.records import EffectRow
from gsd_engine.engine import Engine, Outcome, Tripwire
from gsd_engine.store.database import Database
from gsd_engine.store.opening import open_store

NOON = datetime(2030, 1, 2, 12, 0, 0, tzinfo=UTC)


class SettableClock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **amount: float) -> None:
        self.now += timedelta(**amount)


class Pane:
    """The outside world. `typed` is what stands in the pane, in order; `wakes` is what the agent was told."""

    LATER = timedelta(seconds=1)

    def __init__(self) -> None:
        self.typed: list[str] = []
        self.typed_deliveries: list[int] = []
        self.wakes: list[Wake] = []
        self.looks: list[int] = []
        self.refuses: str | None = None  # a reason: the next text is not typed
        self.busy: timedelta | None = None  # a draft stands in the input line: later
        self.seen: Result = Later(self.LATER, "no receipt yet")  # what a look at the screen leads to

        self.start_seen: Result = Done({"seen": "ready"})  # what a spawned Claude Code shows

    def performers(self, home: Home) -> Mapping[type[Effect], Any]:
        def type_text(effect: TypeText, row: EffectRow) -> Result:
            if self.busy is not None:
                return Later(self.busy, "a draft stands in the input line")
            if self.refuses is not None:
                return Failed(self.refuses)
            assert row.session_id is not None
            home.engine.step(TypingBegan(who=row.session_id, delivery_id=effect.delivery_id, transport="keys"))
            home.engine.tripwire("pane: typing")
            self.typed_deliveries.append(effect.delivery_id)
            self.typed.append(home.value("SELECT text FROM deliveries WHERE id = ?", effect.delivery_id))
            return Done({"enter_presses": 1})

        def look(effect: AwaitReceipt, row: EffectRow) -> Result:
            self.looks.append(effect.delivery_id)
            return self.seen

        def wake(effect: Wake, row: EffectRow) -> Result:
            self.wakes.append(effect)
            return Done()

        return {
            TypeText: type_text,
            AwaitReceipt: look,
            AwaitStart: lambda effect, row: self.start_seen,
            Wake: wake,
            Notify: lambda effect, row: Done(),
        }


@functools.cache
def _migrated() -> bytes:
    """A database as the migrations make it, made once: they take longer than most tests."""
    with tempfile.TemporaryDirectory() as folder:
        config = load_config({"GSD_ENGINE_HOME": folder})
        open_store(config).close()
        assert config.sqlite_path is not None
        return config.sqlite_path.read_bytes()


class Home:
    def __init__(
        self,
        folder: Path,
        *,
        clock: SettableClock | None = None,
        pane: Pane | None = None,
        tripwire: Tripwire = lambda point: None,
        owner: str = "dispatcher",
    ) -> None:
        self.folder = folder
        self.config: Config = load_config({"GSD_ENGINE_HOME": str(folder)})
        self.clock = clock or SettableClock()
        self.pane = pane or Pane()
        if not self.path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            self.path.write_bytes(_migrated())
        self.database: Database = open_store(self.config)
        self.engine = Engine(self.database, self.clock, tripwire)
        self.dispatcher = Dispatcher(self.engine, self.pane.performers(self), owner=owner, host=self.config.host)
        self._reader: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        assert self.config.sqlite_path is not None
        return self.config.sqlite_path

    def again(self, *, tripwire: Tripwire = lambda point: None, owner: str = "another") -> Home:
        """A second process on the same home: own connections, same file, same clock on the wall, same pane."""
        return Home(self.folder, clock=self.clock, pane=self.pane, tripwire=tripwire, owner=owner)

    def close(self) -> None:
        self.database.close()
        if self._reader is not None:
            self._reader.close()

    # ── what happens ─────────────────────────────────────────────────────────────────────────────────────────────────

    def who(self, name: str = "alpha", **fields: Any) -> Who:
        return Who(host=self.config.host, name=name, **fields)

    def step(self, event: Event) -> Outcome:
        return self.engine.step(event)

    def path_of(self, event: Event) -> str:
        return self.step(event).path

    def drain(self) -> int:
        return self.dispatcher.drain()

    def startup(self, name: str = "alpha", session_id: str = "claude-1") -> None:
        self.step(SessionStarted(who=self.who(name, agent_id="warden", claude_session_id=session_id), how="startup"))

    def queue(self, *commands: str, name: str = "alpha", replace: bool = False) -> Outcome:
        """Start a queue and let its first command be typed."""
        outcome = self.step(QueueRequested(who=self.who(name), commands=commands, replace=replace))
        self.drain()
        return outcome

    def receipt(self, prompt: str, prompt_id: str | None, name: str = "alpha") -> Outcome:
        return self.step(PromptSubmitted(who=self.who(name), prompt=prompt, prompt_id=prompt_id))

    def stop(self, prompt_id: str | None, message: str = "", name: str = "alpha", **fields: Any) -> Outcome:
        return self.step(Stopped(who=self.who(name), prompt_id=prompt_id, message=message, **fields))

    def run_turn(self, prompt: str, prompt_id: str, message: str = "said", name: str = "alpha") -> Outcome:
        """Receipt, Stop, and the typing of what follows."""
        self.receipt(prompt, prompt_id, name)
        outcome = self.stop(prompt_id, message, name)
        self.drain()
        return outcome

    # ── what is ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        if self._reader is None:
            self._reader = sqlite3.connect(self.path)
            self._reader.row_factory = sqlite3.Row
        return [dict(row) for row in self._reader.execute(sql, values)]

    def value(self, sql: str, *values: Any) -> Any:
        return next(iter(self.rows(sql, *values)[0].values()))

    def states(self, table: str) -> list[str]:
        return [row["state"] for row in self.rows(f"SELECT state FROM {table} ORDER BY id")]

    def counts(self) -> dict[str, int]:
        return table_counts(self.path)

    def told(self) -> list[tuple[str, str]]:
        """(trigger, content) of what the agent was told since the last look."""
        self.drain()
        wakes = [(wake.trigger, wake.content) for wake in self.pane.wakes]
        self.pane.wakes.clear()
        return wakes


def table_counts(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(database)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}


def copy_of(home: Home, folder: Path) -> Path:
    """The database file on its own, once every connection to it is closed."""
    home.close()
    target = folder / "engine.db"
    shutil.copyfile(home.path, target)
    return target


def command_states(home: Home, names: Sequence[str] = ("command", "state")) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in home.rows("SELECT * FROM commands ORDER BY id")]
