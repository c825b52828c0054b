"""loop_frames: the stack of a loop. The frame of greatest depth that is not popped is the one that iterates."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text

from gsd_engine.store.schema import JsonText, Timestamp, partial_index, table

loop_frames = table(
    "loop_frames",
    Column("loop_id", Integer, ForeignKey("loops.id"), nullable=False),
    Column("depth", Integer, nullable=False),
    Column("mode", Text, nullable=False),
    Column("iter", Integer, nullable=False),
    Column("max", Integer, nullable=False),
    Column("prompt_file", Text),
    Column("fields", JsonText),
    Column("pushed_at", Timestamp, nullable=False),
    Column("popped_at", Timestamp),
    CheckConstraint("mode IN ('loop', 'issue', 'grind')", name="mode"),
    CheckConstraint("iter >= 0", name="iter"),
)

# A stack has one frame at each depth.
partial_index(
    "uq_loop_frames_one_per_depth",
    loop_frames.c.loop_id,
    loop_frames.c.depth,
    unique=True,
    where="popped_at IS NULL",
)
