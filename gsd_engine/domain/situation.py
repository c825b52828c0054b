"""Everything the store says about one session at one moment, for a person who asks what is going on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gsd_engine.domain.records import (
    AgentRun,
    Command,
    Decision,
    Delivery,
    EffectRow,
    Loop,
    LoopFrame,
    PendingAnswer,
    Pipeline,
    PipelineStep,
    Question,
    Queue,
    Session,
)


@dataclass(frozen=True, kw_only=True)
class LastEvent:
    """The newest hook that came from a session; `name` is what Claude Code calls it."""

    id: int
    name: str
    at: datetime
    path: str | None


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Newest or open rows of one session. Without `session` the registry names it, and no hook has come yet."""

    now: datetime
    name: str
    agent_id: str | None = None
    session: Session | None = None
    state_since: datetime | None = None  # when the session came into its state
    queue: Queue | None = None  # the newest
    commands: Sequence[Command] = ()  # of that queue, in order
    deliveries: Sequence[Delivery] = ()  # of that queue
    other_texts: Sequence[Delivery] = ()  # not of any queue, and not settled: a nudge, a redirect
    question: Question | None = None  # the open one
    answer: PendingAnswer | None = None  # the newest to that question
    loop: Loop | None = None  # the newest
    frames: Sequence[LoopFrame] = ()  # of that loop, deepest last
    run: AgentRun | None = None  # the unfinished one
    step: PipelineStep | None = None  # that the run belongs to
    pipeline: Pipeline | None = None
    decisions: Sequence[Decision] = ()  # open ones
    effects: Sequence[EffectRow] = ()  # pending and claimed, oldest first
    last_wake: EffectRow | None = None  # the newest wake, whatever became of it
    unread: int = 0  # messages that only the inbox has, and that nobody has read
    last_event: LastEvent | None = None
    performing: bool = True  # whether a process is there that performs effects

    @property
    def active_command(self) -> Command | None:
        if self.queue is None or self.queue.state != "active":
            return None
        return next((c for c in self.commands if c.state == "active"), None)

    @property
    def done(self) -> int:
        return sum(c.state == "done" for c in self.commands)

    @property
    def frame(self) -> LoopFrame | None:
        """The frame that iterates; of a finished loop the one that iterated last."""
        standing = [frame for frame in self.frames if frame.popped_at is None] or list(self.frames)
        return standing[-1] if standing else None

    def delivery_of(self, command: Command | None) -> Delivery | None:
        if command is None:
            return None
        return next((d for d in reversed(self.deliveries) if d.command_id == command.id), None)
