"""One warm `step` that advances a queue, with few and with many rows of history behind it."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from table import Table

from gsd_engine.domain.events import Event
from tests.support.engine import Home

SMALL, LARGE = 200, 200_000


def run(rounds: int) -> Table:
    table = Table("One step: a Stop that advances a queue (warm, synchronous FULL)")
    with tempfile.TemporaryDirectory() as folder:
        few, many = Advancing(Path(folder) / "few", SMALL, rounds), Advancing(Path(folder) / "many", LARGE, rounds)
        found: dict[str, list[float]] = {"few": [], "many": []}
        for _ in range(rounds):
            found["few"].append(few.advance())
            found["many"].append(many.advance())
        few.close()
        many.close()
    table.add(f"with {SMALL} rows of history", median(found["few"]), "ms", at_most=3)
    table.add(f"with {LARGE:,} rows of history", median(found["many"]), "ms")
    table.add("ratio of the two", median(found["many"]) / median(found["few"]), "x", at_most=1.2)
    return table


class Advancing:
    """A queue long enough for every round; each call settles one command and activates the next."""

    def __init__(self, folder: Path, history: int, rounds: int) -> None:
        self.home = Home(folder)
        self.home.startup()
        fill(self.home, history)
        self.home.step(_queue(self.home, rounds + 20))
        self.turn = 0
        for _ in range(10):
            self.advance()

    def advance(self) -> float:
        """Milliseconds of the Stop alone; its receipt comes before it."""
        self.turn += 1
        self.home.receipt(f"/gsd:command {self.turn}", f"p{self.turn}")
        began = perf_counter()
        self.home.stop(f"p{self.turn}", "said")
        return (perf_counter() - began) * 1000

    def close(self) -> None:
        self.home.close()


def _queue(home: Home, length: int) -> Event:
    from gsd_engine.domain.events import QueueRequested

    return QueueRequested(who=home.who(), commands=[f"/gsd:command {n + 1}" for n in range(length)])


def fill(home: Home, rows: int) -> None:
    """Events and history of times past, for this session and others."""
    connection = sqlite3.connect(home.path)
    at = "2026-01-01T00:00:00.000Z"
    connection.executemany(
        "INSERT INTO events (session_id, kind, source, key, payload, decision_path, received_at)"
        " VALUES (1, ?, ?, ?, ?, ?, ?)",
        (("Stopped", "hook", f"old:{n}", '{"hook_event_name": "Stop"}', "stop/wake", at) for n in range(rows)),
    )
    connection.executemany(
        'INSERT INTO history (at, session_id, machine, entity, trigger, "from", "to", event)'
        " VALUES (?, 1, ?, ?, ?, ?, ?, 1)",
        ((at, "session", 1, "stop", "working", "idle") for _ in range(rows)),
    )
    connection.commit()
    connection.close()
