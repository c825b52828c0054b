"""questions: AskUserQuestion calls. At most one is open per session: Claude waits for its answer."""

from __future__ import annotations

from sqlalchemy import Column, Connection, ForeignKey, Integer, Text, UniqueConstraint, bindparam, select

from gsd_engine.domain.records import Question
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import JsonText, Timestamp, ends_with, partial_index, state_check, state_column, table

questions = table(
    "questions",
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("tool_use_id", Text, nullable=False),
    Column("prompt_id", Text),
    Column("questions", JsonText, nullable=False),
    Column("running_command", Text),
    state_column(),
    Column("reason", Text),
    Column("held_at", Timestamp),
    Column("asked_at", Timestamp, nullable=False),
    Column("closed_at", Timestamp),
    UniqueConstraint("session_id", "tool_use_id"),
    state_check("question"),
    ends_with("closed_at", "verified", "mismatched", "taken_over", "redirected", "abandoned"),
)

# An answer is addressed to "the open question of the session": there must be no second one.
partial_index(
    "uq_questions_one_open_per_session",
    questions.c.session_id,
    unique=True,
    where="state IN ('asked', 'answered')",
)

_OPEN = select(questions).where(
    questions.c.session_id == bindparam("session_id"), questions.c.state.in_(("asked", "answered"))
)


def open_of_session(connection: Connection, session_id: int) -> Question | None:
    return one(connection, Question, _OPEN, session_id=session_id)


_BY_ID = select(questions).where(questions.c.id == bindparam("question_id"))
_NEWEST = (
    select(questions).where(questions.c.session_id == bindparam("session_id")).order_by(questions.c.id.desc()).limit(1)
)
_ALL = select(questions).order_by(questions.c.id)


def by_id(connection: Connection, question_id: int) -> Question | None:
    return one(connection, Question, _BY_ID, question_id=question_id)


def newest(connection: Connection, session_id: int) -> Question | None:
    return one(connection, Question, _NEWEST, session_id=session_id)


def everyone(connection: Connection) -> list[Question]:
    return many(connection, Question, _ALL)
