"""Looks what became of a text whose receipt has not come.

Enter is pressed again only while our own text still stands alone in the input line, at most twice more. A session that
works is waited for: Claude Code keeps what is typed during a turn and submits it afterwards.
"""

from __future__ import annotations

from datetime import timedelta

from gsd_engine.config import Config
from gsd_engine.domain.effects import AwaitReceipt
from gsd_engine.domain.records import Delivery, EffectRow, Session
from gsd_engine.domain.results import Done, Later, Result
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.screen import own_text_stands, read_screen
from gsd_engine.effects.tmux import PaneRef, Tmux, TmuxError, pane_lock
from gsd_engine.effects.typing import MOST_ENTER_PRESSES, press_enter_again, text_to_paste
from gsd_engine.engine import Engine
from gsd_engine.store import deliveries, sessions

DEADLINE = timedelta(seconds=10)
"""After this long at an idle prompt without a receipt, arrival is in doubt."""

LONGEST_TURN = timedelta(hours=6)
BETWEEN_LOOKS = timedelta(seconds=1)
BETWEEN_LOOKS_AT_WORK = timedelta(seconds=5)


class ReceiptPerformer:
    def __init__(self, config: Config, engine: Engine) -> None:
        self.config, self.engine = config, engine

    def __call__(self, effect: AwaitReceipt, row: EffectRow) -> Result:
        with self.engine.database.read() as connection:
            delivery = deliveries.by_id(connection, effect.delivery_id)
            session = sessions.by_id(connection, delivery.session_id) if delivery is not None else None
        if delivery is None or session is None or delivery.state != "typed":
            return Done({"seen": "settled"})
        try:
            return self._look(delivery, session, row)
        except TmuxError as error:
            return Done({"seen": f"no pane: {error}"})

    def _look(self, delivery: Delivery, session: Session, row: EffectRow) -> Result:
        tmux, pane = pane_of(session)
        screen = read_screen(tmux.capture(pane, escapes=True))
        if screen.unknown_command is not None and _names(delivery.text, screen.unknown_command):
            return Done({"seen": "unknown_command"})
        age = self.engine.clock() - (delivery.typed_at or delivery.staged_at)
        if own_text_stands(screen, text_to_paste(delivery.text)) and row.attempts < MOST_ENTER_PRESSES:
            self._press_enter(tmux, pane, delivery)
            return Later(BETWEEN_LOOKS, "our text stood in the input line: Enter was pressed again")
        if screen.kind != "prompt" and age < LONGEST_TURN:
            return Later(BETWEEN_LOOKS_AT_WORK, f"the screen shows {screen.kind}")
        if age < DEADLINE:
            return Later(BETWEEN_LOOKS, "no receipt yet")
        return Done({"seen": "nothing"})

    def _press_enter(self, tmux: Tmux, pane: PaneRef, delivery: Delivery) -> None:
        with pane_lock(self.config.home / "panes", pane, 10.0):
            press_enter_again(tmux, pane, delivery.text)


def _names(text: str, unknown: str) -> bool:
    """Whether the command that Claude Code does not know is the one in this text."""
    return text.split()[0].lstrip("/") == unknown.lstrip("/")
