"""How full Claude's context is, told from its transcript: pure, over parsed records.

The newest reply of the session itself carries the size of the context it was given: input tokens, read from the
cache or not. Replies of subagents (sidechains) speak of another context, replies that Claude Code made up itself
(`<synthetic>`, for errors) of none, and a compaction makes every earlier number void.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

Record = Mapping[str, Any]

CRITICAL_PERCENT = 80
DEFAULT_WINDOW = 200_000
LARGE_WINDOW = 1_000_000
LARGE_WINDOW_SUFFIX = "[1m]"
SYNTHETIC_MODEL = "<synthetic>"
CONTEXT_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class PressureLevel(StrEnum):
    OK = "OK"
    WARNING = "WARNING"
    CRITICAL = "CRITICAL"


def context_percent(records: Sequence[Record], model: str | None = None) -> int | None:
    """The context in use, 0 to 100, from records with the newest last; None where they do not tell."""
    return percent_newest_first(reversed(records), model)


def percent_newest_first(records: Iterable[Record], model: str | None = None) -> int | None:
    """The same, newest first, taking no more records than it needs.

    Transcripts leave the `[1m]` out of the model's name; SessionStart's payload has it: pass that `model` in.
    """
    for record in records:
        if is_compact_boundary(record):
            return None
        tokens = _context_tokens(record) if is_own_reply(record) else None
        if tokens:
            return _percent(tokens, window_of(model or record["message"].get("model"), tokens))
    return None


def is_own_reply(record: Record) -> bool:
    """A reply the model gave in the session itself."""
    if record.get("type") != "assistant" or record.get("isSidechain"):
        return False
    message = record.get("message")
    return isinstance(message, Mapping) and message.get("model") != SYNTHETIC_MODEL


def is_compact_boundary(record: Record) -> bool:
    is_boundary = record.get("type") == "system" and record.get("subtype") == "compact_boundary"
    return is_boundary and not record.get("isSidechain")


def window_of(model: object, tokens: int = 0) -> int:
    """The window by the model's name, unless the context is larger than that: then the name did not say it all."""
    named_large = isinstance(model, str) and model.endswith(LARGE_WINDOW_SUFFIX)
    return LARGE_WINDOW if named_large or tokens > DEFAULT_WINDOW else DEFAULT_WINDOW


def pressure_level(percent: int, warning_threshold: int) -> PressureLevel:
    if percent >= CRITICAL_PERCENT:
        return PressureLevel.CRITICAL
    return PressureLevel.WARNING if percent >= warning_threshold else PressureLevel.OK


def describe_pressure(percent: int | None, warning_threshold: int) -> str:
    """The line of a wake message: `context: 72% [WARNING]`."""
    if percent is None:
        return "context: unknown"
    return f"context: {percent}% [{pressure_level(percent, warning_threshold)}]"


def _context_tokens(record: Record) -> int | None:
    """None where the numbers are absent or no numbers."""
    usage = record["message"].get("usage")
    if not isinstance(usage, Mapping):
        return None
    counts = [usage.get(field) or 0 for field in CONTEXT_FIELDS]
    return sum(counts) if all(type(count) is int and count >= 0 for count in counts) else None


def _percent(tokens: int, window: int) -> int:
    return min(100, (tokens * 100 + window // 2) // window)
