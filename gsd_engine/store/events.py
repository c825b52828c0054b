"""events: every payload as received, what became of it, and when. The natural key stops a second delivery."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    Text,
    bindparam,
    insert,
    select,
    update,
)

from gsd_engine.store.schema import Timestamp, partial_index, table
from gsd_engine.store.sessions import sessions

events = table(
    "events",
    Column("session_id", Integer, ForeignKey("sessions.id")),
    Column("kind", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("key", Text),
    Column("payload", Text, nullable=False),
    Column("decision_path", Text),
    Column("received_at", Timestamp, nullable=False),
    CheckConstraint("source IN ('hook', 'request', 'report')", name="source"),
)

# Per session, since Claude's own ids are only ever compared within one.
partial_index(
    "uq_events_key",
    events.c.session_id,
    events.c.key,
    unique=True,
    where="key IS NOT NULL",
)
Index("ix_events_session_id_id", events.c.session_id, events.c.id)

_KNOWN = select(events.c.id).where(events.c.session_id == bindparam("session_id"), events.c.key == bindparam("key"))
_BIND = update(events).where(events.c.id == bindparam("event_id")).values(session_id=bindparam("session"))


def already_known(connection: Connection, session_id: int, key: str) -> int | None:
    found = connection.execute(_KNOWN, {"session_id": session_id, "key": key}).scalar()
    return None if found is None else int(found)


def record(connection: Connection, **values: Any) -> int:
    key = connection.execute(insert(events), values).inserted_primary_key
    assert key is not None
    return int(key[0])


def bind(connection: Connection, event_id: int, session_id: int | None) -> None:
    """The first event of a session is recorded before the session has a row."""
    connection.execute(_BIND, {"event_id": event_id, "session": session_id})


def since(
    connection: Connection, after_id: int, session_id: int | None = None, limit: int = 1000
) -> list[dict[str, Any]]:
    query = select(events).where(events.c.id > after_id).order_by(events.c.id).limit(limit)
    if session_id is not None:
        query = query.where(events.c.session_id == session_id)
    return [dict(row._mapping) for row in connection.execute(query)]


def newest_time(connection: Connection, session_id: int) -> datetime | None:
    query = select(events.c.received_at).where(events.c.session_id == session_id).order_by(events.c.id.desc()).limit(1)
    return connection.execute(query).scalar()


def newest(
    connection: Connection, session_id: int | None = None, limit: int = 1000, after: int = 0
) -> list[dict[str, Any]]:
    """The last so many events after this one, oldest first, each with its session's name."""
    query = select(events, sessions.c.name.label("session")).outerjoin(sessions).where(events.c.id > after)
    if session_id is not None:
        query = query.where(events.c.session_id == session_id)
    return [dict(row._mapping) for row in connection.execute(query.order_by(events.c.id.desc()).limit(limit))][::-1]


def by_id(connection: Connection, event_id: int) -> dict[str, Any] | None:
    row = connection.execute(select(events).where(events.c.id == event_id)).first()
    return None if row is None else dict(row._mapping)
