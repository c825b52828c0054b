"""The screen as a pure function of what there is to show: conversation, working line, then input box or menu."""

from __future__ import annotations

from dataclasses import dataclass

from gsd_engine.simulation.dialect import Dialect
from gsd_engine.simulation.menu import Menu
from gsd_engine.simulation.menu_view import render, wrapped
from gsd_engine.simulation.terminal import Frame, Line

FOOTER = "  ⏵⏵ bypass permissions on (shift+tab to cycle)"
_SPINNER = "·✢✳✶✻✽"


@dataclass(frozen=True)
class Block:
    """One entry of the conversation; `close` ones stand right under the entry before, without an empty line."""

    first: str
    text: str
    close: bool = False
    rest: str = "  "

    def lines(self, width: int) -> list[str]:
        lines = wrapped(self.text, width, len(self.first))
        body = [self.first + lines[0][len(self.first) :]]
        body += [(self.rest + line[len(self.first) :]).rstrip() for line in lines[1:]]
        return body if self.close else ["", *body]


def prompt_block(text: str) -> Block:
    return Block("❯ ", text)


def answer_block(text: str) -> Block:
    """Claude's text; the marks of inline code are not shown."""
    return Block("● ", text.replace("`", ""))


def result_block(text: str) -> Block:
    return Block("  ⎿  ", text, close=True, rest="     ")


@dataclass(frozen=True)
class View:
    """All there is to show at one moment."""

    dialect: Dialect
    directory: str
    blocks: tuple[Block, ...]
    input_text: str
    ghost: str
    queued: tuple[str, ...]
    working: str | None
    menu: Menu | None
    rewinding: bool = False
    ticks: int = 0


def compose(view: View, width: int, height: int) -> Frame:
    above = [Line(line) for line in _conversation(view, width)]
    if view.rewinding:
        return _clipped([*above, *[Line(line) for line in _rewind(width)]], None, height)
    if view.menu is not None:
        menu = [Line(line) for line in render(view.menu, width, height)]
        return _clipped([*above, *menu], None, height)
    above += _working(view)
    box, cursor = _input_box(view, width)
    bottom = [*_badge(view, width), *box, *_footer(view, width)]
    gap = max(0, height - len(above) - len(bottom)) if view.dialect.fills_the_pane else 0
    row = len(above) + gap + len(bottom) - len(_footer(view, width)) - 2
    return _clipped([*above, *[Line("")] * gap, *bottom], (row, cursor), height)


def _clipped(lines: list[Line], cursor: tuple[int, int] | None, height: int) -> Frame:
    """A pane shows the end of what is too long for it."""
    hidden = max(0, len(lines) - height)
    shown = None if cursor is None else (cursor[0] - hidden, cursor[1])
    return Frame(tuple(lines[hidden:]), shown)


def _conversation(view: View, width: int) -> list[str]:
    words = (f"Claude Code v{view.dialect.version}", view.dialect.model_title, view.directory)
    header = [logo + word for logo, word in zip(view.dialect.logo, words, strict=True)]
    lines = [""] * view.dialect.top_margin + header + [""]
    for block in view.blocks:
        lines += block.lines(width)
    return lines


def _working(view: View) -> list[Line]:
    lines = [Line("")]
    if view.working is not None:
        star = _SPINNER[view.ticks % len(_SPINNER)]
        lines += [Line(f"{star} {view.working}… (esc to interrupt)"), Line("")]
    for text in view.queued:
        lines += [Line(f"❯ {line}" if index == 0 else f"  {line}", 0) for index, line in enumerate(text.split("\n"))]
    return lines


def _input_box(view: View, width: int) -> tuple[list[Line], int]:
    rule = Line("─" * width)
    if not view.input_text:
        return [rule, Line(f"❯ {view.ghost}".rstrip() if view.ghost else "❯ ", 2 if view.ghost else None), rule], 2
    lines: list[str] = []
    for line in view.input_text.split("\n"):
        lines += [line[start : start + width - 3] for start in range(0, len(line), width - 3)] or [""]
    shown = [Line(("❯ " if index == 0 else "  ") + line) for index, line in enumerate(lines)]
    return [rule, *shown, rule], 2 + len(lines[-1])


def _badge(view: View, width: int) -> list[Line]:
    """Newer versions show the effort above the input box, older ones in the footer."""
    if not view.dialect.fills_the_pane:
        return []
    return [Line(view.dialect.effort_badge.rjust(width - 2))]


def _footer(view: View, width: int) -> list[Line]:
    if view.dialect.fills_the_pane:
        return [Line(FOOTER)]
    agents = f"{FOOTER} · ← for agents"
    badge = view.dialect.effort_badge
    return [Line(agents + badge.rjust(width - 2 - len(agents)) if width > len(agents) + len(badge) + 4 else FOOTER)]


def _rewind(width: int) -> list[str]:
    return [
        "",
        "─" * width,
        "  Rewind",
        "",
        "  Restore the code and/or conversation to the point before…",
        "",
        "  ❯ (current)",
        "",
        "  Enter to continue · Esc to exit",
    ]
