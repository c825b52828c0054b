"""What a hook is told, free of exit codes and JSON; `hooks/reply.py` knows how Claude Code wants to hear it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LetGo:
    """Nothing to say: the turn, the stop or the tool goes its way."""


@dataclass(frozen=True)
class Block:
    """Hold the stop and give Claude the reason. `loud`: exit 2 with the reason on stderr too (the loop gate)."""

    reason: str
    loud: bool = False


@dataclass(frozen=True)
class Answer:
    """Answers for an AskUserQuestion, by question text."""

    answers: Mapping[str, Any]
    annotations: Mapping[str, Any]


@dataclass(frozen=True)
class Deny:
    """Refuse the tool call and tell Claude why: the redirect without keys."""

    message: str


@dataclass(frozen=True)
class Hold:
    """Keep the hook open until this question has an answer, or for so long."""

    question_id: int
    seconds: float


Reply = LetGo | Block | Answer | Deny | Hold
LET_GO = LetGo()
