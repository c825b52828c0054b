"""The one list of tables: which record lives where."""

from __future__ import annotations

from sqlalchemy import Table

from gsd_engine.domain import records
from gsd_engine.store import events, history, views
from gsd_engine.store.agent_runs import agent_runs
from gsd_engine.store.commands import commands
from gsd_engine.store.decisions import decisions
from gsd_engine.store.deliveries import deliveries
from gsd_engine.store.effects import effects
from gsd_engine.store.inbox import inbox
from gsd_engine.store.loop_frames import loop_frames
from gsd_engine.store.loops import loops
from gsd_engine.store.pending_answers import pending_answers
from gsd_engine.store.pipeline_steps import pipeline_steps
from gsd_engine.store.pipelines import pipelines
from gsd_engine.store.questions import questions
from gsd_engine.store.queues import queues
from gsd_engine.store.schema import metadata
from gsd_engine.store.sessions import sessions

TABLES: dict[type[records.Record], Table] = {
    records.Session: sessions,
    records.Queue: queues,
    records.Command: commands,
    records.Delivery: deliveries,
    records.Question: questions,
    records.PendingAnswer: pending_answers,
    records.Loop: loops,
    records.LoopFrame: loop_frames,
    records.AgentRun: agent_runs,
    records.Pipeline: pipelines,
    records.PipelineStep: pipeline_steps,
    records.Decision: decisions,
    records.EffectRow: effects,
    records.InboxMessage: inbox,
}

STATEFUL: dict[str, Table] = {kind.machine: table for kind, table in TABLES.items() if kind.machine is not None}
"""Table by machine name."""

__all__ = ["STATEFUL", "TABLES", "events", "history", "metadata", "views"]
