"""agent_runs: one agent working in one session towards a signal, with the policies it was started with."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, Text

from gsd_engine.store.schema import JsonText, Timestamp, ends_with, partial_index, state_check, state_column, table

agent_runs = table(
    "agent_runs",
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("agent", Text, nullable=False),
    Column("step_id", Integer, ForeignKey("pipeline_steps.id")),
    state_column(),
    Column("reason", Text),
    Column("prompt", Text),
    Column("on_stop", JsonText, nullable=False),
    Column("on_idle", JsonText),
    Column("on_dead", JsonText),
    Column("on_error", JsonText),
    Column("attempts", JsonText),
    Column("signal", JsonText),
    Column("started_at", Timestamp, nullable=False),
    Column("ended_at", Timestamp),
    state_check("agent_run"),
    ends_with("ended_at", "completed", "failed", "cancelled"),
)

# Whose stop is it? A session carries one unfinished run.
partial_index(
    "uq_agent_runs_one_unfinished_per_session",
    agent_runs.c.session_id,
    unique=True,
    where="state IN ('running', 'waiting', 'escalated')",
)
