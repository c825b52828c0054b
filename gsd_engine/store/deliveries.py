"""deliveries: the ledger of every text put into a pane. One row per text; nothing is ever typed from a row twice."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Connection, ForeignKey, Index, Integer, Text, bindparam, or_, select

from gsd_engine.domain.records import Delivery
from gsd_engine.store.commands import commands
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import Timestamp, ends_with, state_check, state_column, table

deliveries = table(
    "deliveries",
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("command_id", Integer, ForeignKey("commands.id")),
    Column("purpose", Text, nullable=False),
    Column("text", Text, nullable=False),
    state_column(),
    Column("transport", Text),
    Column("reason", Text),
    Column("prompt_id", Text),
    Column("enter_presses", Integer, nullable=False),
    Column("staged_at", Timestamp, nullable=False),
    Column("typed_at", Timestamp),
    Column("settled_at", Timestamp),
    state_check("delivery"),
    ends_with("settled_at", "accepted", "refused", "uncertain", "rejected"),
    CheckConstraint("state <> 'typed' OR typed_at IS NOT NULL", name="typed_at"),
    CheckConstraint("transport IN ('keys', 'mod')", name="transport"),
    CheckConstraint("(purpose = 'command') = (command_id IS NOT NULL)", name="command"),
)
Index("ix_deliveries_session_id_state", deliveries.c.session_id, deliveries.c.state)
Index("ix_deliveries_command_id", deliveries.c.command_id)

_OPEN = (
    select(deliveries)
    .where(
        deliveries.c.session_id == bindparam("session_id"),
        or_(
            deliveries.c.state.in_(("staged", "typed", "uncertain")),
            deliveries.c.command_id.in_(select(commands.c.id).where(commands.c.queue_id == bindparam("queue_id"))),
            deliveries.c.id == bindparam("delivery_id"),
        ),
    )
    .order_by(deliveries.c.id)
)
_BY_ID = select(deliveries).where(deliveries.c.id == bindparam("delivery_id"))
_OF_QUEUE = (
    select(deliveries).join(commands).where(commands.c.queue_id == bindparam("queue_id")).order_by(deliveries.c.id)
)


def that_matter(
    connection: Connection, session_id: int, queue_id: int | None, delivery_id: int | None
) -> list[Delivery]:
    """Those of the session that are open or in doubt, those of its newest queue, and the one that is meant."""
    return many(connection, Delivery, _OPEN, session_id=session_id, queue_id=queue_id, delivery_id=delivery_id)


def by_id(connection: Connection, delivery_id: int) -> Delivery | None:
    return one(connection, Delivery, _BY_ID, delivery_id=delivery_id)


def of_queue(connection: Connection, queue_id: int) -> list[Delivery]:
    return many(connection, Delivery, _OF_QUEUE, queue_id=queue_id)
