"""pending_answers: what the agent meant, committed before it is submitted, so that it can be compared afterwards."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Connection, ForeignKey, Integer, Text, bindparam, select

from gsd_engine.domain.records import PendingAnswer
from gsd_engine.store.questions import questions
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import JsonText, Timestamp, ends_with, partial_index, state_check, state_column, table

pending_answers = table(
    "pending_answers",
    Column("question_id", Integer, ForeignKey("questions.id"), nullable=False),
    state_column(),
    Column("transport", Text),
    Column("actions", JsonText, nullable=False),
    Column("received", JsonText),
    Column("reason", Text),
    Column("intended_at", Timestamp, nullable=False),
    Column("submitted_at", Timestamp),
    Column("settled_at", Timestamp),
    state_check("pending_answer"),
    ends_with("settled_at", "matched", "mismatched", "void"),
    CheckConstraint(
        "state NOT IN ('submitted', 'matched', 'mismatched') OR submitted_at IS NOT NULL", name="submitted_at"
    ),
    CheckConstraint("transport IN ('hook', 'keys')", name="transport"),
)

# One answer at a time: two of them would be submitted over each other.
partial_index(
    "uq_pending_answers_one_open_per_question",
    pending_answers.c.question_id,
    unique=True,
    where="state IN ('intended', 'submitted')",
)

_OPEN_OF_SESSION = (
    select(pending_answers)
    .join(questions)
    .where(questions.c.session_id == bindparam("session_id"), pending_answers.c.state.in_(("intended", "submitted")))
    .order_by(pending_answers.c.id.desc())
    .limit(1)
)
_BY_ID = select(pending_answers).where(pending_answers.c.id == bindparam("answer_id"))
_OF_QUESTION = (
    select(pending_answers)
    .where(pending_answers.c.question_id == bindparam("question_id"))
    .order_by(pending_answers.c.id)
)


def open_of_session(connection: Connection, session_id: int) -> PendingAnswer | None:
    return one(connection, PendingAnswer, _OPEN_OF_SESSION, session_id=session_id)


def by_id(connection: Connection, answer_id: int) -> PendingAnswer | None:
    return one(connection, PendingAnswer, _BY_ID, answer_id=answer_id)


def of_question(connection: Connection, question_id: int) -> list[PendingAnswer]:
    return many(connection, PendingAnswer, _OF_QUESTION, question_id=question_id)
