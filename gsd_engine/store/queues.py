"""queues: what the agent asked for. At most one active per session, and the database says so."""

from __future__ import annotations

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, Text, bindparam, select

from gsd_engine.domain.records import Queue
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import Timestamp, ends_with, partial_index, state_check, state_column, table

queues = table(
    "queues",
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    state_column(),
    Column("reason", Text),
    Column("created_at", Timestamp, nullable=False),
    Column("ended_at", Timestamp),
    state_check("queue"),
    ends_with("ended_at", "completed", "cancelled", "stale", "failed"),
)

# Two agents that start a queue at the same instant: one of them is refused, whatever the code above believes.
partial_index(
    "uq_queues_one_active_per_session",
    queues.c.session_id,
    unique=True,
    where="state = 'active'",
)
Index("ix_queues_session_id_id", queues.c.session_id, queues.c.id)

_NEWEST = select(queues).where(queues.c.session_id == bindparam("session_id")).order_by(queues.c.id.desc()).limit(1)
_OF_SESSION = select(queues).where(queues.c.session_id == bindparam("session_id")).order_by(queues.c.id)
_ANY_ACTIVE = select(queues.c.id).where(queues.c.state == "active").limit(1)
_ALL = select(queues).order_by(queues.c.id)


def newest(connection: Connection, session_id: int) -> Queue | None:
    """The active one if there is any: a queue can only be started when none is active."""
    return one(connection, Queue, _NEWEST, session_id=session_id)


def of_session(connection: Connection, session_id: int) -> list[Queue]:
    return many(connection, Queue, _OF_SESSION, session_id=session_id)


def everyone(connection: Connection) -> list[Queue]:
    return many(connection, Queue, _ALL)


def any_active(connection: Connection) -> bool:
    return connection.execute(_ANY_ACTIVE).first() is not None
