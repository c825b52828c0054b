"""decisions: what only a person can decide. One cause opens one decision and calls a person once."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Connection, ForeignKey, Integer, Text, bindparam, select

from gsd_engine.domain.records import Decision
from gsd_engine.store.rows import many
from gsd_engine.store.schema import JsonText, Timestamp, ends_with, partial_index, state_check, state_column, table

decisions = table(
    "decisions",
    Column("run_id", Integer, ForeignKey("agent_runs.id")),
    Column("session_id", Integer, ForeignKey("sessions.id")),
    Column("cause", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text),
    Column("options", JsonText, nullable=False),
    state_column(),
    Column("chosen", Text),
    Column("opened_at", Timestamp, nullable=False),
    Column("closed_at", Timestamp),
    state_check("decision"),
    ends_with("closed_at", "resolved", "dismissed"),
    CheckConstraint("(state = 'resolved') = (chosen IS NOT NULL)", name="chosen"),
)

# The same cause again, while a person is already asked, is not a second call.
partial_index(
    "uq_decisions_one_open_per_run_and_cause",
    decisions.c.run_id,
    decisions.c.cause,
    unique=True,
    where="state = 'open' AND run_id IS NOT NULL",
)
partial_index(
    "uq_decisions_one_open_per_session_and_cause",
    decisions.c.session_id,
    decisions.c.cause,
    unique=True,
    where="state = 'open' AND run_id IS NULL",
)

_OPEN_OF_SESSION = (
    select(decisions)
    .where(decisions.c.session_id == bindparam("session_id"), decisions.c.state == "open")
    .order_by(decisions.c.id)
)
_OPEN = select(decisions).where(decisions.c.state == "open").order_by(decisions.c.id)


def open_of_session(connection: Connection, session_id: int) -> list[Decision]:
    return many(connection, Decision, _OPEN_OF_SESSION, session_id=session_id)


def open_ones(connection: Connection) -> list[Decision]:
    return many(connection, Decision, _OPEN)
