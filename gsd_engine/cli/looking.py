"""How commands for the operator look at the store: in this process, so that they work when nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click
from sqlalchemy import Connection

from gsd_engine.cli.output import local
from gsd_engine.cli.runtime import Runtime, opened
from gsd_engine.config import Config
from gsd_engine.errors import NotFoundError
from gsd_engine.resident.starting import is_locked
from gsd_engine.store import sessions

session_option = click.option("--session", metavar="NAME", help="Only this tmux session, by exact name.")
limit_option = click.option("--limit", type=click.IntRange(1), default=40, show_default=True, help="How many, at most.")


@contextmanager
def looking() -> Iterator[tuple[Runtime, Connection]]:
    with opened() as runtime, runtime.database.read() as connection:
        yield runtime, connection


def is_performing(config: Config) -> bool:
    """Whether a process is there that performs effects: the resident engine, or a drain."""
    return is_locked(config) or is_locked(config, "drain.lock")


def session_id(connection: Connection, config: Config, name: str | None) -> int | None:
    if name is None:
        return None
    row = sessions.by_name(connection, config.host, name)
    if row is None:
        known = ", ".join(session.name for session in sessions.everyone(connection)) or "none"
        raise NotFoundError(f"no session {name!r} has been heard of; known are: {known}")
    return row.id


def names(connection: Connection) -> dict[int | None, str]:
    return {session.id: session.name for session in sessions.everyone(connection)}


def shown_time(value: datetime | None) -> str:
    return local(value) if value is not None else "-"


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its times as UTC text."""
    return {key: _utc(value) if isinstance(value, datetime) else value for key, value in row.items()}


def _utc(value: datetime) -> str:
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
