"""The terminal itself: raw mode, bracketed paste, drawing; whatever happens, it is left as it was found."""

from __future__ import annotations

import os
import sys
import termios
import tty
from dataclasses import dataclass
from types import TracebackType

_ENTER = "\x1b[?1049h\x1b[?2004h\x1b[?7l\x1b[2J"
_LEAVE = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l"


@dataclass(frozen=True)
class Line:
    """One line of the screen; dim text is how the real program marks what nobody typed."""

    text: str
    dim_from: int | None = None

    def encoded(self, width: int) -> str:
        text = self.text[:width]
        if self.dim_from is None:
            return text
        return f"{text[: self.dim_from]}\x1b[2m{text[self.dim_from :]}\x1b[22m"


@dataclass(frozen=True)
class Frame:
    lines: tuple[Line, ...]
    cursor: tuple[int, int] | None = None  # row and column; None hides it


class Terminal:
    """Draws only lines that changed, so that someone who looks in between never sees an empty screen."""

    def __init__(self) -> None:
        self.input = sys.stdin.fileno()
        self.output = sys.stdout.fileno()
        self._drawn: list[str] = []
        self._size = (0, 0)

    def __enter__(self) -> Terminal:
        self._saved = termios.tcgetattr(self.input)
        tty.setraw(self.input)
        self._write(_ENTER)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._write(_LEAVE)
        try:
            termios.tcsetattr(self.input, termios.TCSADRAIN, self._saved)
        except termios.error:
            pass  # the terminal is gone, and there is nothing left to put right

    @property
    def size(self) -> tuple[int, int]:
        """Width and height now; a pane can be resized at any time."""
        try:
            columns, lines = os.get_terminal_size(self.output)
        except OSError:
            return self._size
        return max(columns, 20), max(lines, 5)

    def read(self) -> bytes:
        """What one read gives; empty when the terminal is gone."""
        try:
            return os.read(self.input, 65536)
        except OSError:
            return b""

    def draw(self, frame: Frame) -> None:
        width, height = self.size
        if (width, height) != self._size:
            self._drawn, self._size = [], (width, height)
            self._write("\x1b[2J")
        lines = [line.encoded(width) for line in frame.lines[:height]]
        lines += [""] * (height - len(lines))
        old = self._drawn or [""] * height
        changed = [f"\x1b[{row + 1};1H{line}\x1b[K" for row, line in enumerate(lines) if line != old[row]]
        self._drawn = lines
        self._write("\x1b[?25l" + "".join(changed) + _cursor(frame.cursor))

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self.output, data) :]
        except OSError:
            pass  # the pane was closed; the hangup signal ends the program


def _cursor(position: tuple[int, int] | None) -> str:
    return "" if position is None else f"\x1b[{position[0] + 1};{position[1] + 1}H\x1b[?25h"
