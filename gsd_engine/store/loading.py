"""The rows that an event may touch, read inside its transaction."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from gsd_engine.domain.decision import World
from gsd_engine.domain.events import Who
from gsd_engine.domain.records import EffectRow, Session
from gsd_engine.errors import NotFoundError
from gsd_engine.store import commands, decisions, deliveries, effects, pending_answers, questions, queues, sessions


def load_session(connection: Connection, who: Who | int, now: datetime) -> Session:
    """The session's row, locked; for one not seen before, an image of what will be inserted."""
    if isinstance(who, int):
        session = sessions.by_id(connection, who)
        if session is None:
            raise NotFoundError(f"no session with id {who}")
        return session
    return sessions.by_name(connection, who.host, who.name) or Session(
        host=who.host,
        name=who.name,
        agent_id=who.agent_id,
        socket=who.socket,
        pane_id=who.pane_id,
        claude_session_id=who.claude_session_id,
        transcript_path=who.transcript_path,
        cwd=who.cwd,
        model=who.model,
        first_seen_at=now,
        last_event_at=now,
    )


def load_world(
    connection: Connection, session: Session, now: datetime, effect: EffectRow | None, delivery_id: int | None
) -> World:
    """`delivery_id` is the delivery that the event is about, which may belong to a queue long gone."""
    if session.id == 0:
        return World(now=now, session=session, effect=effect)
    queue = queues.newest(connection, session.id)
    return World(
        now=now,
        session=session,
        queue=queue,
        commands=commands.of_queue(connection, queue.id) if queue is not None else (),
        deliveries=deliveries.that_matter(connection, session.id, queue.id if queue is not None else None, delivery_id),
        question=questions.open_of_session(connection, session.id),
        answer=pending_answers.open_of_session(connection, session.id),
        decisions=decisions.open_of_session(connection, session.id),
        pending_effects=effects.pending_of_session(connection, session.id),
        effect=effect,
    )
