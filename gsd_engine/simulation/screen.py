"""The screen as a pure function of what there is to show: conversation, working line, then input box or menu.

Styles are drawn where a reader of screens depends on them: dim text is nobody's, the cursor is a reversed cell, and the
mark of a prompt has another colour than its text.
"""

from __future__ import annotations

from dataclasses import dataclass

from gsd_engine.simulation.dialect import Dialect
from gsd_engine.simulation.menu import Menu
from gsd_engine.simulation.menu_view import render, wrapped
from gsd_engine.simulation.terminal import Line, Span

FOOTER = "  ⏵⏵ bypass permissions on (shift+tab to cycle)"
QUEUE_HINT = "Press up to edit queued messages"
NO_BREAK = "\xa0"
_SPINNER = "·✢✳✶✻✽"
_PROMPT_TEXT, _GREY, _YELLOW, _DIM, _REVERSED = "38;5;231;48;5;237", "38;5;246", "38;5;220", "2", "7"


@dataclass(frozen=True)
class Block:
    """One entry of the conversation; a `close` one stands right under the entry before, without an empty line."""

    mark: str
    text: str
    mark_style: str = ""
    text_style: str = ""
    close: bool = False

    def lines(self, width: int) -> list[Line]:
        first, *others = (line[len(self.mark) :] for line in wrapped(self.text, width, len(self.mark)))
        indent = " " * len(self.mark)
        body = [(Span(self.mark, self.mark_style), Span(first, self.text_style))]
        body += [(Span(indent, self.mark_style), Span(line, self.text_style)) for line in others]
        return [*([] if self.close else [_plain("")]), *body]


def prompt_block(text: str, dialect: Dialect) -> Block:
    return Block("❯ ", text, dialect.prompt_mark_style, _PROMPT_TEXT)


def answer_block(text: str) -> Block:
    """Claude's text; the marks of inline code are not shown."""
    return Block("● ", text.replace("`", ""))


def warning_block(text: str) -> Block:
    return Block("● ", text, _YELLOW, _YELLOW)


def tool_block(text: str) -> Block:
    return Block(f"●{NO_BREAK}", text)


def result_block(text: str) -> Block:
    return Block(f"  ⎿ {NO_BREAK}", text, _GREY, _GREY, close=True)


def local_result_block(text: str) -> Block:
    """What a command of the program itself printed."""
    return Block("  ⎿  ", text, _GREY, close=True)


def worked_block(text: str) -> Block:
    return Block("✻ ", text, _GREY, _GREY)


@dataclass(frozen=True)
class View:
    """All there is to show at one moment; `working` is the word of the working line, while there is one."""

    dialect: Dialect
    directory: str
    blocks: tuple[Block, ...]
    input_text: str
    ghost: str
    queued: tuple[str, ...]
    working: str | None
    seconds: int
    menu: Menu | None
    rewinding: bool
    ticks: int


def compose(view: View, width: int, height: int) -> list[Line]:
    """A pane shows the end of what is too long for it."""
    above = _conversation(view, width)
    if view.rewinding or view.menu is not None:
        dialog = _rewind(width) if view.menu is None else render(view.menu, width, height)
        return [*above, *map(_plain, dialog)][-height:]
    above += _working(view)
    bottom = [*_badge(view, width), *_input_box(view, width), *_footer(view, width)]
    gap = max(0, height - len(above) - len(bottom)) if view.dialect.fills_the_pane else 0
    return [*above, *[_plain("")] * gap, *bottom][-height:]


def _plain(text: str) -> Line:
    return (Span(text),)


def _conversation(view: View, width: int) -> list[Line]:
    words = (f"Claude Code v{view.dialect.version}", view.dialect.model_title, view.directory)
    header = [logo + word for logo, word in zip(view.dialect.logo, words, strict=True)]
    lines = [_plain(line) for line in [*[""] * view.dialect.top_margin, *header, ""]]
    for block in view.blocks:
        lines += block.lines(width)
    return lines


def _working(view: View) -> list[Line]:
    queued = _queued(view)
    if view.working is None:
        return [*queued, _plain("")]
    since = f"({view.seconds}s · ↓ 13 tokens)" if view.seconds else ""
    spinner = [_plain(f"{_SPINNER[view.ticks % len(_SPINNER)]} {view.working}… {since}")]
    lines = [*queued, _plain(""), *spinner] if view.dialect.fills_the_pane else [_plain(""), *spinner, *queued]
    return [*lines, _plain("")]


def _queued(view: View) -> list[Line]:
    mark = "❯ " if view.dialect.fills_the_pane else "  ❯ "
    styles = view.dialect.queued_mark_style, view.dialect.queued_text_style
    return [
        (Span(mark if index == 0 else " " * len(mark), styles[0]), Span(line, styles[1]))
        for text in view.queued
        for index, line in enumerate(text.split("\n"))
    ]


def _input_box(view: View, width: int) -> list[Line]:
    rule = _plain("─" * width)
    mark = Span(f"❯{NO_BREAK}")
    ghost = QUEUE_HINT if view.queued else view.ghost
    if not view.input_text and ghost:
        return [rule, (mark, Span(ghost[0], _REVERSED), Span(ghost[1:], _DIM)), rule]
    rows: list[str] = []
    for line in view.input_text.split("\n"):
        rows += [line[start : start + width - 3] for start in range(0, len(line), width - 3)] or [""]
    shown: list[Line] = [(mark if index == 0 else Span("  "), Span(row)) for index, row in enumerate(rows)]
    shown[-1] = (*shown[-1], Span(" ", _REVERSED))
    return [rule, *shown, rule]


def _badge(view: View, width: int) -> list[Line]:
    """Newer versions show the effort above the input box, older ones in the footer."""
    return [_plain(view.dialect.effort_badge.rjust(width - 2))] if view.dialect.fills_the_pane else []


def _footer(view: View, width: int) -> list[Line]:
    """A draft takes the further hints away."""
    hints = FOOTER
    if not view.input_text:
        hints += " · esc to interrupt" if view.working is not None else " · ← for agents"
    badge = "" if view.dialect.fills_the_pane else view.dialect.effort_badge
    fits = badge and width > len(hints) + len(badge) + 4
    return [_plain(hints + badge.rjust(width - 2 - len(hints)) if fits else hints)]


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
        "  Enter to continue · Esc to cancel",
    ]
