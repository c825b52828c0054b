"""The latency of a hook with a thousand and with a million events in the store."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack

from rig import Rig
from table import Table, interleaved

SMALL, LARGE = 1_000, 1_000_000
AT = "2026-01-01T00:00:00.000Z"


def run(rounds: int) -> Table:
    table = Table("Growth: a managed Stop over the socket")
    with ExitStack() as stack:
        rigs = {size: stack.enter_context(Rig()) for size in (SMALL, LARGE)}
        calls = {}
        for size, rig in rigs.items():
            _fill(rig, size)
            calls[str(size)] = _caller(rig)
        interleaved(10, calls)
        found = interleaved(max(rounds, 200), calls)
        bytes_used = rigs[LARGE].home.config.sqlite_path.stat().st_size  # type: ignore[union-attr]  # it is SQLite
    table.add(f"with {SMALL:,} events", found[str(SMALL)], "ms")
    table.add(f"with {LARGE:,} events", found[str(LARGE)], "ms")
    table.add("ratio of the two", found[str(LARGE)] / found[str(SMALL)], "x", at_most=1.2)
    table.add(f"size of the database with {LARGE:,} events", bytes_used / 1e6, "MB")
    return table


def _caller(rig: Rig):  # type: ignore[no-untyped-def]  # a closure over the client of one rig
    home, client = rig.home, rig.client()
    names = ("TMUX", "TMUX_PANE", "GSD_ENGINE_HOME")
    environment = {name.encode(): home.environment("alpha")[name].encode() for name in names}
    payload = json.dumps({"hook_event_name": "Stop", "session_id": "claude-1", "stop_hook_active": True}).encode()

    def call() -> None:
        client.posix.environ.update(environment)
        assert client.ask_engine("Stop", payload, f"n{rig.next_number()}") == (0, b"", b"")

    return call


def _fill(rig: Rig, events: int) -> None:
    """As many events as an engine meets in months, over a hundred sessions, each with its line of history."""
    connection = sqlite3.connect(rig.home.config.sqlite_path)  # type: ignore[arg-type]  # it is SQLite
    connection.execute("PRAGMA synchronous=OFF")
    connection.executemany(
        "INSERT INTO sessions (host, name, state, first_seen_at, last_event_at) VALUES ('elsewhere', ?, 'idle', ?, ?)",
        ((f"session-{n}", AT, AT) for n in range(100)),
    )
    connection.executemany(
        "INSERT INTO events (session_id, kind, source, key, payload, decision_path, received_at)"
        " VALUES (?, 'Stopped', 'hook', ?, '{\"hook_event_name\": \"Stop\"}', 'stop/wake', ?)",
        ((1 + n % 100, f"old:{n}", AT) for n in range(events)),
    )
    connection.executemany(
        'INSERT INTO history (at, session_id, machine, entity, trigger, "from", "to", event)'
        " VALUES (?, ?, 'session', 1, 'stop', 'working', 'idle', 1)",
        ((AT, 1 + n % 100) for n in range(events)),
    )
    connection.commit()
    connection.close()
