"""Which hook says that a command is over."""

from __future__ import annotations

_BY_COMMAND: dict[str, tuple[str, str | None]] = {
    "/clear": ("SessionStart", "clear"),
    "/compact": ("SessionStart", "compact"),
}


def awaits(command: str) -> tuple[str, str | None]:
    """(hook, sub) that ends `command`. /clear and /compact send no Stop (measured)."""
    first_word = command.split(maxsplit=1)[0] if command.split() else ""
    return _BY_COMMAND.get(first_word, ("Stop", None))
