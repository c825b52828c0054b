"""What a look at a silent session found: hooks that were never sent are made up for."""

from __future__ import annotations

from gsd_engine.decide import question, queue, session
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.events import FoundIdle, SessionLost
from gsd_engine.rules import messages


def lost(draft: Draft, world: World, event: SessionLost) -> str:
    if world.session.state in ("ended", "lost"):
        return f"session/lost/already_{world.session.state}"
    session.close(draft, world, "lose", event.reason, "Claude Code is gone", messages.session_lost(event.reason))
    return "session/lost"


def found_idle(draft: Draft, world: World, event: FoundIdle) -> str:
    """The turn is over without a Stop: it was interrupted. Without a queue that is between Claude Code and a person."""
    if world.session.last_event_at != event.silent_since:
        return "watch/not_silent_any_more"
    if world.session.state in ("failing", "ended", "lost"):
        return f"watch/{world.session.state}"  # its turn is over, and the agent knows why
    world = session.shift(draft, world, "stop", reason="the screen shows an idle prompt")
    question.abandon(draft, world, "the screen shows an idle prompt")
    command = world.active_command if world.active_queue is not None else None
    if command is None or command.accepted_at is None:
        return "watch/idle"
    queue.fail(draft, world, command, "interrupted")
    return "watch/interrupted"
