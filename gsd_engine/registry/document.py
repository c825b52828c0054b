"""From bytes to plain JSON data, whatever the bytes are. Every way a file can fail before its meaning is looked at.

Reading raises RegistryError and nothing else; parsing raises nothing and returns what it found instead.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gsd_engine.errors import EngineFailureError

# Twice what the deepest sensible registry needs; far below what makes recursive code fail.
DEEPEST_NESTING = 16
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")

Location = tuple[str | int, ...]


class RegistryError(EngineFailureError):
    """The registry cannot be used as it is; `gsd-engine registry validate` lists every problem."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where (empty: the file as a whole), what, and what would be right."""

    path: str
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.path or 'file'}: {self.message} ({self.hint})"

    def as_json(self) -> dict[str, str]:
        return asdict(self)


class _Object(dict[str, Any]):
    """A JSON object that remembers which of its keys were written more than once."""

    repeated: tuple[str, ...] = ()


def show_path(location: Location) -> str:
    """`agents[1].hook_settings.pane_capture_lines`; keys that are no plain words are quoted."""
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            path += f".{step}" if path else step
        else:
            path += f"[{json.dumps(step)}]"
    return path


def read_text(path: Path) -> str | None:
    """The file's text, or None where there is no file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise RegistryError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RegistryError(f"cannot read {path}: {reason}") from None


def parse_document(text: str) -> tuple[Any, list[Problem]]:
    """The data and what is wrong with its form. Data is None where the form allows no further look."""
    if not text.strip("\ufeff \t\r\n"):
        return None, [Problem("", "is empty", "see `gsd-engine registry example`")]
    try:
        data = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return None, [Problem("", f"is not JSON at {where}: {error.msg}", "correct the file there")]
    except ValueError as error:
        reason = str(error).partition(":")[0]
        return None, [Problem("", f"is not usable JSON: {reason}", "write plain numbers of a sensible size")]
    except RecursionError:
        return None, [_too_deep(())]
    return _inspect(data)


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        found.repeated = tuple(key for key in found if times[key] > 1)
    return found


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def _too_deep(location: Location) -> Problem:
    return Problem(show_path(location), "is nested too deeply", f"at most {DEEPEST_NESTING} levels")


def _inspect(data: Any) -> tuple[Any, list[Problem]]:
    """Repeated keys leave the data readable; broken text and bottomless nesting do not."""
    repeated: list[Problem] = []
    unusable: list[Problem] = []
    pending: list[tuple[Location, Any]] = [((), data)]
    while pending:
        location, value = pending.pop()
        repeated += _repeated_keys(location, value)
        if isinstance(value, str) and not _is_text(value):
            unusable.append(Problem(show_path(location), "holds half a character", "no lone \\uD800 to \\uDFFF"))
        elif isinstance(value, dict | list) and value and len(location) >= DEEPEST_NESTING:
            unusable.append(_too_deep(location))
        else:
            pending += [((*location, step), inner) for step, inner in _children(value)]
            unusable += [_broken_key(location, step) for step, _ in _children(value) if not _is_text(step)]
    return (None if unusable else data), sorted(repeated + unusable, key=lambda problem: problem.path)


def _children(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _is_text(value: str | int) -> bool:
    return isinstance(value, int) or not any("\ud800" <= character <= "\udfff" for character in value)


def _broken_key(location: Location, key: str | int) -> Problem:
    return Problem(show_path((*location, key)), "is a key with half a character", "no lone \\uD800 to \\uDFFF")


def _repeated_keys(location: Location, value: Any) -> list[Problem]:
    keys = value.repeated if isinstance(value, _Object) else ()
    return [
        Problem(show_path((*location, key)), "is written more than once", "keep one: the last would win silently")
        for key in keys
    ]
