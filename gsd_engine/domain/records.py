"""Row images: what a decision sees of the store, and what it wants to become of it.

Each class is one table; its fields are the columns, by the same names. Frozen: a changed record is a new record, and
`decide/draft.py` keeps what changed. A record that is not in the store yet has a negative id, which stands for the
id it will get; other new records may refer to it by that number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from gsd_engine.domain.states import (
    AnswerState,
    CommandState,
    DecisionState,
    DeliveryState,
    EffectState,
    LoopState,
    PipelineState,
    QuestionState,
    QueueState,
    RunState,
    SessionState,
    StepState,
)

Json = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Record:
    """A row. `machine` names the lifecycle that alone may change its `state`."""

    machine: ClassVar[str | None] = None
    id: int = 0


@dataclass(frozen=True, kw_only=True)
class Session(Record):
    """A tmux session, by exact name on one host. Claude's own session id changes at every /clear."""

    machine = "session"
    host: str
    name: str
    state: SessionState = "starting"
    agent_id: str | None = None
    socket: str | None = None
    pane_id: str | None = None
    claude_session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    model: str | None = None
    failure: str | None = None
    context_percent: int | None = None
    woken_for: str | None = None  # the turn the agent was last woken for: the same Stop twice wakes once
    first_seen_at: datetime
    last_event_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Queue(Record):
    machine = "queue"
    session_id: int
    state: QueueState = "active"
    reason: str | None = None
    created_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Command(Record):
    machine = "command"
    queue_id: int
    position: int
    command: str
    awaits_hook: str
    awaits_sub: str | None = None
    state: CommandState = "pending"
    prompt_id: str | None = None
    accepted_at: datetime | None = None
    result: str | None = None
    reason: str | None = None
    completed_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Delivery(Record):
    """One text for one pane. `purpose` says whose: a queue's command, a redirect, a nudge, a loop's next iteration."""

    machine = "delivery"
    session_id: int
    command_id: int | None = None
    purpose: str = "command"
    text: str
    state: DeliveryState = "staged"
    transport: str | None = None
    reason: str | None = None
    prompt_id: str | None = None
    enter_presses: int = 0
    staged_at: datetime
    typed_at: datetime | None = None
    settled_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Question(Record):
    machine = "question"
    session_id: int
    tool_use_id: str
    prompt_id: str | None = None
    questions: Sequence[Json]
    running_command: str | None = None
    state: QuestionState = "asked"
    reason: str | None = None
    held_at: datetime | None = None
    asked_at: datetime
    closed_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class PendingAnswer(Record):
    machine = "pending_answer"
    question_id: int
    state: AnswerState = "intended"
    transport: str | None = None
    actions: Sequence[Json]
    received: Json | None = None
    reason: str | None = None
    intended_at: datetime
    submitted_at: datetime | None = None
    settled_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Loop(Record):
    """A loop belongs to `key`: a tmux session, else a Claude session id, else a working directory."""

    machine = "loop"
    key: str
    state: LoopState = "IDLE"
    reason: str | None = None
    blocks: int = 0  # consecutive blocks since the last typed prompt: Claude Code caps them
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class LoopFrame(Record):
    loop_id: int
    depth: int
    mode: str
    iter: int = 0
    max: int = 10
    prompt_file: str | None = None
    fields: Json | None = None
    pushed_at: datetime
    popped_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class AgentRun(Record):
    machine = "agent_run"
    session_id: int
    agent: str
    step_id: int | None = None
    state: RunState = "running"
    reason: str | None = None
    prompt: str | None = None
    on_stop: Json
    on_idle: Json | None = None
    on_dead: Json | None = None
    on_error: Sequence[Json] | None = None
    attempts: Json | None = None
    signal: Json | None = None
    started_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Pipeline(Record):
    machine = "pipeline"
    name: str
    runbook_path: str
    runbook: Json
    variables: Json
    state: PipelineState = "running"
    reason: str | None = None
    started_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class PipelineStep(Record):
    machine = "pipeline_step"
    pipeline_id: int
    position: int
    name: str
    definition: Json
    state: StepState = "pending"
    reason: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """What only a person can decide. Without a run it belongs to its session."""

    machine = "decision"
    run_id: int | None = None
    session_id: int | None = None
    cause: str
    title: str
    body: str | None = None
    options: Sequence[Json]
    state: DecisionState = "open"
    chosen: str | None = None
    opened_at: datetime
    closed_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class EffectRow(Record):
    """An effect in the outbox. `kind` and `payload` are an effect of `domain/effects.py`; `host` owns the pane."""

    machine = "effect"
    event_id: int
    session_id: int | None = None
    kind: str
    payload: Json
    host: str
    repeatable: bool
    state: EffectState = "pending"
    attempts: int = 0
    reason: str | None = None
    due_at: datetime
    claimed_by: str | None = None
    lease_until: datetime | None = None
    created_at: datetime
    settled_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class InboxMessage(Record):
    """A wake message as it was rendered for the agent; kept whether or not a gateway took it."""

    effect_id: int
    session_id: int
    agent_id: str
    trigger: str
    message: str
    delivered_by: str | None = None
    created_at: datetime
    read_at: datetime | None = None
