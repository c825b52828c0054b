"""Reads a transcript from its end, so that its length does not matter.

A transcript is a file of JSON lines that another program is writing to: lines may be damaged, half written, many
megabytes long, or of a kind nobody has seen before. Such lines are passed over; a transcript that cannot be read
tells nothing, and that is no error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gsd_engine.rules import pressure

BLOCK_BYTES = 64 * 1024
MAX_BYTES = 8 * 1024 * 1024  # beyond that the answer would come too late to be worth it
WANTED_WORDS = (b"assistant", b"compact_boundary")


def context_percent(path: Path | str, model: str | None = None) -> int | None:
    """How full the context is, 0 to 100, or None. `model` overrides the transcript's own, which lacks `[1m]`."""
    try:
        with _open_regular(path) as file:
            return pressure.percent_newest_first(records_from_end(file), model)
    except OSError:
        return None


def last_assistant_message(path: Path | str) -> str | None:
    """The whole text of the session's last assistant message, or None where it has none."""
    try:
        with _open_regular(path) as file:
            return last_text(records_from_end(file))
    except OSError:
        return None


def records_from_end(file: BinaryIO) -> Iterator[dict[str, Any]]:
    """The records that can matter here, newest first, read block by block as they are asked for."""
    for line in lines_from_end(file):
        # Looking for a word is far cheaper than parsing a tool result of several megabytes.
        if any(word in line for word in WANTED_WORDS):
            record = _parsed(line)
            if record is not None:
                yield record


def lines_from_end(file: BinaryIO, block_bytes: int = BLOCK_BYTES, max_bytes: int = MAX_BYTES) -> Iterator[bytes]:
    """The lines of a file, last first. A line that begins before the last `max_bytes` is not given."""
    position = file.seek(0, 2)
    stop = max(0, position - max_bytes)
    pieces: list[bytes] = []  # of the line whose beginning is not read yet, last piece first
    while position > stop:
        size = min(block_bytes, position - stop)
        position -= size
        file.seek(position)
        first, *rest = file.read(size).split(b"\n")
        if rest:
            yield rest.pop() + b"".join(reversed(pieces))
            yield from reversed(rest)
            pieces = []
        pieces.append(first)
    if position == 0:
        yield b"".join(reversed(pieces))


def last_text(newest_first: Iterable[dict[str, Any]]) -> str | None:
    """Claude Code writes one record per content block; those of one message share its id."""
    texts: list[str] = []
    message_id: object = None
    replies = (record for record in newest_first if pressure.is_own_reply(record))
    for number, record in enumerate(replies):
        message = record["message"]
        if number == 0:
            message_id = message.get("id")
        elif message_id is None or message.get("id") != message_id:
            break
        texts.append(_text_of(message.get("content")))
    return "\n".join(text for text in reversed(texts) if text) or None


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _open_regular(path: Path | str) -> BinaryIO:
    """Only a real file: opening a named pipe would wait for a writer."""
    if not Path(path).is_file():
        raise FileNotFoundError(path)
    return Path(path).open("rb", buffering=0)
