"""Draws the menu of AskUserQuestion as the recorded screens show it; pure: state and size in, lines out."""

from __future__ import annotations

import textwrap

from gsd_engine.simulation.menu import Menu, Question

PREVIEW_COLUMN = 34
PREVIEW_WIDTH = 40
_EDIT_HINT = "ctrl+g to edit in Vim"


def render(menu: Menu, width: int, height: int) -> list[str]:
    """The lines of the menu. In a pane that is too small its end is shown, and the cursor may be out of sight."""
    lines = _review(menu, width) if menu.in_review else _question_page(menu, width)
    return lines[-height:]


def wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Word wrap that keeps line breaks, empty lines and leading blanks."""
    room = max(1, width - indent)
    lines: list[str] = []
    for line in text.split("\n"):
        lines += textwrap.wrap(line, room, replace_whitespace=False, break_on_hyphens=False) or [""]
    return [(" " * indent + line).rstrip() for line in lines]


def _question_page(menu: Menu, width: int) -> list[str]:
    question = menu.question
    rows = _preview_rows(menu, width) if question.has_preview else _rows(menu, width)
    head = ["─" * width, _tabs(menu), "", *wrapped(question.text, width), ""]
    margin = [""] if question.has_preview else []
    return [*margin, *head, *rows, "─" * width, _chat(menu), "", *wrapped(_hints(menu), width)]


def _tabs(menu: Menu) -> str:
    boxes = [
        f"{'☐' if menu.answer_of(index) is None else '☒'} {question.header}"
        for index, question in enumerate(menu.questions)
    ]
    return f"←  {'  '.join(boxes)}  ✔ Submit  →" if menu.is_form else f" {boxes[0]}"


def _rows(menu: Menu, width: int) -> list[str]:
    question, page = menu.question, menu.page
    lines: list[str] = []
    indent = menu.dialect.ticked_description_indent if question.multi else 5
    for row, option in enumerate(question.options):
        lines += _numbered(menu, row, option.label, width)
        lines += wrapped(option.description, width, indent) if option.description else []
    placeholder = "Type something" if question.multi else "Type something."
    lines += _numbered(menu, len(question.options), page.text or placeholder, width)
    if question.submit_row is not None:
        last = menu.tab == len(menu.questions) - 1
        lines.append(f"{_pointer(menu, question.submit_row)}   {'Submit' if last else 'Next'}")
    return lines


def _numbered(menu: Menu, row: int, label: str, width: int) -> list[str]:
    """A label that needs more than its line squeezes out the blank after the number."""
    box = ("[✔] " if row in menu.page.ticked else "[ ] ") if menu.question.multi else ""
    number = f"{row + 1}. "
    if len(f"❯ {number}{box}{label}") > width or "\n" in label:
        number = number.rstrip()
    indent = 2 + len(number) + len(box)
    first, *others = wrapped(label, width, indent)
    return [f"{_pointer(menu, row)}{number}{box}{first[indent:]}", *others]


def _preview_rows(menu: Menu, width: int) -> list[str]:
    options = menu.question.options
    shown = min(menu.page.cursor, len(options) - 1)
    left = [f"{'❯ ' if row == shown else '  '}{row + 1}. {option.label}" for row, option in enumerate(options)]
    right = _preview_box(options[shown].preview, min(PREVIEW_WIDTH, max(8, width - PREVIEW_COLUMN - 4)))
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    room = PREVIEW_COLUMN - 2
    lines = [f"{one[:room]:<{PREVIEW_COLUMN}}{two}".rstrip() for one, two in zip(left, right, strict=True)]
    return [*lines, "", *_notes(menu, width), ""]


def _preview_box(preview: str, room: int) -> list[str]:
    content = [f"│ {line[:room]:<{room}} │" for line in preview.split("\n")]
    return ["┌" + "─" * (room + 2) + "┐", *content, "└" + "─" * (room + 2) + "┘"]


def _notes(menu: Menu, width: int) -> list[str]:
    page = menu.page
    hint = "Add notes on this design…" if page.in_notes else "press n to add notes"
    return wrapped(f"Notes: {page.notes or hint}", width, PREVIEW_COLUMN)


def _chat(menu: Menu) -> str:
    question = menu.question
    number = "" if question.has_preview else f"{len(question.options) + 2}. "
    return f"{_pointer(menu, question.chat_row)}{number}Chat about this"


def _pointer(menu: Menu, row: int) -> str:
    return "❯ " if menu.page.cursor == row else "  "


def _hints(menu: Menu) -> str:
    question, page = menu.question, menu.page
    several = len(menu.questions) > 1
    hints = ["Enter to select", "Tab/Arrow keys to navigate" if several else "↑/↓ to navigate"]
    hints += ["n to add notes"] if question.has_preview else []
    hints += [_EDIT_HINT] if page.in_notes or _beyond_options(question, page.cursor) else []
    return " · ".join([*hints, "Esc to cancel"])


def _beyond_options(question: Question, row: int) -> bool:
    return question.text_row is not None and row >= question.text_row


def _review(menu: Menu, width: int) -> list[str]:
    lines = ["", "─" * width, _tabs(menu), "", "Review your answers", ""]
    answers = [(question.text, menu.answer_of(index)) for index, question in enumerate(menu.questions)]
    if any(answer is None for _, answer in answers):
        lines += ["⚠ You have not answered all questions", ""]
    for text, answer in answers:
        if answer is not None:
            lines += [f" ● {text}", *wrapped(f"→ {answer}", width, 3)]
    pointers = ("❯ ", "  ") if menu.review_cursor == 0 else ("  ", "❯ ")
    return [
        *lines,
        "",
        "Ready to submit your answers?",
        "",
        f"{pointers[0]}1. Submit answers",
        f"{pointers[1]}2. Cancel",
    ]
