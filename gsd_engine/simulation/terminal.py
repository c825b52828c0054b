"""The terminal itself: raw mode, bracketed paste, drawing; whatever happens, it is left as it was found."""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import tty
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

_ENTER = "\x1b[?1049h\x1b[?2004h\x1b[?7l\x1b[?25l\x1b[2J"
_LEAVE = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l"


@dataclass(frozen=True)
class Span:
    """Text in one style; the style is what stands between `ESC[` and `m`."""

    text: str
    style: str = ""

    def encoded(self) -> str:
        return f"\x1b[{self.style}m{self.text}\x1b[0m" if self.style else self.text


Line = tuple[Span, ...]


def _encoded(line: Line, width: int) -> str:
    parts: list[str] = []
    for span in line:
        parts.append(Span(span.text[:width], span.style).encoded())
        width = max(0, width - len(span.text))
    return "".join(parts)


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
        with contextlib.suppress(termios.error):  # a terminal that is gone needs no putting right
            termios.tcsetattr(self.input, termios.TCSADRAIN, self._saved)

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

    def draw(self, frame: Sequence[Line]) -> None:
        width, height = self.size
        if (width, height) != self._size:
            self._drawn, self._size = [], (width, height)
            self._write("\x1b[2J")
        lines = [_encoded(line, width) for line in frame[:height]]
        lines += [""] * (height - len(lines))
        old = self._drawn or [""] * height
        changed = [f"\x1b[{row + 1};1H\x1b[K{line}" for row, line in enumerate(lines) if line != old[row]]
        self._drawn = lines
        self._write("".join(changed))

    def _write(self, text: str) -> None:
        data = text.encode()
        with contextlib.suppress(OSError):  # the pane was closed; the hangup signal ends the program
            while data:
                data = data[os.write(self.output, data) :]
