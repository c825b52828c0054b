"""Settings as text: read strictly, written so that only what changed looks changed.

Whatever keeps its value keeps its very text, hand-made layout, escapes and number formats included. Only the objects
and lists on the way down to a change are laid out anew, in the style of the rest of the file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gsd_engine.errors import UsageError
from gsd_engine.hooks.settings import Settings

BYTE_ORDER_MARK = "\ufeff"
DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Style:
    """How a file is laid out. `indent` is None where everything stands on one line."""

    indent: str | None = "  "
    separators: tuple[str, str] = (",", ": ")
    newline: str = "\n"


def parse(text: str) -> Settings:
    """The value, or a refusal that says where. An empty file counts as an empty object, as it does for Claude Code."""
    body = _body(text)
    try:
        value = json.loads(
            body or "{}", object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        line = text[: text.find(body)].count("\n") + error.lineno
        raise UsageError(f"not valid JSON: line {line}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not usable JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("must hold a JSON object")
    return value


def rewrite(text: str | None, settings: Settings) -> str:
    """The text of the new settings, made from that of the old ones; None where there was no file."""
    if text is None or not _body(text):
        return _laid_out(settings, None, Style(), 0) + "\n"
    body = _body(text)
    start = text.find(body)
    return text[:start] + _laid_out(settings, body, style_of(body), 0) + text[start + len(body) :]


def style_of(body: str) -> Style:
    newline = "\r\n" if "\r\n" in body else "\n"
    indented = re.search(r'\n([ \t]+)"', body)
    if indented or '"' not in body:  # an empty object shows no style
        return Style(indented[1] if indented else "  ", newline=newline)
    if "\n" in body:
        return Style("", newline=newline)
    return Style(None, (", ", ": ") if re.search(r'":\s', body) else (",", ":"), newline)


def _body(text: str) -> str:
    """The JSON alone, without byte order mark and white space around it: those are kept as they are."""
    return text.removeprefix(BYTE_ORDER_MARK).strip(" \t\r\n")


def _laid_out(new: Any, raw: str | None, style: Style, depth: int) -> str:
    """`raw` is the text of the value that `new` replaces, if there was one."""
    old = None if raw is None else json.loads(raw)
    if raw is not None and _same(old, new):
        return raw
    if raw is not None and new and isinstance(new, dict) and isinstance(old, dict):
        return _bracketed("{}", list(_members(new, raw, style, depth + 1)), style, depth)
    if raw is not None and new and isinstance(new, list) and isinstance(old, list):
        return _bracketed("[]", list(_elements(new, raw, style, depth + 1)), style, depth)
    text = json.dumps(new, ensure_ascii=False, indent=style.indent, separators=style.separators)
    # Half of a surrogate pair can stand in JSON as an escape only: UTF-8 has no bytes for it.
    text = re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.replace("\n", style.newline + (style.indent or "") * depth)


def _members(new: dict[str, Any], raw: str, style: Style, depth: int) -> Iterator[str]:
    parts = list(_parts(raw))
    old = {json.loads(key): (key, value) for key, value in zip(parts[::2], parts[1::2], strict=True)}
    for key, value in new.items():
        raw_key, raw_value = old.get(key, (json.dumps(key, ensure_ascii=False), None))
        yield raw_key + style.separators[1] + _laid_out(value, raw_value, style, depth)


def _elements(new: list[Any], raw: str, style: Style, depth: int) -> Iterator[str]:
    """An element has its old text if an equal one was there; their order never changes."""
    unused = [(json.loads(part), part) for part in _parts(raw)]
    for value in new:
        found = next((pair for pair in unused if _same(pair[0], value)), None)
        if found is not None:
            unused = unused[unused.index(found) + 1 :]
        yield _laid_out(value, found[1] if found else None, style, depth)


def _same(one: Any, other: Any) -> bool:
    """Python takes 1, 1.0 and True for equal; JSON does not."""
    return json.dumps(one) == json.dumps(other)


def _parts(raw: str) -> Iterator[str]:
    """The text of every key and value of an object, or of every element of a list, in order; `raw` is valid JSON."""
    position = 1
    while True:
        position += len(raw[position:]) - len(raw[position:].lstrip(" \t\r\n,:"))
        if raw[position] in "]}":
            return
        end = DECODER.raw_decode(raw, position)[1]
        yield raw[position:end]
        position = end


def _bracketed(brackets: str, items: list[str], style: Style, depth: int) -> str:
    if style.indent is None:
        return brackets[0] + style.separators[0].join(items) + brackets[1]
    outer = style.newline + style.indent * depth
    inner = outer + style.indent
    return brackets[0] + inner + f",{inner}".join(items) + outer + brackets[1]


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys one would be lost on the way back."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {json.dumps(key)} appears twice in one object")
        result[key] = value
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    if math.isinf(float(digits)):
        raise ValueError(f"the number {digits} is too large to be written back")
    return float(digits)
