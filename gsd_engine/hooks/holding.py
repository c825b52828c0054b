"""A PermissionRequest hook that is held open for the agent's answer.

Whoever holds it (the resident engine, or the hook's own process) looks now and then. The answer is submitted by a step
of its own, committed before it is handed over. The hook is let go without a word when a person was first, when the
wait is over, or when the engine leaves.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gsd_engine.domain.events import AnswerSubmitted, HoldEnded
from gsd_engine.domain.replies import Hold
from gsd_engine.engine import Engine
from gsd_engine.errors import Refusal
from gsd_engine.hooks.reply import SILENCE, Output, output_for
from gsd_engine.store import pending_answers, questions


@dataclass
class Held:
    """Ask `look` until it gives an output; then write that."""

    engine: Engine
    hold: Hold
    tool_input: Mapping[str, Any]
    began: float = field(default_factory=time.monotonic)

    def look(self) -> Output | None:
        with self.engine.database.read() as connection:
            question = questions.by_id(connection, self.hold.question_id)
            answer = pending_answers.open_of_session(connection, question.session_id) if question is not None else None
        if question is None or question.state not in ("asked", "answered"):
            return SILENCE
        if answer is not None and (answer.state, answer.transport) == ("intended", "hook"):
            return self._submit(question.session_id)
        if time.monotonic() - self.began > self.hold.seconds:
            self.end("expired")
            return SILENCE
        return None

    def _submit(self, session_id: int) -> Output:
        event = AnswerSubmitted(who=session_id, question_id=self.hold.question_id, transport="hook")
        try:
            outcome = self.engine.step(event)
        except Refusal:
            return SILENCE  # closed, or taken by another one, between the look and the step
        return output_for(outcome.reply, self.tool_input)

    def end(self, how: Literal["escaped", "expired", "released"]) -> None:
        with self.engine.database.read() as connection:
            question = questions.by_id(connection, self.hold.question_id)
        if question is not None and question.state in ("asked", "answered"):
            self.engine.step(HoldEnded(who=question.session_id, question_id=question.id, how=how))
