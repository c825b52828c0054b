"""What is on Claude Code's screen, read from `tmux capture-pane -p -e`. Pure: text in, a frozen value out.

Everything the engine knows about how Claude Code draws itself is in this file. The theory:

- At the bottom stands a box between two rules: `❯ ` (or `! ` for a shell command) and what is in the input line, its
  further rows indented by two. Only then can anything be typed. Below it are status lines, above it the conversation.
- Ghost text (suggestions, hints) is dim, and its first letter may be under the reversed cursor: it is nobody's draft.
- A turn is running while the lowest row above the box that begins in column 0 is a spinner (`✻ Cooking… (3s)`; when the
  turn is over the row says `✻ Cooked for 3s`, without the ellipsis), or a status line says `esc to interrupt`. Neither
  alone would do: a draft takes the status line away, a long list of queued texts pushes the spinner off the screen.
- A dialog takes the place of the box. Where there is no box, nothing is ever typed, whether the dialog is known or not.
- A box taller than the pane is cut: newer versions say `↑ 19 more` in the rule, older ones draw beyond the top.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

Kind = Literal["prompt", "working", "menu", "permission", "startup_dialog", "unknown"]


@dataclass(frozen=True)
class Screen:
    """One look at a pane.

    `input_cut`: the box shows only a part of the input line. `pasted`: a placeholder stands for a long paste.
    `unknown_command`: the newest output rejects this command. `interrupted`: the newest turn was stopped by Esc.
    """

    kind: Kind
    input_text: str = ""
    input_cut: bool = False
    pasted: bool = False
    unknown_command: str | None = None
    queued: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def has_input_line(self) -> bool:
        return self.kind in ("prompt", "working")


def read_screen(captured: str) -> Screen:
    rows = _rows(captured)
    box = _find_box(rows)
    if box is None:
        return Screen(_kind_of_dialog(rows))
    above = [row.plain for row in rows[: box.top]]
    even = {index for index, row in enumerate(rows[: box.top]) if row.even}
    below = [row.plain for row in rows[box.bottom + 1 :]]
    return Screen(
        kind="working" if _is_working(above, below) else "prompt",
        input_text=box.text,
        input_cut=box.cut,
        pasted=bool(_PLACEHOLDER.search(box.text)),
        unknown_command=_unknown_command(above),
        queued=_queued(above, even, box.text),
        interrupted=_interrupted(above),
    )


def own_text_stands(screen: Screen, text: str) -> bool:
    """Whether the input line holds this text, or the placeholder of its paste, and nothing else.

    White space is left out of the comparison, since a wrapped row hides whether there was a space at its end; so are
    symbols, since a terminal may draw an emoji in parts or not at all.
    """
    if not screen.has_input_line or not screen.input_text:
        return False
    seen, wanted = _squashed(screen.input_text), _squashed(text)
    if screen.input_cut:
        return len(seen) >= _CUT_MINIMUM and seen in wanted
    return seen == wanted or _is_placeholder_of(screen.input_text, text)


# Rows: what is drawn, and what of it somebody typed

_ESCAPE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]*)m"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # hyperlinks
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[()].|\x1b."
)


_Cell = tuple[str, bool, bool]  # the character, whether it is dim, whether it is reversed


@dataclass(frozen=True)
class _Row:
    """`plain`: what is drawn. `typed`: without ghost text. `even`: drawn in one style from its first character on."""

    plain: str
    typed: str
    even: bool


@dataclass
class _Pen:
    dim: bool = False
    reverse: bool = False

    def apply(self, sgr: str) -> None:
        """Colours are skipped as a whole: the 2 in `38;5;2` is a colour, not dim."""
        codes = iter(re.split("[;:]", sgr or "0"))
        for code in codes:
            if code in ("38", "48", "58"):
                skipped = {"5": 1, "2": 3}.get(next(codes, ""), 0)
                for _ in range(skipped):
                    next(codes, None)
            elif code in ("", "0"):
                self.dim = self.reverse = False
            elif code in ("2", "22"):
                self.dim = code == "2"
            elif code in ("7", "27"):
                self.reverse = code == "7"


def _rows(captured: str) -> list[_Row]:
    """tmux carries a style over the end of a line: one pen draws the whole screen."""
    pen = _Pen()
    return [_row(line, pen) for line in captured.replace("\r", "").split("\n")]


def _row(line: str, pen: _Pen) -> _Row:
    cells: list[_Cell] = []
    styles = 0
    for piece, escape in _pieces(line):
        cells += [(character, pen.dim, pen.reverse) for character in piece]
        styles += bool(piece.strip())
        if escape is not None and escape["sgr"] is not None:
            pen.apply(escape["sgr"])
    typed = (cell[0] for index, cell in enumerate(cells) if not _is_ghost(cell, cells[index + 1 : index + 2]))
    plain = _spaced("".join(character for character, _, _ in cells))
    return _Row(plain, _spaced("".join(typed)), even=styles <= 1)


def _pieces(line: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """The text up to each escape, with that escape; then the rest."""
    position = 0
    for escape in _ESCAPE.finditer(line):
        yield line[position : escape.start()], escape
        position = escape.end()
    yield line[position:], None


def _is_ghost(cell: _Cell, following: Sequence[_Cell]) -> bool:
    """Dim, or the cursor on the first letter of what is dim."""
    _, dim, reverse = cell
    return dim or (reverse and any(next_dim for _, next_dim, _ in following))


def _spaced(text: str) -> str:
    return text.replace("\xa0", " ").rstrip()


# The box

_RULE = re.compile(r"─{3}(?:[^─]*─{3,}|─{5,})$|─{8,}[^─]+─+$")  # a title or `↑ 19 more` may stand in it
_MARK = re.compile(r"(?P<mark>[❯!])(?: |$)")
_CUT_RULE = re.compile(r"[↑↓] \d+ more")


@dataclass(frozen=True)
class _Box:
    """Rows `top` to `bottom` are the box, rules included (`top` is 0 where the upper rule is off the screen)."""

    top: int
    bottom: int
    text: str
    cut: bool


def _find_box(rows: Sequence[_Row]) -> _Box | None:
    rules = [index for index, row in enumerate(rows) if _RULE.match(row.plain)]
    if len(rules) >= 2 and (box := _box_between(rows, rules[-2], rules[-1])):
        return box
    if rules and _kind_of_dialog(rows) == "unknown":
        return _box_beyond_the_top(rows, rules[-1])
    return None


def _box_between(rows: Sequence[_Row], top: int, bottom: int) -> _Box | None:
    inside = rows[top + 1 : bottom]
    cut = bool(_CUT_RULE.search(rows[top].plain) or _CUT_RULE.search(rows[bottom].plain))
    begins = bool(inside) and bool(_MARK.match(inside[0].plain))
    if not (begins or cut) or not _are_further_rows(inside[1 if begins else 0 :]):
        return None
    return _Box(top, bottom, _box_text(inside), cut)


def _box_beyond_the_top(rows: Sequence[_Row], bottom: int) -> _Box | None:
    """Only where text fills the screen from its first row on: this guess must never pass for an empty input line."""
    inside = rows[:bottom]
    begins = bool(inside) and bool(_MARK.match(inside[0].plain))
    if not inside or not inside[0].plain or not _are_further_rows(inside[1 if begins else 0 :]):
        return None
    text = _box_text(inside)
    return _Box(0, bottom, text, cut=not begins) if text else None


def _are_further_rows(rows: Sequence[_Row]) -> bool:
    return all(row.plain.startswith("  ") or not row.plain for row in rows)


def _box_text(rows: Sequence[_Row]) -> str:
    """The mark of a shell command belongs to the text, the usual one does not."""
    lines = [row.typed for row in rows]
    first = _MARK.match(lines[0])
    if first:
        lines[0] = ("!" if first["mark"] == "!" else "") + lines[0][first.end() :]
    return "\n".join(line[2:] if line.startswith("  ") else line for line in lines).strip()


# The conversation above the box

_SPINNER = re.compile(r"[·✢✳✶✻✽*] \S[^…]*…(?: |$)")
_UNKNOWN = re.compile(r"● Unknown (?:slash )?command: (?P<name>\S+)")
_INTERRUPTED = re.compile(r"\s+⎿\s+Interrupted\b")
_PLACEHOLDER = re.compile(r"\[Pasted text #\d+(?: \+(?P<more>\d+) lines?)?\]")
_CUT_MINIMUM = 40


def _column_0(above: Sequence[str]) -> list[int]:
    return [index for index, row in enumerate(above) if row and not row[0].isspace()]


def _is_working(above: Sequence[str], below: Sequence[str]) -> bool:
    starts = _column_0(above)
    spinner = bool(starts) and bool(_SPINNER.match(above[starts[-1]]))
    return spinner or "esc to interrupt" in " ".join(below)


def _unknown_command(above: Sequence[str]) -> str | None:
    newest = [above[index] for index in _column_0(above)[-2:]]
    if newest and newest[-1].startswith("● Args from unknown"):
        newest.pop()
    rejected = _UNKNOWN.match(newest[-1]) if newest else None
    return rejected["name"].rstrip(".") if rejected else None


def _interrupted(above: Sequence[str]) -> bool:
    starts = _column_0(above)
    return any(_INTERRUPTED.match(row) for row in above[starts[-1] :]) if starts else False


def _queued(above: Sequence[str], even: Set[int], input_text: str) -> tuple[str, ...]:
    """Texts that wait for the end of the turn: newer versions list them above the spinner, older ones below, indented.

    The prompt that is being worked on may stand right above them. It differs in its colours alone: its mark has another
    than its text.
    """
    starts = _column_0(above)
    if not starts or not _SPINNER.match(above[starts[-1]]):
        return ()
    before = takewhile(lambda index: index in even and above[index].startswith("❯ "), reversed(starts[:-1]))
    completing = input_text.startswith("/") or "@" in input_text  # newer versions draw that list in the same place
    after = [] if completing else [row for row in above[starts[-1] :] if row.startswith("  ❯ ")]
    return tuple(reversed([above[index][2:] for index in before])) + tuple(row[4:] for row in after)


def _squashed(text: str) -> str:
    return "".join(character for character in text if "!" <= character <= "~" or _is_letter(character))


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNP"


def _is_placeholder_of(shown: str, text: str) -> bool:
    placeholder = _PLACEHOLDER.fullmatch(shown.strip())
    return placeholder is not None and int(placeholder["more"] or 0) == text.count("\n")


# Dialogs

_CHAT_ROW = re.compile(r"(?:❯ )?\s*(?:\d+\.\s*)?(?:❯ )?Chat about this$")
_PERMISSION = re.compile(r"(?:Do you want to|Would you like to) [^?]*\? ❯? ?(?:1\. ?)?Yes")
_STARTUP = (
    "Do you trust the files in this folder",
    "Quick safety check",
    "Yes, I trust this folder",
    "Bypass Permissions mode",
    "Choose the text style",
    "Detected a custom API key",
    "Select login method",
    "Security notes",
)


def _kind_of_dialog(rows: Sequence[_Row]) -> Kind:
    if _is_menu(rows):
        return "menu"
    everything = " ".join(" ".join(row.plain for row in rows).split())
    if any(sign in everything for sign in _STARTUP):
        return "startup_dialog"
    return "permission" if _PERMISSION.search(everything) else "unknown"


def _is_menu(rows: Sequence[_Row]) -> bool:
    """AskUserQuestion, by its last rows: the row `Chat about this`, or the review of the answers."""
    drawn = [row.plain for row in rows if row.plain]
    if any(_CHAT_ROW.match(row) for row in drawn[-6:]):
        return True
    return any(row.endswith("1. Submit answers") for row in drawn[-3:])
