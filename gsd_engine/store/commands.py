"""commands: the lines of a queue, in order, each with the hook it awaits and what came of it."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Integer,
    Text,
    UniqueConstraint,
    bindparam,
    select,
)

from gsd_engine.domain.records import Command
from gsd_engine.store.rows import many
from gsd_engine.store.schema import Timestamp, ends_with, partial_index, state_check, state_column, table

commands = table(
    "commands",
    Column("queue_id", Integer, ForeignKey("queues.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("command", Text, nullable=False),
    Column("awaits_hook", Text, nullable=False),
    Column("awaits_sub", Text),
    state_column(),
    Column("prompt_id", Text),
    Column("accepted_at", Timestamp),
    Column("result", Text),
    Column("reason", Text),
    Column("completed_at", Timestamp),
    UniqueConstraint("queue_id", "position"),
    state_check("command"),
    ends_with("completed_at", "done", "failed", "skipped"),
    # Nothing is done that Claude Code is not proven to have received.
    CheckConstraint("state <> 'done' OR accepted_at IS NOT NULL", name="done_was_accepted"),
    CheckConstraint("state <> 'pending' OR accepted_at IS NULL", name="pending_was_not_accepted"),
)

# One command at a time: two active ones would be typed over each other.
partial_index(
    "uq_commands_one_active_per_queue",
    commands.c.queue_id,
    unique=True,
    where="state = 'active'",
)

_OF_QUEUE = select(commands).where(commands.c.queue_id == bindparam("queue_id")).order_by(commands.c.position)


def of_queue(connection: Connection, queue_id: int) -> list[Command]:
    return many(connection, Command, _OF_QUEUE, queue_id=queue_id)
