"""AskUserQuestion: asked, and closed again by whatever ends it. One open per session, and never one left behind."""

from __future__ import annotations

from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import Wake
from gsd_engine.domain.events import AnswerWanted, QuestionAnswered, QuestionAsked
from gsd_engine.domain.records import Question
from gsd_engine.rules.questions import readable_questions


def asked(draft: Draft, world: World, event: QuestionAsked) -> str:
    abandon(draft, world, "another question was asked")
    command = world.active_command.command if world.active_queue and world.active_command else None
    draft.add(
        Question(
            session_id=world.session.id,
            tool_use_id=event.tool_use_id,
            prompt_id=event.prompt_id,
            questions=event.questions,
            running_command=command,
            asked_at=draft.now,
        )
    )
    content = readable_questions(world.session.name, event.questions, command)
    draft.want(Wake(trigger="question", state="menu", content=content))
    return "question/asked"


def answer_wanted(draft: Draft, world: World, event: AnswerWanted) -> str:
    return "question/shown"


def answered(draft: Draft, world: World, event: QuestionAnswered) -> str:
    """What Claude received. Nobody but a person can have answered a question that has no answer of the agent's."""
    question = world.question
    if question is None or question.tool_use_id != event.tool_use_id:
        return "question/not_open"
    draft.fire(question, "take_over", "answered at the keyboard", closed_at=draft.now)
    return "question/taken_over"


def abandon(draft: Draft, world: World, why: str) -> None:
    if world.question is not None:
        draft.fire(world.question, "abandon", why, closed_at=draft.now)
