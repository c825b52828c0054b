"""A message too long for its carrier loses its middle, visibly; its head and its tail stay.

The head says who and what, the tail what to do (SPEC 9): a wake without its middle is still a wake, a refused one
is none.
"""

from __future__ import annotations

from collections.abc import Callable


def without_middle(message: str, fits: Callable[[str], bool]) -> str:
    """The message itself where it fits, else as much of both ends as fits. `fits` must not favour longer texts."""
    if fits(message):
        return message
    least, most = 0, len(message)  # `least` characters may be kept, `most` are too many
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(_keeping(message, middle)) else (least, middle)
    return _keeping(message, least)


def _keeping(message: str, kept: int) -> str:
    head, tail = message[: kept - kept // 2], message[len(message) - kept // 2 :]
    left_out = len(message) - kept
    return f"{head}\n[… {left_out} characters left out here; `gsd-engine inbox` has the whole message …]\n{tail}"
