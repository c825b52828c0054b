"""The pane of a session: where its hooks said they come from, else where tmux finds its name."""

from __future__ import annotations

from gsd_engine.domain.records import Session
from gsd_engine.effects.tmux import PaneGone, PaneRef, Tmux


def pane_of(session: Session) -> tuple[Tmux, PaneRef]:
    tmux = Tmux(session.socket)
    if session.pane_id is not None:
        return tmux, PaneRef(session.socket, session.pane_id, session.name)
    found = tmux.find_session(session.name)
    if found is None:
        raise PaneGone(f"no tmux session {session.name}")
    return tmux, found
