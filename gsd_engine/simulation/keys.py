"""Bytes from the terminal become keys here; pure, one read at a time, because the borders of reads carry meaning.

A program that sends text and Enter in one go is heard as one paste: the Enter becomes a line break in the input line
and nothing is submitted. So it is with the real program, and a driver that does it must fail here too.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"

_SEQUENCES = {
    "\x1b[A": "Up",
    "\x1b[B": "Down",
    "\x1b[C": "Right",
    "\x1b[D": "Left",
    "\x1bOA": "Up",
    "\x1bOB": "Down",
    "\x1bOC": "Right",
    "\x1bOD": "Left",
    "\x1b[Z": "BackTab",
}
_CONTROLS = {
    "\r": "Enter",
    "\n": "NewLine",
    "\t": "Tab",
    "\x7f": "Backspace",
    "\x08": "Backspace",
    "\x03": "Interrupt",
    "\x04": "EndOfInput",
    "\x15": "EraseLine",
}


@dataclass(frozen=True)
class Key:
    """`name` is a key such as Enter, or `text` for typed characters, or `paste` for a bracketed paste."""

    name: str
    text: str = ""

    @property
    def is_text(self) -> bool:
        return self.name in {"text", "paste"}


class KeyDecoder:
    """Keeps what a read left unfinished: half a character, half an escape sequence, an open paste."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._paste: str | None = None

    @property
    def waits_for_more(self) -> bool:
        """A lone Esc may be the beginning of an arrow key: the caller waits a moment, then calls flush."""
        return self._paste is None and bool(self._rest)

    def feed(self, data: bytes) -> list[Key]:
        text = self._rest + self._utf8.decode(data)
        self._rest = ""
        keys: list[Key] = []
        while text:
            key, text = self._paste_step(text) if self._paste is not None else self._step(text, keys)
            if key:
                keys.append(key)
        return keys

    def flush(self) -> list[Key]:
        rest, self._rest = self._rest, ""
        return [Key("Escape")] if rest.startswith("\x1b") else []

    def _paste_step(self, text: str) -> tuple[Key | None, str]:
        body, end, after = ((self._paste or "") + text).partition(PASTE_END)
        if not end:
            self._paste = body
            return None, ""
        self._paste = None
        return Key("paste", body.replace("\r\n", "\n").replace("\r", "\n")), after

    def _step(self, text: str, before: list[Key]) -> tuple[Key | None, str]:
        if text[0] == "\x1b":
            return self._escape_step(text)
        if text[0] == "\r" and before and before[-1].is_text:
            return Key("paste", "\n"), text[1:]
        if text[0] in _CONTROLS:
            return Key(_CONTROLS[text[0]]), text[1:]
        return (Key("text", text[0]) if text[0].isprintable() else None), text[1:]

    def _escape_step(self, text: str) -> tuple[Key | None, str]:
        if text.startswith(PASTE_BEGIN):
            self._paste = ""
            return None, text[len(PASTE_BEGIN) :]
        for sequence, name in _SEQUENCES.items():
            if text.startswith(sequence):
                return Key(name), text[len(sequence) :]
        known = (PASTE_BEGIN, *_SEQUENCES)
        if any(sequence.startswith(text) for sequence in known):
            self._rest = text
            return None, ""
        if text[1:2] == "[":
            return None, _after_unknown_sequence(text)
        return Key("Escape"), text[1:]


def _after_unknown_sequence(text: str) -> str:
    """What follows a control sequence that means nothing here (function keys, focus reports)."""
    for index, character in enumerate(text[2:], start=2):
        if "@" <= character <= "~":
            return text[index + 1 :]
    return ""
