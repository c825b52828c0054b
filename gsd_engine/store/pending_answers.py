"""pending_answers: what the agent meant, committed before it is submitted, so that it can be compared afterwards."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text

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
