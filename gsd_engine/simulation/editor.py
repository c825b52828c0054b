"""The input line: pure text editing at its end, with long pastes shown as a placeholder and submitted whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gsd_engine.simulation.keys import Key

LONG_PASTE_CHARACTERS = 800
LONG_PASTE_LINE_BREAKS = 2
_PLACEHOLDER = re.compile(r"\[Pasted text #(\d+)(?: \+\d+ lines)?\]")


@dataclass
class Editor:
    """What stands in the input line, as shown; `pastes` holds what the placeholders stand for."""

    shown: str = ""
    pastes: dict[int, str] = field(default_factory=dict)
    pasted_so_far: int = 0

    def press(self, key: Key) -> None:
        if key.name == "paste":
            self._paste(key.text)
        elif key.name == "text":
            self.shown += key.text
        elif key.name == "NewLine":
            self.shown += "\n"
        elif key.name == "Backspace":
            self._backspace()
        elif key.name == "EraseLine":
            self.shown = self.shown.rpartition("\n")[0]

    def put(self, text: str) -> None:
        """Text that comes back, after an interrupt, goes before what was typed since."""
        self.shown = f"{text}\n{self.shown}" if self.shown else text

    def take(self) -> tuple[str, str]:
        """Empties the line; returns what it showed and the whole text."""
        shown, self.shown = self.shown.strip(), ""
        whole = _PLACEHOLDER.sub(lambda match: self.pastes.get(int(match[1]), match[0]), shown)
        self.pastes = {}
        return shown, whole.strip()

    def _paste(self, text: str) -> None:
        breaks = text.count("\n")
        if len(text) <= LONG_PASTE_CHARACTERS and breaks <= LONG_PASTE_LINE_BREAKS:
            self.shown += text
            return
        self.pasted_so_far += 1
        self.pastes[self.pasted_so_far] = text
        self.shown += f"[Pasted text #{self.pasted_so_far}{f' +{breaks} lines' if breaks else ''}]"

    def _backspace(self) -> None:
        placeholders = list(_PLACEHOLDER.finditer(self.shown))
        if placeholders and placeholders[-1].end() == len(self.shown):
            self.shown = self.shown[: placeholders[-1].start()]
        else:
            self.shown = self.shown[:-1]
