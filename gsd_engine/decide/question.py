"""AskUserQuestion: asked, answered by the agent or by a person, and closed by whatever ends it; never one left behind.

The agent's answer is an intent first (`answer_requested`). It is submitted by one transport only: the hook that is held
open for it, or keys. What Claude received (`answered`) is compared with the intent. A person always wins: an answer
of ours that has not been submitted is void as soon as theirs is there.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from gsd_engine.decide import queue
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import AwaitHook, KeyAnswer, Wake
from gsd_engine.domain.events import (
    AnswerRequested,
    AnswerSubmitted,
    AnswerWanted,
    EffectReport,
    HoldEnded,
    QuestionAnswered,
    QuestionAsked,
)
from gsd_engine.domain.records import PendingAnswer, Question
from gsd_engine.domain.replies import Answer, Deny, Hold
from gsd_engine.errors import Refusal
from gsd_engine.rules import answers, keystrokes
from gsd_engine.rules.questions import mismatch, readable_questions

HOOK_IS_COMING = timedelta(seconds=10)
"""The wake precedes the hook that can carry the answer by a moment; later than this it is not coming any more."""

HOOK_TAKES_IT_WITHIN = timedelta(seconds=5)


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
    """The hook that can carry the answer is here: it is held, if the registry allows it."""
    question = world.question
    if question is None or list(question.questions) != list(event.questions):
        return "question/not_open"
    if event.wait_seconds <= 0:
        return "question/shown"
    draft.patch(question, held_at=draft.now)
    draft.reply(Hold(question.id, event.wait_seconds))
    return "question/held"


def answer_requested(draft: Draft, world: World, event: AnswerRequested) -> str:
    question = _answerable(world)
    actions = answers.checked_actions(question.questions, event.actions)
    transport = _transport(draft, question, event.transport)
    if transport == "keys":
        keystrokes.plan(question.questions, actions)  # refuses what keys cannot say
    answer = draft.add(
        PendingAnswer(question_id=question.id, transport=transport, actions=actions, intended_at=draft.now)
    )
    draft.fire(question, "answer")
    if transport == "keys":
        draft.want(KeyAnswer(answer_id=answer.id))
    else:
        draft.want(AwaitHook(answer_id=answer.id, then_keys=event.transport == "auto"), HOOK_TAKES_IT_WITHIN)
    return f"answer/intended/{transport}"


def _answerable(world: World) -> Question:
    question, name = world.question, world.session.name
    if question is None:
        raise Refusal(
            f"session {name} has no open question: it was answered at the keyboard, or went away "
            f"(gsd-engine question show --session {name})"
        )
    if question.state != "asked":
        raise Refusal(f"question {question.id} of {name} is answered already; wait for what Claude makes of it")
    return question


def _transport(draft: Draft, question: Question, allowed: str) -> Literal["hook", "keys"]:
    if allowed == "keys":
        return "keys"
    by_hook = question.held_at is not None or draft.now - question.asked_at < HOOK_IS_COMING
    if allowed == "hook" and not by_hook:
        raise Refusal("no hook is open for this question any more, and the registry allows no keys (answer_transport)")
    return "hook" if by_hook else "keys"


def answer_submitted(draft: Draft, world: World, event: AnswerSubmitted) -> str:
    """The last look before it goes out: the question is open, the answer is this transport's to submit, once."""
    question, answer = world.question, world.answer
    if question is None or answer is None or not question.id == event.question_id == answer.question_id:
        raise Refusal(f"question {event.question_id} is closed, or has no answer")
    if (answer.state, answer.transport) != ("intended", event.transport):
        raise Refusal(f"the answer to question {question.id} is {answer.state} by {answer.transport}")
    answer = draft.fire(answer, "submit", submitted_at=draft.now)
    if event.transport == "keys":
        return "answer/submitted/keys"
    if answers.is_redirect(answer.actions):
        draft.reply(Deny(str(answer.actions[0]["text"])))
        draft.fire(answer, "match", "redirected", settled_at=draft.now)
        draft.fire(question, "redirect", "the agent talks about it instead", closed_at=draft.now)
        return "answer/redirected/hook"
    draft.reply(Answer(*answers.handed_over(question.questions, answer.actions)))
    return "answer/submitted/hook"


def hook_awaited(draft: Draft, world: World, effect: AwaitHook) -> str:
    """No hook took the answer in time (it was killed, or the engine was): by keys then, or back to the agent."""
    answer, question = world.answer, world.question
    if answer is None or question is None or (answer.id, answer.state) != (effect.answer_id, "intended"):
        return "answer/taken"
    if effect.then_keys and keystrokes.can_be_keyed(question.questions, answer.actions):
        draft.patch(answer, transport="keys")
        draft.patch(question, held_at=None)
        draft.want(KeyAnswer(answer_id=answer.id))
        return "answer/by_keys_instead"
    _give_back(draft, world, question, answer, "no hook was open to take the answer")
    return "answer/given_back"


def keys_reported(draft: Draft, world: World, event: EffectReport, answer_id: int) -> str:
    """What became of keying: a redirect is known at once, everything else is proven by what Claude received."""
    answer, question = world.answer, world.question
    if answer is None or question is None or answer.id != answer_id:
        return "answer/settled_meanwhile"
    if event.outcome == "failed" and answer.state == "intended":
        _give_back(draft, world, question, answer, event.reason or "refused")
        return "answer/given_back"
    if event.outcome == "failed":
        content = f"Keying your answer stopped: {event.reason}. Look at the pane; nothing more will be pressed."
        draft.want(Wake(trigger="delivery_uncertain", state="menu", content=content, show_pane=True))
        return "answer/keys_stopped"
    if (event.detail or {}).get("redirected"):
        draft.fire(question, "redirect", "the agent talks about it instead", closed_at=draft.now)
        return "answer/redirected/keys"
    return "answer/keyed"


def _give_back(draft: Draft, world: World, question: Question, answer: PendingAnswer, why: str) -> None:
    draft.fire(answer, "void", why, settled_at=draft.now)
    draft.fire(question, "reopen", why)
    again = readable_questions(world.session.name, question.questions, question.running_command)
    content = f"Your answer was not submitted: {why}. The question is still open; answer it again.\n\n{again}"
    draft.want(Wake(trigger="question", state="menu", content=content))


def consume_stop(draft: Draft, world: World) -> str | None:
    """The text that is owed to Claude after "Chat about this" by keys: its turn is over, now it can be typed."""
    owed = world.answer
    if owed is None or world.question is not None or not answers.is_redirect(owed.actions):
        return None
    draft.fire(owed, "match", "redirected", settled_at=draft.now)
    queue.stage(draft, world.session, str(owed.actions[0]["text"]), purpose="redirect")
    return "stop/redirect"


def answered(draft: Draft, world: World, event: QuestionAnswered) -> str:
    """What Claude received."""
    question, answer = world.question, world.answer
    if question is None or question.tool_use_id != event.tool_use_id:
        return "question/not_open"
    received = {"answers": dict(event.answers), "annotations": dict(event.annotations)}
    if answer is not None and answer.state == "submitted":
        return _verify(draft, world, question, answer, event)
    if answer is not None:
        draft.fire(answer, "void", "a person was first", received=received, settled_at=draft.now)
    draft.fire(question, "take_over", "answered at the keyboard", closed_at=draft.now)
    return "question/taken_over"


def _verify(draft: Draft, world: World, question: Question, answer: PendingAnswer, event: QuestionAnswered) -> str:
    received = {"answers": dict(event.answers), "annotations": dict(event.annotations)}
    if answers.is_redirect(answer.actions):
        wrong = [("the whole call", "chat", str(dict(event.answers)))]
    else:
        wrong = answers.differences(question.questions, answer.actions, event.answers, event.annotations)
    if not wrong:
        draft.fire(answer, "match", received=received, settled_at=draft.now)
        draft.fire(question, "verify", closed_at=draft.now)
        return "question/verified"
    reason = "; ".join(f"meant {intended}, received {got}" for _, intended, got in wrong)
    draft.fire(answer, "mismatch", reason, received=received, settled_at=draft.now)
    draft.fire(question, "mismatch", reason, closed_at=draft.now)
    content = mismatch(wrong, question.tool_use_id)
    draft.want(Wake(trigger="mismatch", state=world.session.state, content=content))
    return "question/mismatched"


def hold_ended(draft: Draft, world: World, event: HoldEnded) -> str:
    question = world.question
    if question is None or question.id != event.question_id:
        return "question/already_closed"
    if event.how == "escaped" and (world.answer is None or world.answer.state == "intended"):
        abandon(draft, world, "Esc was pressed")
        return "question/escaped"
    draft.patch(question, held_at=None)
    return f"question/{event.how}"


def abandon(draft: Draft, world: World, why: str) -> None:
    question, answer = world.question, world.answer
    if question is None:
        return
    if answer is not None and answer.question_id == question.id:
        draft.fire(answer, "void", why, settled_at=draft.now)
    draft.fire(question, "abandon", why, closed_at=draft.now)
