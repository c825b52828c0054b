"""Which keys say an answer in the menu of AskUserQuestion, from the question alone, each with what must then be seen.

Rows of a question, from the top, where the cursor starts:
    single-select   options, a row that takes text, Chat
    multi-select    options with boxes, a row with a box that takes text, Submit (or Next), Chat
    preview         options beside a preview, Chat; `n` opens notes, Escape leaves them
Enter chooses an option and goes on. Text is written right on its row: Enter on the empty row would decline the
question. Several questions, or a multi-select, make a form, which ends in a review page that wants one more Enter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gsd_engine.errors import UsageError
from gsd_engine.rules.answers import is_redirect, options

Question = Mapping[str, Any]
Action = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """The cursor stands on this row of the page."""

    number: int


@dataclass(frozen=True)
class Ticked:
    """The box of this row is ticked."""

    number: int


@dataclass(frozen=True)
class Written:
    """The text stands on this row."""

    number: int


@dataclass(frozen=True)
class Page:
    """This page is shown: a question by its number, or the review, which comes after the last one."""

    number: int


@dataclass(frozen=True)
class Gone:
    """The menu is no longer there."""


@dataclass(frozen=True)
class Notes:
    """The notes beside a preview are open for writing, or closed again."""

    are_open: bool


@dataclass(frozen=True)
class Noted:
    """This text stands in the notes."""

    text: str


Sight = Row | Ticked | Written | Page | Gone | Notes | Noted


@dataclass(frozen=True)
class Press:
    key: str
    then: Sight


@dataclass(frozen=True)
class Paste:
    text: str
    then: Sight


Step = Press | Paste


def plan(questions: Sequence[Question], actions: Sequence[Action]) -> list[Step]:
    """The steps, or a UsageError where keys cannot say it."""
    if is_redirect(actions):
        return [*_down(0, chat_row(questions[0])), Press("Enter", Gone())]
    steps: list[Step] = []
    for number, (question, action) in enumerate(zip(questions, actions, strict=True)):
        last = not is_form(questions)
        steps += _answer(number + 1, question, action, Gone() if last else Page(number + 1))
    if is_form(questions):
        steps.append(Press("Enter", Gone()))
    return steps


def can_be_keyed(questions: Sequence[Question], actions: Sequence[Action]) -> bool:
    try:
        plan(questions, actions)
    except UsageError:
        return False
    return True


def is_form(questions: Sequence[Question]) -> bool:
    return len(questions) > 1 or bool(questions[0].get("multiSelect"))


def has_preview(question: Question) -> bool:
    return not question.get("multiSelect") and any(option.get("preview") for option in options(question))


def chat_row(question: Question) -> int:
    return len(options(question)) + (0 if has_preview(question) else 2 if question.get("multiSelect") else 1)


def submit_row(question: Question) -> int | None:
    return len(options(question)) + 1 if question.get("multiSelect") else None


def _answer(number: int, question: Question, action: Action, after: Sight) -> Iterator[Step]:
    text_row = len(options(question))
    if action["action"] == "type" and has_preview(question):
        raise UsageError(
            f"action {number}: by keys, a question with previews has no row for text; "
            'use {"action": "select", "optionIndex": N, "note": "…"} or {"action": "chat", "text": "…"}'
        )
    if action["action"] == "select":
        yield from _down(0, action["optionIndex"])
        if "note" in action:
            yield Press("n", Notes(are_open=True))
            yield Paste(action["note"], Noted(action["note"]))
            yield Press("Escape", Notes(are_open=False))
        yield Press("Enter", after)
    elif question.get("multiSelect"):
        yield from _several(question, action, after)
    else:
        yield from _down(0, text_row)
        yield Paste(action["text"], Written(text_row))
        yield Press("Enter", after)


def _several(question: Question, action: Action, after: Sight) -> Iterator[Step]:
    """Boxes from top to bottom; a `type` here is the text row alone."""
    text_row, row = len(options(question)), 0
    for index in sorted(action.get("selectedIndices", [])):
        yield from _down(row, index)
        yield Press("Space", Ticked(index))
        row = index
    if "text" in action:
        yield from _down(row, text_row)
        yield Paste(action["text"], Written(text_row))
        row = text_row
    yield from _down(row, text_row + 1)
    yield Press("Enter", after)


def _down(start: int, end: int) -> Iterator[Step]:
    for row in range(start + 1, end + 1):
        yield Press("Down", Row(row))
