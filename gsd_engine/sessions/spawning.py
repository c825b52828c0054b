"""Starting and ending Claude Code in tmux. The store is told first, so that no hook of the new one comes too early."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gsd_engine.config import Config, ensure_home
from gsd_engine.context import session_by_name
from gsd_engine.domain.events import KillRequested, SessionLost, SpawnRequested, Who
from gsd_engine.domain.records import Session
from gsd_engine.effects.tmux import NoServer, PaneGone, Tmux, TmuxError
from gsd_engine.engine import Engine
from gsd_engine.errors import NotFoundError, Refusal
from gsd_engine.registry import Agent, Registry, load_registry
from gsd_engine.sessions.launch import Launch, engine_environment, launch_for, write_prompt_file
from gsd_engine.sessions.looking import look_at
from gsd_engine.sessions.reporting import session_report
from gsd_engine.store import sessions


def spawn(
    config: Config,
    engine: Engine,
    agent: str,
    workdir: str | None = None,
    first_command: str | None = None,
    resume: str | None = None,
    *,
    socket: str | None = None,
) -> dict[str, Any]:
    """Start Claude Code for an agent of the registry. `socket` is the tmux server to use where none is known yet."""
    registry = load_registry(config.registry_path)
    found = _agent(registry, agent)
    launch = launch_for(found, registry.settings_for(found), workdir, resume)
    return start(config, engine, launch, first_command=first_command, socket=socket)


def start(
    config: Config, engine: Engine, launch: Launch, *, first_command: str | None = None, socket: str | None = None
) -> dict[str, Any]:
    """The same for any launch. Returns as soon as tmux has the session; an effect looks at what comes up in it."""
    known = _known(config, engine, launch.session_name)
    server = Tmux(known.socket if known is not None and known.socket is not None else socket)
    if server.has_session(launch.session_name):
        name = launch.session_name
        raise Refusal(
            f"tmux session {name} is there already: attach to it (gsd-engine session attach {name}) "
            f"or end it (gsd-engine session kill {name})"
        )
    ensure_home(config)
    prompt_file = write_prompt_file(config, launch)
    who = Who(
        host=config.host,
        name=launch.session_name,
        agent_id=launch.agent_id,
        socket=server.socket,
        cwd=str(launch.working_directory),
    )
    engine.step(SpawnRequested(who=who, resume=launch.resume, first_command=first_command))
    try:
        server.new_session(
            launch.session_name,
            launch.words(prompt_file),
            working_directory=str(launch.working_directory),
            environment={**engine_environment(config), **launch.environment},
        )
    except TmuxError as error:
        engine.step(SessionLost(who=who, reason=str(error)))
        raise
    return session_report(config, engine, launch.session_name)


def recover(config: Config, engine: Engine, session: str, *, socket: str | None = None) -> dict[str, Any]:
    """Start an ended or lost session again, with the conversation it had where there is one."""
    session_by_name(config, engine.database, session)
    known = _known(config, engine, session)
    if known is not None and known.state not in ("ended", "lost"):
        look_at(engine, known)
        known = _known(config, engine, session)
    if known is not None and known.state not in ("ended", "lost"):
        raise Refusal(f"session {session} is {known.state}: there is nothing to recover")
    registry = load_registry(config.registry_path)
    agent = registry.agent_for_session(session)
    if agent is None:
        raise NotFoundError(f"no enabled agent of the registry names session {session}: add it, then recover")
    resume = _conversation(known)
    workdir = _where(known, agent) if known is not None else None
    launch = launch_for(agent, registry.settings_for(agent), workdir, resume)
    return {**start(config, engine, launch, socket=socket), "resumed": resume}


def kill(config: Config, engine: Engine, session: str, *, socket: str | None = None) -> dict[str, Any]:
    """End the tmux session and all in it. Only sessions that are the engine's business."""
    who = session_by_name(config, engine.database, session)
    known = _known(config, engine, session)
    server = Tmux(known.socket if known is not None and known.socket is not None else socket)
    there = server.has_session(session)
    if known is None and not there:
        raise NotFoundError(f"there is no tmux session {session}")
    engine.step(KillRequested(who=who))
    if there:
        try:
            server.kill_session(session)
        except (PaneGone, NoServer):
            there = False  # it went by itself meanwhile
    return {**session_report(config, engine, session), "killed": there}


def _agent(registry: Registry, name: str) -> Agent:
    """By its id, else by the session it drives."""
    agent = registry.agent(name) or registry.agent_for_session(name, enabled_only=False)
    if agent is None:
        known = ", ".join(agent.agent_id for agent in registry.agents) or "nobody"
        raise NotFoundError(f"no agent {name!r} in the registry: it has {known}")
    if not agent.enabled:
        raise Refusal(f"agent {name} is disabled in the registry: set enabled to true first")
    return agent


def _known(config: Config, engine: Engine, name: str) -> Session | None:
    with engine.database.read() as connection:
        return sessions.by_name(connection, config.host, name)


def _conversation(session: Session | None) -> str | None:
    """The Claude session to go on with: Claude Code refuses one in which nothing was ever said."""
    if session is None or session.claude_session_id is None or session.transcript_path is None:
        return None
    try:
        said = '"assistant"' in Path(session.transcript_path).read_text("utf-8", "replace")
    except OSError:
        return None
    return session.claude_session_id if said else None


def _where(session: Session, agent: Agent) -> str | None:
    """Claude Code finds a conversation only from the folder it was begun in, which its transcript's folder names."""
    folder = Path(session.transcript_path).parent.name if session.transcript_path else None
    for place in (session.cwd, agent.working_directory):
        if place is not None and folder == re.sub(r"[^A-Za-z0-9]", "-", place):
            return place
    return session.cwd if agent.working_directory is None else None
