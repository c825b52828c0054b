"""The menu of AskUserQuestion: every rule about its keys is here; state and key in, state and outcome out.

Rows of a question, by its kind:
    single-select   options, a row that takes text, Chat
    multi-select    options with boxes, a row with a box that takes text, Submit (or Next), Chat
    preview         options beside a preview, Chat; `n` opens notes
A call with several questions, or with a multi-select, is a form: one tab per question and a review page at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gsd_engine.simulation.dialect import Dialect
from gsd_engine.simulation.keys import Key

NOTES_ONLY = "(notes only)"


@dataclass(frozen=True)
class Option:
    label: str
    description: str = ""
    preview: str = ""


@dataclass(frozen=True)
class Question:
    text: str
    header: str
    options: tuple[Option, ...]
    multi: bool

    @property
    def has_preview(self) -> bool:
        return not self.multi and any(option.preview for option in self.options)

    @property
    def text_row(self) -> int | None:
        return None if self.has_preview else len(self.options)

    @property
    def submit_row(self) -> int | None:
        return len(self.options) + 1 if self.multi else None

    @property
    def chat_row(self) -> int:
        return len(self.options) + (0 if self.has_preview else 2 if self.multi else 1)


@dataclass(frozen=True)
class Page:
    """What was done on one question so far."""

    cursor: int = 0
    ticked: tuple[int, ...] = ()  # rows in the order they were ticked, which is the order of the answer
    text: str = ""
    notes: str = ""
    in_notes: bool = False
    answer: str | None = None
    preview: str = ""


@dataclass(frozen=True)
class Menu:
    questions: tuple[Question, ...]
    dialect: Dialect
    pages: tuple[Page, ...]
    tab: int = 0  # the number of questions stands for the review page
    review_cursor: int = 0

    @property
    def is_form(self) -> bool:
        return len(self.questions) > 1 or self.questions[0].multi

    @property
    def in_review(self) -> bool:
        return self.tab == len(self.questions)

    @property
    def question(self) -> Question:
        return self.questions[self.tab]

    @property
    def page(self) -> Page:
        return self.pages[self.tab]

    def answer_of(self, index: int) -> str | None:
        if self.questions[index].multi:
            return _joined(self.questions[index], self.pages[index], self.dialect) or None
        return self.pages[index].answer


@dataclass(frozen=True)
class Answered:
    """The questions were answered; the fields have the shape the tool reports them in."""

    answers: dict[str, str]
    annotations: dict[str, dict[str, str]]


@dataclass(frozen=True)
class Declined:
    """Esc, Cancel, or Enter on the empty text row: the turn ends without a Stop."""


@dataclass(frozen=True)
class ChatChosen:
    """Chat about this: the tool is refused and Claude goes on."""


Outcome = Answered | Declined | ChatChosen
Step = tuple[Menu, Outcome | None]


def open_menu(tool_input: Mapping[str, Any], dialect: Dialect) -> Menu:
    questions = tuple(_question(raw) for raw in tool_input["questions"])
    return Menu(questions, dialect, tuple(Page() for _ in questions))


def _question(raw: Mapping[str, Any]) -> Question:
    options = tuple(
        Option(str(item["label"]), str(item.get("description", "")), str(item.get("preview", "")))
        for item in raw["options"]
    )
    return Question(str(raw["question"]), str(raw.get("header", "")), options, bool(raw.get("multiSelect")))


def press(menu: Menu, key: Key, seconds_open: float = 60.0) -> Step:
    """One key. A young menu of a newer version is deaf to the keys that could answer it by accident."""
    if seconds_open < menu.dialect.deaf_seconds and _may_answer(key):
        return menu, None
    if menu.in_review:
        return _press_in_review(menu, key)
    if menu.page.in_notes:
        return _press_in_notes(menu, key)
    if key.name == "Escape":
        return menu, Declined()
    if key.name in {"Up", "Down"}:
        return _moved(menu, menu.page.cursor + (1 if key.name == "Down" else -1)), None
    if key.name in {"Tab", "BackTab", "Left", "Right"}:
        return _tabbed(menu, key.name), None
    if menu.page.cursor == menu.question.text_row and key.name != "Enter":
        return _typed(menu, key), None
    return _press_on_row(menu, key)


def _may_answer(key: Key) -> bool:
    return key.name in {"Enter", "Escape"} or (key.name == "text" and key.text.isdecimal())


def _press_on_row(menu: Menu, key: Key) -> Step:
    question, row = menu.question, menu.page.cursor
    if key.name == "Enter":
        return _entered(menu)
    if key.name != "text":
        return menu, None
    if key.text.isdecimal():
        return _digit(menu, int(key.text) - 1)
    if key.text == " " and question.multi and row < len(question.options):
        return _toggled(menu, row), None
    if key.text == "n" and question.has_preview and row < len(question.options):
        return _with_page(menu, in_notes=True), None
    return menu, None


def _entered(menu: Menu) -> Step:
    question, row = menu.question, menu.page.cursor
    if row == question.chat_row:
        return menu, ChatChosen()
    if row == question.submit_row:
        return _next_tab(menu), None
    if question.multi:
        return _toggled(menu, row), None
    if row == question.text_row:
        return _answered(menu, menu.page.text) if menu.page.text.strip() else (menu, Declined())
    return _selected(menu, row)


def _digit(menu: Menu, row: int) -> Step:
    question = menu.question
    if question.has_preview:
        return (_moved(menu, row) if 0 <= row < len(question.options) else menu), None
    if question.multi and 0 <= row <= len(question.options):
        return _toggled(menu, row), None
    if row == (len(question.options) + 1):  # Chat carries this number, whether or not Submit stands before it
        return menu, ChatChosen()
    if row == question.text_row:
        return _moved(menu, row), None
    return _selected(menu, row) if 0 <= row < len(question.options) else (menu, None)


def _selected(menu: Menu, row: int) -> Step:
    option = menu.question.options[row]
    return _answered(_with_page(menu, cursor=row, preview=option.preview), option.label)


def _answered(menu: Menu, answer: str) -> Step:
    answered = _with_page(menu, answer=answer)
    if menu.is_form:
        return _next_tab(answered), None
    return answered, _outcome(answered)


def _typed(menu: Menu, key: Key) -> Menu:
    text = _edited(menu.page.text, key)
    row = len(menu.question.options)
    others = tuple(ticked for ticked in menu.page.ticked if ticked != row)
    if not menu.question.multi or text == menu.page.text:
        return _with_page(menu, text=text)
    ticked = menu.page.ticked if row in menu.page.ticked else (*others, row)
    return _with_page(menu, text=text, ticked=ticked if text else others)


def _edited(text: str, key: Key) -> str:
    if key.is_text:
        return text + key.text
    if key.name == "Backspace":
        return text[:-1]
    return "" if key.name == "EraseLine" else text


def _toggled(menu: Menu, row: int) -> Menu:
    ticked = menu.page.ticked
    changed = tuple(other for other in ticked if other != row) if row in ticked else (*ticked, row)
    return _with_page(menu, ticked=changed)


def _press_in_notes(menu: Menu, key: Key) -> Step:
    """Arrows and Tab do nothing here; Esc leaves only the notes, so that Enter then takes option and note."""
    if key.name == "Escape":
        return _with_page(menu, in_notes=False), None
    if key.name == "Enter":
        left = _with_page(menu, in_notes=False, preview="")
        return _answered(left, NOTES_ONLY) if menu.page.notes else (left, None)
    return _with_page(menu, notes=_edited(menu.page.notes, key)), None


def _press_in_review(menu: Menu, key: Key) -> Step:
    if key.name == "Escape":
        return menu, Declined()
    if key.name in {"Up", "Down"}:
        return replace(menu, review_cursor=1 if key.name == "Down" else 0), None
    if key.name in {"Left", "BackTab"}:
        return replace(menu, tab=menu.tab - 1, review_cursor=0), None
    chosen = menu.review_cursor if key.name == "Enter" else {"1": 0, "2": 1}.get(key.text)
    if chosen is None:
        return menu, None
    return menu, Declined() if chosen else _outcome(menu)


def _tabbed(menu: Menu, name: str) -> Menu:
    question, row = menu.question, menu.page.cursor
    if not menu.is_form:
        return menu
    if row == question.text_row:
        return _moved(menu, row + 1) if name == "Tab" and question.multi else menu
    if name in {"Tab", "Right"}:
        return _next_tab(menu)
    return replace(menu, tab=max(0, menu.tab - 1))


def _next_tab(menu: Menu) -> Menu:
    return replace(menu, tab=menu.tab + 1, review_cursor=0)


def _moved(menu: Menu, row: int) -> Menu:
    return _with_page(menu, cursor=max(0, min(menu.question.chat_row, row)))


def _with_page(menu: Menu, **changes: Any) -> Menu:
    pages = list(menu.pages)
    pages[menu.tab] = replace(menu.page, **changes)
    return replace(menu, pages=tuple(pages))


def _joined(question: Question, page: Page, dialect: Dialect) -> str:
    items = [page.text.strip() if row == len(question.options) else question.options[row].label for row in page.ticked]
    quoted = [f'"{item}"' if dialect.quotes_commas and "," in item else item for item in items if item]
    return ", ".join(quoted)


def _outcome(menu: Menu) -> Answered:
    answers: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for index, (question, page) in enumerate(zip(menu.questions, menu.pages, strict=True)):
        answer = menu.answer_of(index)
        if answer is not None:
            answers[question.text] = answer
        remarks = {"preview": page.preview, "notes": page.notes}
        if any(remarks.values()):
            annotations[question.text] = {name: value for name, value in remarks.items() if value}
    return Answered(answers, annotations)
