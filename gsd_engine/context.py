"""Who is this? From the environment, the payload and the registry to a session the engine may act for."""

from __future__ import annotations

from gsd_engine.config import Config
from gsd_engine.domain.events import Who
from gsd_engine.errors import NotFoundError
from gsd_engine.registry import RegistryError, load_registry
from gsd_engine.store import sessions
from gsd_engine.store.database import Database


def session_by_name(config: Config, database: Database, name: str) -> Who:
    """A session someone names on the command line: one that was heard of, or one that an enabled agent names."""
    with database.read() as connection:
        row = sessions.by_name(connection, config.host, name)
        known = [session.name for session in sessions.everyone(connection)]
    if row is not None:
        return Who(host=row.host, name=row.name)
    try:
        registry = load_registry(config.registry_path)
    except RegistryError:
        registry = None
    agent = registry.agent_for_session(name) if registry is not None else None
    if agent is None:
        heard_of = f"known are {', '.join(known)}" if known else "no session has been heard of yet"
        raise NotFoundError(f"no session {name!r}: {heard_of}, and no enabled agent of the registry names it")
    return Who(host=config.host, name=name, agent_id=agent.agent_id)
