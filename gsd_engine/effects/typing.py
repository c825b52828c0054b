"""The act of typing one text into Claude Code's pane: look, paste once, look, press Enter, look.

The rules, in the order in which they protect someone:
- Nothing is typed where a dialog is open, where no input line is drawn, or into a person's draft.
- `before_keys` is called once, right before the first key goes out. From then on the text may have been typed, whatever
  happens (an exception included): it is never pasted a second time, by nobody.
- Enter is a call of its own. It is pressed only while our own text stands alone in the input line, at most three times:
  a dialog that opened meanwhile, or letters that a person added, are not answered and not sent.
- Enter must mean "send". After a word that begins with `/` or `@` it would take the first entry of the completion list
  (`/cle` ran `/clear`), after a backslash it would make a new line. A line feed at the end of the paste prevents all of
  that, and Claude Code drops it when it submits (measured on 2.1.197 and 2.1.326; a space prevents none of it).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gsd_engine.effects.screen import Screen, own_text_stands, read_screen
from gsd_engine.effects.tmux import NoServer, PaneGone, PaneRef, Tmux, clean_text

RefusalReason = Literal["dialog_open", "draft", "no_input_line", "pane_gone"]

WAIT_FOR_PROMPT_SECONDS = 30.0
MOST_ENTER_PRESSES = 3
_SECONDS_TO_APPEAR = 3.0
_SECONDS_TO_LEAVE = 1.0
_SECONDS_BETWEEN_LOOKS = 0.05
_ENTER_WOULD_COMPLETE = re.compile(r"^/|(?:^|\s)\S*@\S*$|\\$")

Look = Callable[[], Screen]


@dataclass(frozen=True)
class Typed:
    """The keys went out. `stands`: our text is still in the input line, so it was not sent (yet).

    No press at all: the text was pasted and did not show up as ours alone. Only a receipt can tell what became of it.
    """

    enter_presses: int
    stands: bool


@dataclass(frozen=True)
class Refused:
    """No key went out."""

    reason: RefusalReason


@dataclass(frozen=True)
class Pace:
    """Time as the act of typing needs it; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        deadline = self.now() + seconds
        while not condition():
            if self.now() >= deadline:
                return False
            self.sleep(_SECONDS_BETWEEN_LOOKS)
        return True


def type_text(
    tmux: Tmux,
    pane: PaneRef,
    text: str,
    *,
    wait_for_prompt: float = WAIT_FOR_PROMPT_SECONDS,
    before_keys: Callable[[], None] = lambda: None,
    look: Look | None = None,
    pace: Pace | None = None,
) -> Typed | Refused:
    look, pace = look or _look_at(tmux, pane), pace or Pace()
    pasted = text_to_paste(text)
    try:
        refusal = _wait_for_an_empty_input_line(look, wait_for_prompt, pace)
        if refusal is not None:
            return Refused(refusal)
        before_keys()
        tmux.leave_copy_mode(pane)
        tmux.paste(pane, pasted)
    except (PaneGone, NoServer):
        return Refused("pane_gone")
    return _send(tmux, pane, pasted, look, pace)


def press_enter_again(
    tmux: Tmux, pane: PaneRef, text: str, *, look: Look | None = None, pace: Pace | None = None
) -> Typed:
    """One more Enter for a text that was typed earlier, if it still stands alone in the input line."""
    look, pace = look or _look_at(tmux, pane), pace or Pace()
    pasted = text_to_paste(text)
    try:
        if not own_text_stands(look(), pasted):
            return Typed(0, stands=False)
        tmux.leave_copy_mode(pane)
        tmux.press(pane, "Enter")
        return Typed(1, stands=not _leaves(look, pasted, pace))
    except (PaneGone, NoServer):
        return Typed(0, stands=False)


def text_to_paste(text: str) -> str:
    """The text without control characters, and with a line feed at its end where Enter would not just send it."""
    cleaned = clean_text(text)
    return f"{cleaned}\n" if _ENTER_WOULD_COMPLETE.search(cleaned) else cleaned


def _look_at(tmux: Tmux, pane: PaneRef) -> Look:
    return lambda: read_screen(tmux.capture(pane, escapes=True))


def _wait_for_an_empty_input_line(look: Look, seconds: float, pace: Pace) -> RefusalReason | None:
    """A dialog is refused at once: it waits for a decision. A draft, or a screen being redrawn, may go away."""
    screens: list[Screen] = []

    def decided() -> bool:
        screens.append(look())
        return _objection(screens[-1]) in (None, "dialog_open")

    pace.until(decided, seconds)
    return _objection(screens[-1])


def _objection(screen: Screen) -> RefusalReason | None:
    if screen.kind in ("menu", "permission", "startup_dialog"):
        return "dialog_open"
    if not screen.has_input_line:
        return "no_input_line"
    return "draft" if screen.input_text else None


def _send(tmux: Tmux, pane: PaneRef, pasted: str, look: Look, pace: Pace) -> Typed:
    presses = 0
    try:
        stands = pace.until(lambda: own_text_stands(look(), pasted), _SECONDS_TO_APPEAR)
        while stands and presses < MOST_ENTER_PRESSES:
            tmux.press(pane, "Enter")
            presses += 1
            stands = not _leaves(look, pasted, pace)
    except (PaneGone, NoServer):
        return Typed(presses, stands=False)
    return Typed(presses, stands)


def _leaves(look: Look, pasted: str, pace: Pace) -> bool:
    return pace.until(lambda: not own_text_stands(look(), pasted), _SECONDS_TO_LEAVE)
