"""history: every transition of every row, with its reason and the event that caused it. Written, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, Text, insert, select

from gsd_engine.store.schema import Timestamp, table

history = table(
    "history",
    Column("at", Timestamp, nullable=False),
    Column("session_id", Integer, ForeignKey("sessions.id")),
    Column("machine", Text, nullable=False),
    Column("entity", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("from", Text),  # nothing: the row was created
    Column("to", Text, nullable=False),
    Column("reason", Text),
    Column("event", Integer, ForeignKey("events.id")),
)
Index("ix_history_machine_entity", history.c.machine, history.c.entity)
Index("ix_history_session_id_id", history.c.session_id, history.c.id)
Index("ix_history_event", history.c.event)


def record(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(history), rows)


def of_session(
    connection: Connection,
    session_id: int | None = None,
    limit: int = 1000,
    *,
    machine: str | None = None,
    event: int | None = None,
) -> list[dict[str, Any]]:
    """The last so many transitions, oldest first."""
    query = select(history).order_by(history.c.id.desc()).limit(limit)
    for column, wanted in ((history.c.session_id, session_id), (history.c.machine, machine), (history.c.event, event)):
        if wanted is not None:
            query = query.where(column == wanted)
    return [dict(row._mapping) for row in connection.execute(query)][::-1]
