"""inbox: wake messages as they were rendered, whether or not a gateway took them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, Text, UniqueConstraint, bindparam, select, update

from gsd_engine.domain.records import InboxMessage
from gsd_engine.store.rows import insert_record, many, one
from gsd_engine.store.schema import Timestamp, table

inbox = table(
    "inbox",
    Column("effect_id", Integer, ForeignKey("effects.id"), nullable=False),
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("delivered_by", Text),
    Column("created_at", Timestamp, nullable=False),
    Column("read_at", Timestamp),
    # A wake that is tried again is the same message.
    UniqueConstraint("effect_id"),
)
Index("ix_inbox_session_id_id", inbox.c.session_id, inbox.c.id)

_OF_EFFECT = select(inbox).where(inbox.c.effect_id == bindparam("effect_id"))


def of_effect(connection: Connection, effect_id: int) -> InboxMessage | None:
    return one(connection, InboxMessage, _OF_EFFECT, effect_id=effect_id)


def keep(connection: Connection, message: InboxMessage) -> None:
    insert_record(connection, inbox, message)


def unread(connection: Connection, session_id: int | None = None) -> list[InboxMessage]:
    query = select(inbox).where(inbox.c.read_at.is_(None)).order_by(inbox.c.id)
    return many(
        connection, InboxMessage, query if session_id is None else query.where(inbox.c.session_id == session_id)
    )


def mark_read(connection: Connection, ids: list[int], now: datetime) -> None:
    connection.execute(update(inbox).where(inbox.c.id.in_(ids)).values(read_at=now))


def mark_delivered(connection: Connection, effect_id: int, by: str) -> None:
    connection.execute(update(inbox).where(inbox.c.effect_id == effect_id).values(delivered_by=by))
