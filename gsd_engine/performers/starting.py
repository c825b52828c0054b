"""Looks how a spawned Claude Code comes up. A dialog in its way is told once and left to a person."""

from __future__ import annotations

from datetime import timedelta

from gsd_engine.domain.effects import AwaitStart
from gsd_engine.domain.records import EffectRow, Session
from gsd_engine.domain.results import Done, Later, Result
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.screen import read_screen
from gsd_engine.effects.tmux import TmuxError
from gsd_engine.engine import Engine
from gsd_engine.store import sessions

BETWEEN_LOOKS = timedelta(seconds=0.5)
TIME_TO_APPEAR = timedelta(seconds=5)
TIME_TO_REPORT = timedelta(seconds=60)
"""At its prompt, and its SessionStart has not come: hooks are missing, or they do not reach this engine."""
PATIENCE_WITH_A_DIALOG = timedelta(hours=1)


class StartPerformer:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def __call__(self, effect: AwaitStart, row: EffectRow) -> Result:
        with self.engine.database.read() as connection:
            session = sessions.by_id(connection, row.session_id or 0)
        if session is None or session.state in ("ended", "lost"):
            return Done({"seen": "over"})
        return self._look(effect, session, self.engine.clock() - row.created_at)

    def _look(self, effect: AwaitStart, session: Session, age: timedelta) -> Result:
        try:
            tmux, pane = pane_of(session)
            kind = read_screen(tmux.capture(pane, escapes=True)).kind
        except TmuxError as error:
            if age < TIME_TO_APPEAR:
                return Later(BETWEEN_LOOKS, str(error))
            return Done({"seen": "not_ready", "reason": f"its pane is gone ({error})"})
        if kind == "prompt" and session.state != "starting":
            return Done({"seen": "ready"})
        if kind == "startup_dialog" and not effect.told:
            return Done({"seen": "startup_dialog"})
        if age < (PATIENCE_WITH_A_DIALOG if kind == "startup_dialog" else TIME_TO_REPORT):
            return Later(BETWEEN_LOOKS, f"the screen shows {kind}")
        return Done({"seen": "not_ready", "reason": _reason(session, kind)})


def _reason(session: Session, kind: str) -> str:
    if session.state == "starting" and kind in ("prompt", "working"):
        return "its hooks have not reported its start (gsd-engine hooks status)"
    return f"the screen shows {kind}"
