"""What a decision sees, and what it is: the two values on either side of the pure part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from gsd_engine.domain.effects import Effect
from gsd_engine.domain.records import (
    Command,
    Decision,
    Delivery,
    EffectRow,
    PendingAnswer,
    Question,
    Queue,
    Record,
    Session,
)
from gsd_engine.domain.replies import LET_GO, Reply


@dataclass(frozen=True, kw_only=True)
class World:
    """The rows that an event may touch, as they are inside its transaction."""

    now: datetime
    session: Session
    queue: Queue | None = None  # the newest of the session: the active one if there is any
    commands: Sequence[Command] = ()  # of that queue, in order
    deliveries: Sequence[Delivery] = ()  # of the session: not settled, in doubt, or of that queue
    question: Question | None = None  # the open one of the session
    answer: PendingAnswer | None = None  # the agent's to it, or a redirect whose text is still owed
    decisions: Sequence[Decision] = ()  # open ones of the session
    pending_effects: Sequence[EffectRow] = ()  # of the session, not yet claimed
    effect: EffectRow | None = None  # the one a report is about

    @property
    def active_queue(self) -> Queue | None:
        return self.queue if self.queue is not None and self.queue.state == "active" else None

    @property
    def active_command(self) -> Command | None:
        return next((c for c in self.commands if c.state == "active"), None)

    def delivery_of(self, command: Command | None) -> Delivery | None:
        if command is None:
            return None
        return next((d for d in reversed(self.deliveries) if d.command_id == command.id), None)

    def command_of(self, delivery: Delivery) -> Command | None:
        return next((c for c in self.commands if c.id == delivery.command_id), None)

    def having(self, *records: Session | Queue | Command | Delivery) -> World:
        """The same world after these records have changed, for decisions of more than one move."""
        world = self
        for record in records:
            if isinstance(record, Session):
                world = replace(world, session=record)
            elif isinstance(record, Queue):
                world = replace(world, queue=record)
            elif isinstance(record, Command):
                world = replace(world, commands=[record if c.id == record.id else c for c in world.commands])
            else:
                world = replace(world, deliveries=[record if d.id == record.id else d for d in world.deliveries])
        return world


@dataclass(frozen=True)
class Insert:
    """A new row, and its first line of history."""

    record: Record
    reason: str | None = None


@dataclass(frozen=True)
class Move:
    """A transition along a table, with the columns that change with it."""

    record: Record  # as it was
    trigger: str
    target: str
    changes: Mapping[str, Any]
    reason: str | None = None


@dataclass(frozen=True)
class Patch:
    """Columns that change while the state stays."""

    record: Record
    changes: Mapping[str, Any]


Change = Insert | Move | Patch


@dataclass(frozen=True)
class Scheduled:
    effect: Effect
    due_at: datetime


@dataclass(frozen=True)
class Verdict:
    """What is to become of an event: rows, effects, reply, and the path that led there."""

    path: str
    reply: Reply = LET_GO
    changes: Sequence[Change] = field(default_factory=tuple)
    effects: Sequence[Scheduled] = field(default_factory=tuple)
