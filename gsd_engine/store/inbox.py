"""inbox: wake messages as they were rendered, whether or not a gateway took them."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, Text, UniqueConstraint

from gsd_engine.store.schema import Timestamp, table

inbox = table(
    "inbox",
    Column("effect_id", Integer, ForeignKey("effects.id"), nullable=False),
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("delivered_by", Text),
    Column("created_at", Timestamp, nullable=False),
    Column("read_at", Timestamp),
    # A wake that is tried again is the same message.
    UniqueConstraint("effect_id"),
)
Index("ix_inbox_session_id_id", inbox.c.session_id, inbox.c.id)
