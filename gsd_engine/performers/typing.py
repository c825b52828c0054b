"""Puts a delivery's text into its pane, at most once.

`TypingBegan` is committed immediately before the first key. If it is refused (the queue was cancelled while a draft was
being waited for), nothing is typed.
"""

from __future__ import annotations

from gsd_engine.config import Config
from gsd_engine.domain.effects import TypeText
from gsd_engine.domain.events import TypingBegan
from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.results import Done, Failed, Result
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.tmux import PaneBusy, TmuxError, pane_lock
from gsd_engine.effects.typing import Refused, type_text
from gsd_engine.engine import Engine
from gsd_engine.errors import Refusal
from gsd_engine.store import deliveries, sessions

LOCK_SECONDS = 60.0


class TypingPerformer:
    def __init__(self, config: Config, engine: Engine) -> None:
        self.config, self.engine = config, engine

    def __call__(self, effect: TypeText, row: EffectRow) -> Result:
        with self.engine.database.read() as connection:
            delivery = deliveries.by_id(connection, effect.delivery_id)
            session = sessions.by_id(connection, delivery.session_id) if delivery is not None else None
        if delivery is None or session is None or delivery.state != "staged":
            return Done({"withdrawn": True})

        began = False

        def begin() -> None:
            nonlocal began
            self.engine.step(TypingBegan(who=session.id, delivery_id=delivery.id, transport="keys"))
            began = True

        try:
            tmux, pane = pane_of(session)
            with pane_lock(self.config.home / "panes", pane, LOCK_SECONDS):
                outcome = type_text(tmux, pane, delivery.text, before_keys=begin)
        except Refusal:
            return Done({"withdrawn": True})
        except PaneBusy:
            return Failed("pane_busy")
        except TmuxError as error:
            # Once keys may have gone out, only a receipt or its deadline can tell what became of them.
            return Done({"trouble": str(error)}) if began else Failed(f"pane_gone: {error}")
        if isinstance(outcome, Refused):
            return Failed(outcome.reason)
        return Done({"enter_presses": outcome.enter_presses})
