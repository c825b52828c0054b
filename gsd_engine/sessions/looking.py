"""Is Claude Code still there, and does it stand at its prompt? What hooks never said is found out here.

SIGKILL sends no hook, and neither does Esc. A pane that is gone, dead, or has nothing but its shell left is *lost*. A
session that has been silent for long and stands at an idle prompt has no turn under way.
"""

from __future__ import annotations

import subprocess
import time
from datetime import timedelta
from typing import Any

from gsd_engine.config import Config
from gsd_engine.context import session_by_name
from gsd_engine.domain.events import FoundIdle, SessionLost
from gsd_engine.domain.records import Session
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.screen import read_screen
from gsd_engine.effects.tmux import NoServer, PaneGone, PaneRef, Tmux, TmuxError
from gsd_engine.engine import Engine
from gsd_engine.sessions.reporting import session_reports
from gsd_engine.store import commands, queues, sessions

SILENCE = timedelta(seconds=90)
"""After this long without a hook a session is looked at."""

SECONDS_BETWEEN_TWO_LOOKS = 0.5
"""A screen is redrawn in steps: what is seen once may be half of it."""

OVER = ("ended", "lost")
_SHELLS = {"bash", "zsh", "fish", "sh", "dash", "ksh", "mksh", "tcsh", "csh", "nu", "pwsh"}


def check(config: Config, engine: Engine, session: str | None = None) -> dict[str, Any]:
    """Look at one session or at all; returns what there is afterwards, and which of them were found lost."""
    if session is not None:
        session_by_name(config, engine.database, session)
    with engine.database.read() as connection:
        every = [s for s in sessions.everyone(connection) if s.host == config.host and session in (None, s.name)]
    lost = [s.name for s in every if s.state not in OVER and look_at(engine, s) == "lost"]
    return {"sessions": session_reports(config, engine, [s.name for s in every]), "lost": lost}


def look_at(engine: Engine, session: Session, silence: timedelta = SILENCE) -> str:
    """One look, and the step that it leads to: `lost`, `idle`, or what the screen shows."""
    try:
        tmux, pane = pane_of(session)
        gone = why_gone(tmux, pane)
    except (PaneGone, NoServer) as error:
        gone = str(error)
    if gone is not None:
        engine.step(SessionLost(who=session.id, reason=gone))
        return "lost"
    kind = read_screen(tmux.capture(pane, escapes=True)).kind
    silent = engine.clock() - session.last_event_at >= silence
    if not silent or kind != "prompt" or not _turn_under_way(engine, session):
        return kind
    time.sleep(SECONDS_BETWEEN_TWO_LOOKS)
    if read_screen(tmux.capture(pane, escapes=True)).kind != "prompt":
        return "redrawn"
    engine.step(FoundIdle(who=session.id, silent_since=session.last_event_at))
    return "idle"


def _turn_under_way(engine: Engine, session: Session) -> bool:
    """As far as hooks told: an idle session without an accepted command needs no look at its screen."""
    if session.state in ("working", "asking"):
        return True
    with engine.database.read() as connection:
        queue = queues.newest(connection, session.id)
        active = commands.of_queue(connection, queue.id) if queue is not None and queue.state == "active" else []
    return session.state != "failing" and any(c.state == "active" and c.accepted_at is not None for c in active)


def why_gone(tmux: Tmux, pane: PaneRef) -> str | None:
    """None while Claude Code may be there. A shell with a child (a wrapper, a suspended Claude Code) is not alone."""
    state = tmux.pane_state(pane)
    if state.dead:
        return "its process ended"
    if state.command.lstrip("-") in _SHELLS and not _has_children(state.pid):
        return f"only its shell ({state.command}) is left in the pane"
    return None


def _has_children(pid: int) -> bool:
    try:
        listed = subprocess.run(["ps", "-A", "-o", "ppid="], capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return True  # not known: nobody is declared gone on a guess
    return str(pid) in listed.stdout.split()


def screen_kind(config: Config, engine: Engine, name: str) -> str:
    """What stands in the pane now: `prompt`, `working`, a dialog …, or `gone`."""
    with engine.database.read() as connection:
        session = sessions.by_name(connection, config.host, name)
    if session is None:
        return "gone"
    try:
        tmux, pane = pane_of(session)
        return "gone" if why_gone(tmux, pane) else read_screen(tmux.capture(pane, escapes=True)).kind
    except TmuxError:
        return "gone"
