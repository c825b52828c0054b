"""loops: the loop gate's state, keyed by tmux session, else by Claude session id, else by working directory."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from gsd_engine.store.schema import Timestamp, partial_index, state_check, state_column, table

loops = table(
    "loops",
    Column("key", Text, nullable=False),
    state_column(),
    Column("reason", Text),
    Column("blocks", Integer, nullable=False),
    Column("created_at", Timestamp, nullable=False),
    Column("updated_at", Timestamp, nullable=False),
    Column("ended_at", Timestamp),
    state_check("loop"),
)

# Two unfinished loops for one key would count iterations of each other.
partial_index(
    "uq_loops_one_unfinished_per_key",
    loops.c.key,
    unique=True,
    where="state IN ('ACTIVE', 'COMPLETING')",
)
