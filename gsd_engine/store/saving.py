"""Verdicts become rows: changes in order, by compare-and-set, each transition with its line of history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gsd_engine.domain.decision import Change, Insert, Move, Scheduled
from gsd_engine.domain.records import EffectRow, Record, Session
from gsd_engine.store import history
from gsd_engine.store.rows import change_record, insert_record
from gsd_engine.store.tables import TABLES


class Saver:
    """Writes the changes of one event and remembers which ids the new rows got."""

    def __init__(self, connection: Connection, now: datetime, event_id: int | None, session_id: int | None) -> None:
        self.connection, self.now, self.event_id, self.session_id = connection, now, event_id, session_id
        self._ids: dict[int, int] = {}
        self._history: list[dict[str, Any]] = []

    def save(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            if isinstance(change, Insert):
                self._insert(change)
            elif isinstance(change, Move):
                self._change(change.record, {"state": change.target, **change.changes})
                self._remember(change.record, change.trigger, _state(change.record), change.target, change.reason)
            else:
                self._change(change.record, change.changes)
        history.record(self.connection, [{**line, "session_id": self.session_id} for line in self._history])
        self._history.clear()

    def schedule(self, scheduled: Scheduled, host: str) -> None:
        effect = scheduled.effect
        row = EffectRow(
            event_id=self.event_id or 0,
            session_id=self.session_id,
            kind=effect.kind,
            payload=self._resolve(effect.payload()),
            host=host,
            repeatable=effect.repeatable,
            due_at=scheduled.due_at,
            created_at=self.now,
        )
        self.save((Insert(replace(row, id=min(self._ids, default=0) - 1)),))

    def _insert(self, insert: Insert) -> None:
        record = insert.record
        values = self._resolve({f.name: getattr(record, f.name) for f in fields(record) if f.name != "id"})
        new_id = insert_record(self.connection, TABLES[type(record)], replace(record, **values))
        self._ids[record.id] = new_id
        if isinstance(record, Session):
            self.session_id = new_id
        if record.machine is not None:
            self._remember(record, "create", None, _state(record), insert.reason)

    def _change(self, record: Record, values: Mapping[str, Any]) -> None:
        state = _state(record) if record.machine is not None else None
        change_record(self.connection, TABLES[type(record)], self._real(record.id), state, self._resolve(values))

    def _remember(self, record: Record, trigger: str, source: str | None, target: str, reason: str | None) -> None:
        self._history.append(
            {
                "at": self.now,
                "machine": record.machine,
                "entity": self._real(record.id),
                "trigger": trigger,
                "from": source,
                "to": target,
                "reason": reason,
                "event": self.event_id,
            }
        )

    def _resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """References to rows that were new in this verdict become their real ids."""
        return {name: self._real(value) if name.endswith("_id") else value for name, value in values.items()}

    def _real(self, value: Any) -> Any:
        return self._ids[value] if isinstance(value, int) and value < 0 else value


def _state(record: Record) -> str:
    return str(record.state)  # type: ignore[attr-defined]  # every record with a machine has one
