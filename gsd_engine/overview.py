"""All sessions at a glance, as JSON for programs, the page and the command line.

`overview` gives one entry per session, those that only the registry names included; `why` gives one session with its
sentence and the rows behind it. Times are UTC; sentences show times as `show_time` wants them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from gsd_engine.config import Config
from gsd_engine.domain.situation import Situation
from gsd_engine.effects.transcript import context_percent
from gsd_engine.errors import NotFoundError
from gsd_engine.registry import Agent, RegistryError, load_registry
from gsd_engine.rules.explain import Explanation, explain
from gsd_engine.rules.explain_work import question_text
from gsd_engine.rules.telling import Fact, ShowTime, local_time
from gsd_engine.store import sessions
from gsd_engine.store.database import Database
from gsd_engine.store.situations import situation_of


def overview(
    config: Config, database: Database, now: datetime, *, performing: bool, show_time: ShowTime = local_time
) -> dict[str, Any]:
    """`performing` says whether a process is there that performs effects (the resident engine, or a drain)."""
    found = situations(config, database, now, performing)
    entries = [entry(situation, explain(situation, show_time)) for situation in found]
    return {"at": utc(now), "engine": {"running": performing}, "sessions": entries}


def why(
    config: Config,
    database: Database,
    session: str,
    now: datetime,
    *,
    performing: bool,
    show_time: ShowTime = local_time,
) -> dict[str, Any]:
    every = situations(config, database, now, performing)
    situation = next((s for s in every if s.name == session), None)
    if situation is None:
        names = ", ".join(s.name for s in every)
        known = f"known are {names}" if names else "no session has been heard of yet"
        raise NotFoundError(f"no session {session!r}: {known}, and no enabled agent of the registry names it")
    explanation = explain(situation, show_time)
    rows = rows_behind(explanation.facts)
    return {**entry(situation, explanation), "clauses": [c.text for c in explanation.clauses], "rows": rows}


def situations(config: Config, database: Database, now: datetime, performing: bool) -> list[Situation]:
    """Sessions that were heard of, by name; then those that the registry expects."""
    with database.read() as connection:
        heard = [
            situation_of(connection, session, now, performing or session.host != config.host)
            for session in sessions.everyone(connection)
        ]
    names = {s.name for s in heard if s.session is not None and s.session.host == config.host}
    expected = [agent for agent in _agents(config) if agent.session_name not in names]
    return heard + [Situation(now=now, name=agent.session_name, agent_id=agent.agent_id) for agent in expected]


def _agents(config: Config) -> list[Agent]:
    try:
        return [agent for agent in load_registry(config.registry_path).agents if agent.enabled]
    except RegistryError:
        return []  # told by `doctor` and `registry validate`


def entry(s: Situation, explanation: Explanation) -> dict[str, Any]:
    """One session as the status table, the page and scripts see it."""
    session = s.session
    return {
        "session": s.name,
        "host": session.host if session else None,
        "agent": s.agent_id,
        "state": session.state if session else None,
        "since": utc(s.state_since),
        "failure": session.failure if session else None,
        "level": explanation.level,
        "waits_for": explanation.waits_for,
        "why": explanation.sentence,
        "queue": _queue(s),
        "question": _question(s),
        "loop": _loop(s),
        "run": _run(s),
        "context_percent": _context(s),
        "decisions": [{"id": d.id, "cause": d.cause, "title": d.title} for d in s.decisions],
        "effects": {"open": len(s.effects), "unread": s.unread},
        "last_event": _last_event(s),
    }


def _queue(s: Situation) -> dict[str, Any] | None:
    if s.queue is None:
        return None
    command = s.active_command
    delivery = s.delivery_of(command)
    return {
        "id": s.queue.id,
        "state": s.queue.state,
        "reason": s.queue.reason,
        "done": s.done,
        "total": len(s.commands),
        "command": command.command if command else None,
        "delivery": delivery.state if delivery else None,
        "ended_at": utc(s.queue.ended_at),
    }


def _question(s: Situation) -> dict[str, Any] | None:
    if s.question is None:
        return None
    return {
        "id": s.question.id,
        "state": s.question.state,
        "text": question_text(s).value,
        "count": len(s.question.questions),
        "answer": s.answer.state if s.answer else None,
        "asked_at": utc(s.question.asked_at),
    }


def _loop(s: Situation) -> dict[str, Any] | None:
    if s.loop is None or s.frame is None or s.loop.state in ("IDLE", "ABORTED"):
        return None
    return {
        "state": s.loop.state,
        "mode": s.frame.mode,
        "iter": s.frame.iter,
        "max": s.frame.max,
        "depth": sum(frame.popped_at is None for frame in s.frames),
        "reason": s.loop.reason,
    }


def _run(s: Situation) -> dict[str, Any] | None:
    if s.run is None:
        return None
    return {
        "id": s.run.id,
        "agent": s.run.agent,
        "state": s.run.state,
        "pipeline": s.pipeline.name if s.pipeline else None,
        "step": s.step.name if s.step else None,
    }


def _context(s: Situation) -> int | None:
    """As stored, else as its transcript says now."""
    if s.session is None or s.session.context_percent is not None:
        return s.session.context_percent if s.session else None
    return context_percent(s.session.transcript_path, s.session.model) if s.session.transcript_path else None


def _last_event(s: Situation) -> dict[str, Any] | None:
    if s.last_event is None:
        return None
    return {"id": s.last_event.id, "name": s.last_event.name, "at": utc(s.last_event.at), "path": s.last_event.path}


def rows_behind(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """The facts of a sentence, put together by row."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for fact in facts:
        value = utc(fact.value) if isinstance(fact.value, datetime) else fact.value
        if fact.column != "id":
            rows.setdefault((fact.table, fact.id), {})[fact.column] = value
    return [{"table": table, "id": number, "values": values} for (table, number), values in rows.items()]


def utc(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
