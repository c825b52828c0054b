"""What a person wants to know about one session, read in one look that blocks nobody."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, func, select

from gsd_engine.domain import records
from gsd_engine.domain.situation import LastEvent, Situation
from gsd_engine.store import commands, decisions, deliveries, questions, queues
from gsd_engine.store.events import events
from gsd_engine.store.history import history
from gsd_engine.store.inbox import inbox
from gsd_engine.store.rows import many, one
from gsd_engine.store.tables import TABLES

R = TypeVar("R", bound=records.Record)

HOOK_NAMES = {
    "SessionStarted": "SessionStart",
    "PromptSubmitted": "UserPromptSubmit",
    "Stopped": "Stop",
    "StopFailed": "StopFailure",
    "QuestionAsked": "PreToolUse",
    "AnswerWanted": "PermissionRequest",
    "QuestionAnswered": "PostToolUse",
    "WentIdle": "Notification",
    "PermissionPrompted": "Notification",
    "Compacting": "PreCompact",
    "SessionFinished": "SessionEnd",
}
"""What Claude Code calls the hooks that became these events; a test holds it against the readers."""


def situation_of(connection: Connection, session: records.Session, now: datetime, performing: bool) -> Situation:
    queue = queues.newest(connection, session.id)
    question = questions.open_of_session(connection, session.id)
    loop = _newest_loop(connection, session)
    run = _first(connection, records.AgentRun, "running", "waiting", "escalated", session_id=session.id)
    step = _first(connection, records.PipelineStep, id=run.step_id) if run is not None else None
    return Situation(
        now=now,
        name=session.name,
        agent_id=session.agent_id,
        session=session,
        state_since=_state_since(connection, session),
        queue=queue,
        commands=commands.of_queue(connection, queue.id) if queue is not None else (),
        deliveries=deliveries.of_queue(connection, queue.id) if queue is not None else (),
        other_texts=_other_texts(connection, session),
        question=question,
        answer=_first(connection, records.PendingAnswer, question_id=question.id) if question is not None else None,
        loop=loop,
        frames=_frames(connection, loop) if loop is not None else (),
        run=run,
        step=step,
        pipeline=_first(connection, records.Pipeline, id=step.pipeline_id) if step is not None else None,
        decisions=decisions.open_of_session(connection, session.id),
        effects=_open_effects(connection, session),
        last_wake=_first(connection, records.EffectRow, session_id=session.id, kind="Wake"),
        unread=_unread(connection, session),
        last_event=_last_event(connection, session),
        performing=performing,
    )


def hook_name(kind: str, payload: str) -> str:
    """What Claude Code calls it: as the payload says, else by the kind of event it became."""
    try:
        data = json.loads(payload)
    except ValueError:
        data = None
    said = data.get("hook_event_name") or data.get("hook") if isinstance(data, dict) else None
    return str(said or HOOK_NAMES.get(kind, kind))


def _first(connection: Connection, record: type[R], *states: str, **where: Any) -> R | None:
    """The newest row of a table with these values, in one of these states."""
    table = TABLES[record]
    query: Select[Any] = select(table).order_by(table.c.id.desc()).limit(1)
    for column, value in where.items():
        query = query.where(table.c[column] == value)
    return one(connection, record, query.where(table.c.state.in_(states)) if states else query)


def _newest_loop(connection: Connection, session: records.Session) -> records.Loop | None:
    return _first(connection, records.Loop, key=session.name)


def _frames(connection: Connection, loop: records.Loop) -> list[records.LoopFrame]:
    table = TABLES[records.LoopFrame]
    query = select(table).where(table.c.loop_id == loop.id).order_by(table.c.depth, table.c.id)
    return many(connection, records.LoopFrame, query)


def _other_texts(connection: Connection, session: records.Session) -> list[records.Delivery]:
    table = TABLES[records.Delivery]
    open_ones = (table.c.session_id == session.id, table.c.command_id.is_(None), table.c.state.in_(("staged", "typed")))
    return many(connection, records.Delivery, select(table).where(*open_ones).order_by(table.c.id))


def _open_effects(connection: Connection, session: records.Session) -> list[records.EffectRow]:
    table = TABLES[records.EffectRow]
    where = (table.c.session_id == session.id, table.c.state.in_(("pending", "claimed")))
    return many(connection, records.EffectRow, select(table).where(*where).order_by(table.c.id))


def _unread(connection: Connection, session: records.Session) -> int:
    kept_only = inbox.c.delivered_by.is_(None) | (inbox.c.delivered_by == "inbox")
    where = (inbox.c.session_id == session.id, inbox.c.read_at.is_(None), kept_only)
    return connection.execute(select(func.count()).select_from(inbox).where(*where)).scalar_one()


def _last_event(connection: Connection, session: records.Session) -> LastEvent | None:
    query = (
        select(events)
        .where(events.c.session_id == session.id, events.c.source == "hook")
        .order_by(events.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    return LastEvent(id=row.id, name=hook_name(row.kind, row.payload), at=row.received_at, path=row.decision_path)


def _state_since(connection: Connection, session: records.Session) -> datetime | None:
    query = (
        select(history.c.at)
        .where(history.c.machine == "session", history.c.entity == session.id)
        .order_by(history.c.id.desc())
        .limit(1)
    )
    return connection.execute(query).scalar()
