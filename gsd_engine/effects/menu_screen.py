"""What a captured screen tells about the menu of AskUserQuestion. Pure, over text; what is not in sight is None.

Narrow panes wrap labels and drop blanks (`1.Use`, `1.[ ] Use`), a menu taller than the pane loses its upper rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gsd_engine.rules.answers import options
from gsd_engine.rules.keystrokes import chat_row, submit_row

_ROW = re.compile(r"^\s*(?P<cursor>❯)?\s*(?P<number>\d)\.\s*(?:\[(?P<box>.)\]\s*)?(?P<text>.*)$")
_SUBMIT = re.compile(r"^\s*❯\s*(?:Submit|Next)\s*$")
_CHAT = re.compile(r"^\s*❯\s*(?:\d\.\s*)?Chat about this\s*$")
_RULE = re.compile(r"^\s*─{10,}\s*$")
_REVIEW = "Review your answers"
_PLACEHOLDER = re.compile(r"^Type something\.?$")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class MenuView:
    cursor: int | None  # the row it stands on; None: not in sight
    ticked: frozenset[int]
    written: bool  # the text row holds something else than its placeholder
    review: bool
    text: str  # the menu's lines without white space, to look for a question in

    @property
    def in_notes(self) -> bool:
        """The footer offers an editor, or the notes show that they are empty."""
        return "ctrl+gtoedit" in self.text or "Notes:Addnotes" in self.text

    def has_note(self, text: str) -> bool:
        """By its beginning, since it wraps beside the preview; a long paste is shown as a placeholder."""
        return f"Notes:{_squashed(text)[:12]}" in self.text or "Notes:[Pasted" in self.text

    def shows(self, question: Mapping[str, Any]) -> bool:
        """By the beginning of its text: the end may be wrapped or out of sight."""
        return _squashed(str(question.get("question", "")))[:40] in self.text


def read_menu(captured: str, question: Mapping[str, Any]) -> MenuView:
    """The page as rows of `question`."""
    lines = _menu_lines(_ESCAPES.sub("", captured).splitlines())
    text_row = len(options(question))
    cursor: int | None = None
    ticked: set[int] = set()
    written = False
    for line in lines:
        found = _ROW.match(line)
        row = int(found["number"]) - 1 if found else None
        if found is not None and row is not None and row <= text_row:
            if found["cursor"]:
                cursor = row
            if found["box"] and found["box"] != " ":
                ticked.add(row)
            written = written or (row == text_row and not _PLACEHOLDER.match(found["text"].strip()))
        if _SUBMIT.match(line):
            cursor = submit_row(question)
        if _CHAT.match(line):
            cursor = chat_row(question)
    review = any(_REVIEW in line for line in lines)
    return MenuView(cursor, frozenset(ticked), written, review, _squashed("".join(lines)))


def _menu_lines(lines: Sequence[str]) -> Sequence[str]:
    """From the last rule but one (above the tabs or the header) to the end; all of it where rules are out of sight."""
    rules = [number for number, line in enumerate(lines) if _RULE.match(line)]
    chat = next((n for n in reversed(range(len(lines))) if "Chat about this" in lines[n]), None)
    above = [number for number in rules if chat is None or number < chat - 1]
    return lines[above[-1] if above else 0 :]


def _squashed(text: str) -> str:
    return "".join(text.split())
