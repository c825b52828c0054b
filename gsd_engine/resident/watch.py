"""Looks after sessions that have been silent for long: no hook tells of an interrupted turn or a killed process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta

from gsd_engine.effects.tmux import TmuxError
from gsd_engine.engine import Engine
from gsd_engine.log import ROOT, note
from gsd_engine.sessions.looking import OVER, SILENCE, look_at
from gsd_engine.store import sessions

MOST_SECONDS_BETWEEN_ROUNDS = 10.0


class Watch:
    """A silent session is looked at once per `silence`, not at every round."""

    def __init__(
        self, engine: Engine, host: str, silence: timedelta = SILENCE, nudge: Callable[[], None] = lambda: None
    ) -> None:
        self.engine, self.host, self.silence, self.nudge = engine, host, silence, nudge
        self._looked_at: dict[int, float] = {}

    def run(self, leaving: threading.Event) -> None:
        between_rounds = min(self.silence.total_seconds() / 3, MOST_SECONDS_BETWEEN_ROUNDS)
        while not leaving.wait(between_rounds):
            try:
                self.round()
            except Exception:
                ROOT.exception("the watch over silent sessions failed; it goes on")

    def round(self) -> None:
        now, silent_since = time.monotonic(), self.engine.clock() - self.silence
        with self.engine.database.read() as connection:
            watched = [s for s in sessions.everyone(connection) if s.host == self.host and s.state not in OVER]
        for session in watched:
            last = self._looked_at.get(session.id, float("-inf"))
            if session.last_event_at > silent_since or now - last < self.silence.total_seconds():
                continue
            self._looked_at[session.id] = now
            try:
                found = look_at(self.engine, session, self.silence)
            except TmuxError as error:
                found = f"nothing: {error}"
            note("looked at a silent session", session=session.name, found=found)
            self.nudge()
