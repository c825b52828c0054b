"""What happened. Every change of state begins with one of these, handed to `engine.step`.

Three sources: hooks of Claude Code, requests from the command line, and reports of what the engine itself did or found
(effects, timers, recovery). `key` is the natural key by which the same event, delivered twice, is recognised; events
that may truly repeat with equal content (a Stop of a loop, a compaction) have none and are settled by receipts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal

Source = Literal["hook", "request", "report"]


@dataclass(frozen=True, kw_only=True)
class Who:
    """Whose event it is: the tmux session, and what Claude Code and the registry say about it."""

    host: str
    name: str
    agent_id: str | None = None
    socket: str | None = None
    pane_id: str | None = None
    claude_session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class Event:
    """`who` is a session as seen from outside, or the id of one that is already in the store."""

    source: ClassVar[Source] = "hook"
    who: Who | int

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def key(self) -> str | None:
        return None


# ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class SessionStarted(Event):
    how: str  # startup, resume, clear, compact, fork

    @property
    def key(self) -> str | None:
        """Startup and clear come with a session id that is used once; the others may repeat with the same one."""
        if self.how in ("startup", "clear") and isinstance(self.who, Who) and self.who.claude_session_id:
            return f"SessionStart:{self.how}:{self.who.claude_session_id}"
        return None


@dataclass(frozen=True, kw_only=True)
class PromptSubmitted(Event):
    prompt: str
    prompt_id: str | None = None
    by_person: bool = True  # as far as the payload tells; the engine's own text is told apart by its delivery

    @property
    def key(self) -> str | None:
        if self.prompt_id is None:
            return None
        digest = hashlib.sha256(self.prompt.encode(errors="surrogatepass")).hexdigest()[:16]
        return f"UserPromptSubmit:{self.prompt_id}:{digest}"


@dataclass(frozen=True, kw_only=True)
class Stopped(Event):
    prompt_id: str | None = None
    stop_hook_active: bool = False
    message: str = ""
    background: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, kw_only=True)
class StopFailed(Event):
    error: str
    message: str = ""
    prompt_id: str | None = None

    @property
    def key(self) -> str | None:
        return f"StopFailure:{self.prompt_id}" if self.prompt_id else None


@dataclass(frozen=True, kw_only=True)
class QuestionAsked(Event):
    tool_use_id: str
    questions: Sequence[Mapping[str, Any]]
    prompt_id: str | None = None

    @property
    def key(self) -> str | None:
        return f"PreToolUse:{self.tool_use_id}"


@dataclass(frozen=True, kw_only=True)
class AnswerWanted(Event):
    """PermissionRequest for AskUserQuestion (no tool_use_id): the hook may be held open for the agent's answer."""

    questions: Sequence[Mapping[str, Any]]
    wait_seconds: float = 0  # how long the hook may be held; 0: not at all


@dataclass(frozen=True, kw_only=True)
class QuestionAnswered(Event):
    tool_use_id: str
    answers: Mapping[str, Any]
    annotations: Mapping[str, Any]

    @property
    def key(self) -> str | None:
        return f"PostToolUse:{self.tool_use_id}"


@dataclass(frozen=True, kw_only=True)
class WentIdle(Event):
    prompt_id: str | None = None

    @property
    def key(self) -> str | None:
        return f"idle_prompt:{self.prompt_id}" if self.prompt_id else None


@dataclass(frozen=True, kw_only=True)
class PermissionPrompted(Event):
    """Several dialogs of one turn share its prompt_id: no key."""

    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Compacting(Event):
    """A long turn may compact itself more than once under one prompt_id: no key."""

    trigger: str = "auto"
    prompt_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class SessionFinished(Event):
    """A resumed session may end twice with the same id and reason: no key; the second end finds it ended."""

    reason: str = "other"


@dataclass(frozen=True, kw_only=True)
class Observed(Event):
    """A hook that is recorded and decides nothing: a subagent's, or one the engine has no rule for."""

    hook: str
    why: str


# ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Request(Event):
    source = "request"


@dataclass(frozen=True, kw_only=True)
class QueueRequested(Request):
    commands: Sequence[str]
    replace: bool = False


@dataclass(frozen=True, kw_only=True)
class QueueCancelRequested(Request):
    reason: str = "cancelled by request"


@dataclass(frozen=True, kw_only=True)
class SpawnRequested(Request):
    """Claude Code is about to be started in this session; committed before tmux is asked to."""

    resume: str | None = None  # the Claude session that is gone on with
    first_command: str | None = None  # queued once the session waits at its prompt


@dataclass(frozen=True, kw_only=True)
class KillRequested(Request):
    """The session is about to be ended; committed before tmux is asked to."""


@dataclass(frozen=True, kw_only=True)
class AnswerRequested(Request):
    """The agent's answer to the open question. `transport` is what the registry allows: auto, hook or keys."""

    actions: Any
    transport: str = "auto"


# ── reports ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Report(Event):
    source = "report"


@dataclass(frozen=True, kw_only=True)
class TypingBegan(Report):
    """Committed immediately before the first key goes out: from here on the text may stand in the pane."""

    delivery_id: int
    transport: str


@dataclass(frozen=True, kw_only=True)
class AnswerSubmitted(Report):
    """Committed before the open hook returns the answer, or before the first key of it goes out."""

    question_id: int
    transport: str


@dataclass(frozen=True, kw_only=True)
class HoldEnded(Report):
    """The hook that was held for an answer is gone: `escaped` (a person pressed Esc), `expired` or `released`."""

    question_id: int
    how: Literal["escaped", "expired", "released"]


@dataclass(frozen=True, kw_only=True)
class EffectReport(Report):
    """What became of an effect."""

    effect_id: int
    outcome: Literal["done", "retry", "failed", "lost"]
    attempt: int | None = None  # whose report it is: one whose lease ended does not speak for the next
    reason: str | None = None
    retry_at: datetime | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class SessionLost(Report):
    """The pane or its process is gone, and no hook had said that Claude Code ended."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class FoundIdle(Report):
    """A session that was silent for long stands at its prompt. An interrupt sends no hook: this is how it is seen.

    `silent_since` is the session's last hook when its screen was read: if one came since, the look says nothing.
    """

    silent_since: datetime
