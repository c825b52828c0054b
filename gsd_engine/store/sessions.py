"""sessions: one row per tmux session name and host, as its hooks tell it."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Connection, Integer, Text, UniqueConstraint, bindparam, select

from gsd_engine.domain.records import Session
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import Timestamp, ends_with, state_check, state_column, table

sessions = table(
    "sessions",
    Column("host", Text, nullable=False),
    Column("name", Text, nullable=False),
    state_column(),
    Column("agent_id", Text),
    Column("socket", Text),
    Column("pane_id", Text),
    Column("claude_session_id", Text),
    Column("transcript_path", Text),
    Column("cwd", Text),
    Column("model", Text),
    Column("failure", Text),
    Column("context_percent", Integer),
    Column("woken_for", Text),
    Column("first_seen_at", Timestamp, nullable=False),
    Column("last_event_at", Timestamp, nullable=False),
    Column("ended_at", Timestamp),
    UniqueConstraint("host", "name"),
    state_check("session"),
    ends_with("ended_at", "ended", "lost"),
    CheckConstraint("state <> 'failing' OR failure IS NOT NULL", name="failure"),
)

# Locked for the length of the transaction: on PostgreSQL this row is what serialises the events of one session.
_BY_NAME = (
    select(sessions).where(sessions.c.host == bindparam("host"), sessions.c.name == bindparam("name")).with_for_update()
)
_BY_ID = select(sessions).where(sessions.c.id == bindparam("session_id")).with_for_update()
_ALL = select(sessions).order_by(sessions.c.name)


def by_name(connection: Connection, host: str, name: str) -> Session | None:
    return one(connection, Session, _BY_NAME, host=host, name=name)


def by_id(connection: Connection, session_id: int) -> Session | None:
    return one(connection, Session, _BY_ID, session_id=session_id)


def everyone(connection: Connection) -> list[Session]:
    return many(connection, Session, _ALL)
