"""effects: the outbox. Written with the decision that wants them, claimed under a lease, settled by a report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Integer,
    Text,
    bindparam,
    exists,
    func,
    select,
    text,
)

from gsd_engine.domain.records import EffectRow
from gsd_engine.store.rows import many, one
from gsd_engine.store.schema import (
    Flag,
    JsonText,
    Timestamp,
    ends_with,
    partial_index,
    state_check,
    state_column,
    table,
)

effects = table(
    "effects",
    Column("event_id", Integer, ForeignKey("events.id"), nullable=False),
    Column("session_id", Integer, ForeignKey("sessions.id")),
    Column("kind", Text, nullable=False),
    Column("payload", JsonText, nullable=False),
    Column("host", Text, nullable=False),
    Column("repeatable", Flag, nullable=False),
    state_column(),
    Column("attempts", Integer, nullable=False),
    Column("reason", Text),
    Column("due_at", Timestamp, nullable=False),
    Column("claimed_by", Text),
    Column("lease_until", Timestamp),
    Column("created_at", Timestamp, nullable=False),
    Column("settled_at", Timestamp),
    state_check("effect"),
    ends_with("settled_at", "done", "failed", "uncertain", "dropped"),
    CheckConstraint("state <> 'claimed' OR (lease_until IS NOT NULL AND claimed_by IS NOT NULL)", name="lease"),
)

# What is left to do is a sliver of what was ever done.
partial_index(
    "ix_effects_open",
    effects.c.host,
    effects.c.due_at,
    where="state IN ('pending', 'claimed')",
)
partial_index(
    "ix_effects_open_of_session",
    effects.c.session_id,
    where="state IN ('pending', 'claimed')",
)

_BY_ID = select(effects).where(effects.c.id == bindparam("effect_id"))
_OPEN = text("effects.state IN ('pending', 'claimed')")  # literally, or SQLite does not see that the index fits
_PENDING_OF_SESSION = (
    select(effects)
    .where(effects.c.session_id == bindparam("session_id"), _OPEN, effects.c.state == "pending")
    .order_by(effects.c.id)
)
_under_way = effects.alias("under_way")
_ANOTHER_UNDER_WAY = exists().where(
    text("under_way.state IN ('pending', 'claimed')"),
    _under_way.c.state == "claimed",
    _under_way.c.session_id == effects.c.session_id,
    _under_way.c.kind == effects.c.kind,
)
_DUE = (
    select(effects)
    .where(
        effects.c.host == bindparam("host"),
        _OPEN,
        effects.c.state == "pending",
        effects.c.due_at <= bindparam("now"),
        ~_ANOTHER_UNDER_WAY,  # texts are typed and wakes are told in the order in which they were wanted
    )
    .order_by(effects.c.due_at, effects.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_EXPIRED = (
    select(effects)
    .where(
        effects.c.host == bindparam("host"),
        _OPEN,
        effects.c.state == "claimed",
        effects.c.lease_until < bindparam("now"),
    )
    .order_by(effects.c.id)
)
_NEXT_DUE = select(func.min(effects.c.due_at)).where(
    effects.c.host == bindparam("host"), _OPEN, effects.c.state == "pending", ~_ANOTHER_UNDER_WAY
)

_ANY_OPEN = select(effects.c.id).where(effects.c.host == bindparam("host"), _OPEN).limit(1)


def by_id(connection: Connection, effect_id: int) -> EffectRow | None:
    return one(connection, EffectRow, _BY_ID, effect_id=effect_id)


def pending_of_session(connection: Connection, session_id: int) -> list[EffectRow]:
    return many(connection, EffectRow, _PENDING_OF_SESSION, session_id=session_id)


def next_due(connection: Connection, host: str, now: datetime) -> EffectRow | None:
    return one(connection, EffectRow, _DUE, host=host, now=now)


def expired(connection: Connection, host: str, now: datetime) -> list[EffectRow]:
    return many(connection, EffectRow, _EXPIRED, host=host, now=now)


def next_time(connection: Connection, host: str) -> datetime | None:
    """When the earliest effect is due that someone could claim."""
    found = connection.execute(_NEXT_DUE, {"host": host}).scalar()
    return found if found is None or isinstance(found, datetime) else datetime.fromisoformat(found)


def any_open(connection: Connection, host: str) -> bool:
    """Whether anything is pending or under way: a performer that died leaves its claim."""
    return connection.execute(_ANY_OPEN, {"host": host}).first() is not None


def newest(
    connection: Connection, session_id: int | None, states: Sequence[str] | None, limit: int
) -> list[dict[str, Any]]:
    """The last so many effects in one of these states (None: any), oldest first."""
    query = select(effects).order_by(effects.c.id.desc()).limit(limit)
    if session_id is not None:
        query = query.where(effects.c.session_id == session_id)
    if states is not None:
        query = query.where(effects.c.state.in_(states))
    return [dict(row._mapping) for row in connection.execute(query)][::-1]
