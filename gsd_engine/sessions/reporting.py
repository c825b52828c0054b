"""Sessions as programs see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsd_engine.config import Config
from gsd_engine.domain.records import Session
from gsd_engine.engine import Engine
from gsd_engine.errors import NotFoundError
from gsd_engine.reports import iso_time
from gsd_engine.store import questions, queues, sessions


def session_report(config: Config, engine: Engine, name: str) -> dict[str, Any]:
    found = session_reports(config, engine, [name])
    if not found:
        raise NotFoundError(f"session {name} has not been heard of yet: spawn it, or start Claude Code in it")
    return {"session": found[0]}


def session_reports(config: Config, engine: Engine, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    with engine.database.read() as connection:
        rows = [
            s for s in sessions.everyone(connection) if s.host == config.host and (names is None or s.name in names)
        ]
        return [_report(s, queues.newest(connection, s.id), questions.open_of_session(connection, s.id)) for s in rows]


def _report(session: Session, queue: Any, question: Any) -> dict[str, Any]:
    return {
        "name": session.name,
        "state": session.state,
        "agent_id": session.agent_id,
        "claude_session_id": session.claude_session_id,
        "working_directory": session.cwd,
        "socket": session.socket,
        "pane_id": session.pane_id,
        "model": session.model,
        "failure": session.failure,
        "queue": queue.id if queue is not None and queue.state == "active" else None,
        "question": question.id if question is not None else None,
        "last_event_at": iso_time(session.last_event_at),
        "ended_at": iso_time(session.ended_at),
    }
