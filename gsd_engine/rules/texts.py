"""Texts that go into a pane: what may be sent, and when two of them are the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from gsd_engine.errors import UsageError


def fold(text: str) -> str:
    """White space folded: a terminal wraps, a paste may gain or lose some, Claude Code trims."""
    return " ".join(text.split())


def same_text(one: str, other: str) -> bool:
    return fold(one) == fold(other)


def checked_commands(commands: Sequence[object]) -> list[str]:
    """The commands of a queue, or a complaint that says what would be right."""
    if not commands:
        raise UsageError('a queue needs at least one command, such as ["/clear", "/gsd:plan-phase 3"]')
    return [_checked(position, command) for position, command in enumerate(commands, start=1)]


def _checked(position: int, command: object) -> str:
    if not isinstance(command, str):
        raise UsageError(f"command {position} is {type(command).__name__}; every command is a JSON string")
    if not command.strip():
        raise UsageError(f"command {position} is empty; write the text to type, such as /gsd:plan-phase 3")
    if bad := forbidden_character(command):
        raise UsageError(f"command {position} contains {bad}; only newline and tab are allowed as control characters")
    return command


def forbidden_character(text: str) -> str | None:
    """The first character that must never reach a terminal as text, named; escape sequences start with one."""
    for character in text:
        if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs"):
            return f"the character U+{ord(character):04X}"
    return None
