"""The play as lines while it runs: what Claude's hooks said, what moved in the store, what the agent did."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

Line = tuple[str, str]
"""(who, what)"""

_NOT_TOLD = {"effect"}
_PARTICULARS = ("source", "reason", "tool_name", "prompt", "last_assistant_message")

_NEWS = """
    SELECT 'event' AS what, id, event_id, payload, NULL AS machine, NULL AS entity, NULL AS "from", NULL AS "to",
           NULL AS reason
      FROM (SELECT id, id AS event_id, payload FROM events WHERE id > ? AND source = 'hook')
     UNION ALL
    SELECT 'move', id, event, NULL, machine, entity, "from", "to", reason FROM history WHERE id > ?
     ORDER BY event_id, what, id
"""
_TEXT_OF = {
    "command": "SELECT command FROM commands WHERE id = ?",
    "delivery": "SELECT text FROM deliveries WHERE id = ?",
}


class Telling:
    def __init__(self, database: Path, notes: Path, say: Callable[[str], None]) -> None:
        self.database, self.notes, self.say = database, notes, say
        self.began = time.monotonic()
        self._event = self._move = self._note = 0

    def line(self, who: str, what: str) -> None:
        self.say(f"{time.monotonic() - self.began:5.1f} s  {who:<8} {what}")

    def tell_news(self) -> None:
        for who, what in [*self._from_store(), *self._from_agent()]:
            self.line(who, what)

    def _from_store(self) -> Iterator[Line]:
        with closing(_reader(self.database)) as store:
            for row in store.execute(_NEWS, (self._event, self._move)).fetchall():
                if row["what"] == "event":
                    self._event = max(self._event, row["id"])
                    yield "claude", _hook(json.loads(row["payload"]))
                    continue
                self._move = max(self._move, row["id"])
                if row["machine"] not in _NOT_TOLD:
                    yield "engine", _moved(store, row)

    def _from_agent(self) -> Iterator[Line]:
        if not self.notes.exists():
            return
        lines = self.notes.read_text(encoding="utf-8").splitlines()
        yield from (("agent", line) for line in lines[self._note :])
        self._note = len(lines)


def _reader(database: Path) -> sqlite3.Connection:
    store = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
    store.row_factory = sqlite3.Row
    return store


def _hook(payload: dict[str, Any]) -> str:
    said = [str(payload[name]) for name in _PARTICULARS if payload.get(name)]
    return f"{payload.get('hook_event_name')}  {_short(said[-1])}" if said else str(payload.get("hook_event_name"))


def _moved(store: sqlite3.Connection, row: sqlite3.Row) -> str:
    text = ""
    if row["machine"] in _TEXT_OF:
        found = store.execute(_TEXT_OF[row["machine"]], (row["entity"],)).fetchone()
        text = f"  {_short(found[0])}" if found else ""
    arrow = f"{row['from']} → {row['to']}" if row["from"] else f"{row['to']}"
    why = f"  ({_short(row['reason'])})" if row["reason"] else ""
    return f"  {row['machine']} {row['entity']}: {arrow}{text}{why}"


def _short(text: str, longest: int = 60) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
