"""How commands print: JSON for programs, plain lines for people.

What Claude, a payload or a file says may hold escape sequences. On a terminal they would move the cursor, change the
title or paste into the shell: `visible` shows them as what they are, and every command prints through this module.
"""

from __future__ import annotations

import json
import unicodedata
from datetime import datetime
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")

_NOT_SHOWN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, invisible direction marks, broken text, odd line ends


def print_json(data: Any) -> None:
    click.echo(_escaped(json.dumps(data, ensure_ascii=False, indent=2)))


def print_json_line(data: Any) -> None:
    click.echo(_escaped(json.dumps(data, ensure_ascii=False)))


def say(text: str = "", *, nl: bool = True) -> None:
    """For people: line ends and tabs stay, every other control character is shown."""
    click.echo(visible(text), nl=nl)


def visible(text: str) -> str:
    """`ESC[2J` becomes `\\x1b[2J`: the same text, harmless."""
    return "".join(c if c in "\n\t" or _harmless(c) else _code(c) for c in text)


def one_line(text: str) -> str:
    """The same on one line."""
    return visible(" ".join(text.split()))


def local(at: datetime) -> str:
    """The time on this machine's wall, with seconds; the date too where it is not today's."""
    here = at.astimezone()
    today = datetime.now(here.tzinfo).date()
    return f"{here:%H:%M:%S}" if here.date() == today else f"{here:%b %d %H:%M:%S}"


def _harmless(character: str) -> bool:
    """The joiner of compound emoji is the one invisible character that does nothing else."""
    if character.isascii():
        return character.isprintable()
    return character == "\u200d" or unicodedata.category(character) not in _NOT_SHOWN


def _code(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _escaped(text: str) -> str:
    """JSON escapes the controls below U+0020 itself; the others that terminals obey are written the same way."""
    return "".join(c if c == "\n" or _harmless(c) else json.dumps(c)[1:-1] for c in text)
