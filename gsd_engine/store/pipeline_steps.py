"""pipeline_steps: one row per visit of a step, in the order of the visits."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, UniqueConstraint

from gsd_engine.store.schema import JsonText, Timestamp, ends_with, partial_index, state_check, state_column, table

pipeline_steps = table(
    "pipeline_steps",
    Column("pipeline_id", Integer, ForeignKey("pipelines.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("definition", JsonText, nullable=False),
    state_column(),
    Column("reason", Text),
    Column("started_at", Timestamp),
    Column("ended_at", Timestamp),
    UniqueConstraint("pipeline_id", "position"),
    state_check("pipeline_step"),
    ends_with("ended_at", "completed", "failed", "skipped"),
    CheckConstraint("state NOT IN ('running', 'waiting') OR started_at IS NOT NULL", name="started_at"),
)

# A pipeline is in one place at a time.
partial_index(
    "uq_pipeline_steps_one_under_way",
    pipeline_steps.c.pipeline_id,
    unique=True,
    where="state IN ('running', 'waiting')",
)
