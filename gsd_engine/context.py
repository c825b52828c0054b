"""Who is this? From the environment, the payload and the registry to a session the engine may act for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gsd_engine.config import Config
from gsd_engine.domain.events import Who
from gsd_engine.effects.tmux import PaneRef, identify
from gsd_engine.errors import NotFoundError
from gsd_engine.registry import Agent, HookSettings, Registry, RegistryError, load_registry
from gsd_engine.store import sessions
from gsd_engine.store.database import Database

Identify = Callable[[Mapping[str, str]], PaneRef | None]


@dataclass(frozen=True)
class Managed:
    """A hook of a session that an enabled agent of the registry names."""

    who: Who
    agent: Agent
    settings: HookSettings


@dataclass(frozen=True)
class NotOurs:
    """A hook the engine keeps out of; `why` is for the debug log."""

    why: str


def identify_hook(
    config: Config,
    environ: Mapping[str, str],
    *,
    claude_session_id: str | None,
    transcript_path: str | None,
    cwd: str | None,
    model: str | None,
    identify: Identify = identify,
) -> Managed | NotOurs:
    """The guards, in their order: not in tmux, unmanaged, agent disabled."""
    pane = identify(environ)
    if pane is None:
        return NotOurs("not in tmux")
    registry = load_registry(config.registry_path)
    agent = registry.agent_for_session(pane.session_name, enabled_only=False)
    if agent is None:
        return NotOurs("unmanaged")
    if not agent.enabled:
        return NotOurs("agent disabled")
    who = Who(
        host=config.host,
        name=pane.session_name,
        agent_id=agent.agent_id,
        socket=pane.socket,
        pane_id=pane.pane_id,
        claude_session_id=claude_session_id,
        transcript_path=transcript_path,
        cwd=cwd,
        model=model,
    )
    return Managed(who, agent, registry.settings_for(agent))


def session_by_name(config: Config, database: Database, name: str) -> Who:
    """A session someone names on the command line: one that was heard of, or one that an enabled agent names."""
    with database.read() as connection:
        row = sessions.by_name(connection, config.host, name)
        known = [session.name for session in sessions.everyone(connection)]
    if row is not None:
        return Who(host=row.host, name=row.name)
    agent = _registry_or_empty(config).agent_for_session(name)
    if agent is None:
        heard_of = f"known are {', '.join(known)}" if known else "no session has been heard of yet"
        raise NotFoundError(f"no session {name!r}: {heard_of}, and no enabled agent of the registry names it")
    return Who(host=config.host, name=name, agent_id=agent.agent_id)


def answer_transport(config: Config, session: str) -> str:
    """What the registry allows for answers in this session."""
    registry = _registry_or_empty(config)
    agent = registry.agent_for_session(session)
    return registry.settings_for(agent).answer_transport if agent is not None else "auto"


def _registry_or_empty(config: Config) -> Registry:
    """A broken registry is told by `registry validate` and `doctor`; here it only knows nobody."""
    try:
        return load_registry(config.registry_path)
    except RegistryError:
        return Registry(version=1)
