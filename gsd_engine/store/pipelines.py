"""pipelines: a runbook's steps on their way, with the runbook as it was when it was started."""

from __future__ import annotations

from sqlalchemy import Column, Text

from gsd_engine.store.schema import JsonText, Timestamp, ends_with, state_check, state_column, table

pipelines = table(
    "pipelines",
    Column("name", Text, nullable=False),
    Column("runbook_path", Text, nullable=False),
    Column("runbook", JsonText, nullable=False),
    Column("variables", JsonText, nullable=False),
    state_column(),
    Column("reason", Text),
    Column("started_at", Timestamp, nullable=False),
    Column("ended_at", Timestamp),
    state_check("pipeline"),
    ends_with("ended_at", "completed", "failed", "cancelled"),
)
