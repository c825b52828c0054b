"""What the command line asks of the engine, as functions from plain values to plain values.

The same function serves a call in this process and one that came over the resident engine's socket: `OPERATIONS` is the
list of what may be called by name. Errors are `EngineError`s on both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gsd_engine import sessions
from gsd_engine.config import Config
from gsd_engine.context import answer_transport, session_by_name
from gsd_engine.domain.events import AnswerRequested, QueueCancelRequested, QueueRequested
from gsd_engine.engine import Engine
from gsd_engine.question_reports import answer_stats, newest_question, questions_of
from gsd_engine.reports import newest_queue, queues_of
from gsd_engine.sessions.looking import check, screen_kind
from gsd_engine.sessions.reporting import session_report, session_reports

Operation = Callable[..., dict[str, Any]]


def queue_start(config: Config, engine: Engine, *, session: str, commands: list[str], replace: bool) -> dict[str, Any]:
    who = session_by_name(config, engine.database, session)
    engine.step(QueueRequested(who=who, commands=commands, replace=replace))
    return queue_show(config, engine, session=session)


def queue_cancel(config: Config, engine: Engine, *, session: str) -> dict[str, Any]:
    engine.step(QueueCancelRequested(who=session_by_name(config, engine.database, session)))
    return queue_show(config, engine, session=session)


def queue_show(config: Config, engine: Engine, *, session: str) -> dict[str, Any]:
    session_by_name(config, engine.database, session)
    return {"queue": newest_queue(engine.database, config.host, session)}


def queue_list(config: Config, engine: Engine, *, session: str | None) -> dict[str, Any]:
    return {"queues": queues_of(engine.database, session)}


def answer(config: Config, engine: Engine, *, session: str, actions: Any) -> dict[str, Any]:
    who = session_by_name(config, engine.database, session)
    engine.step(AnswerRequested(who=who, actions=actions, transport=answer_transport(config, session)))
    return question_show(config, engine, session=session)


def question_show(config: Config, engine: Engine, *, session: str) -> dict[str, Any]:
    session_by_name(config, engine.database, session)
    return {"question": newest_question(engine.database, config.host, session)}


def question_list(config: Config, engine: Engine, *, session: str | None) -> dict[str, Any]:
    return {"questions": questions_of(engine.database, session)}


def question_stats(config: Config, engine: Engine, *, session: str | None) -> dict[str, Any]:
    return {"stats": answer_stats(engine.database, session)}


def session_spawn(
    config: Config,
    engine: Engine,
    *,
    agent: str,
    workdir: str | None = None,
    first_command: str | None = None,
    resume: str | None = None,
    socket: str | None = None,
) -> dict[str, Any]:
    return sessions.spawn(config, engine, agent, workdir, first_command, resume, socket=socket)


def session_list(config: Config, engine: Engine) -> dict[str, Any]:
    return {"sessions": session_reports(config, engine)}


def session_show(config: Config, engine: Engine, *, session: str) -> dict[str, Any]:
    session_by_name(config, engine.database, session)
    return session_report(config, engine, session)


def session_look(config: Config, engine: Engine, *, session: str) -> dict[str, Any]:
    session_by_name(config, engine.database, session)
    return {"shows": screen_kind(config, engine, session)}


OPERATIONS: Mapping[str, Operation] = {
    "queue.start": queue_start,
    "queue.cancel": queue_cancel,
    "queue.show": queue_show,
    "queue.list": queue_list,
    "answer": answer,
    "question.show": question_show,
    "question.list": question_list,
    "question.stats": question_stats,
    "session.spawn": session_spawn,
    "session.list": session_list,
    "session.show": session_show,
    "session.look": session_look,
    "session.recover": sessions.recover,
    "session.kill": sessions.kill,
    "session.check": check,
}
