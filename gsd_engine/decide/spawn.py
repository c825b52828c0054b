"""Starting and ending Claude Code by request: what the store knows of it before and after tmux is asked."""

from __future__ import annotations

from datetime import timedelta

from gsd_engine.decide import queue, session
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import AwaitStart, Wake
from gsd_engine.domain.events import EffectReport, KillRequested, QueueRequested, SpawnRequested, Who
from gsd_engine.rules import messages
from gsd_engine.rules.texts import checked_commands

FIRST_LOOK = timedelta(seconds=0.5)
BETWEEN_LOOKS_AT_A_DIALOG = timedelta(seconds=1)


def requested(draft: Draft, world: World, event: SpawnRequested) -> str:
    """Whatever ran here before is over: a pane of that name was not there when this was asked."""
    assert isinstance(event.who, Who)
    if event.first_command is not None:
        checked_commands([event.first_command])
    if world.session.state not in ("starting", "ended", "lost"):
        world = session.close(
            draft, world, "lose", "spawned anew", "Claude Code is started anew", messages.session_lost("spawned anew")
        )
    elif world.active_queue is not None:
        after = queue.end(draft, world, "go_stale", "Claude Code is started anew")
        queue.wake(draft, world, "queue_stale", messages.queue_stale(after))
    world = session.shift(draft, world, "spawn", ended_at=None, failure=None)
    draft.patch(
        world.session,
        socket=event.who.socket,
        pane_id=None,
        claude_session_id=event.resume,
        transcript_path=world.session.transcript_path if event.resume else None,
        failure=None,
        last_event_at=draft.now,
    )
    draft.want(AwaitStart(first_command=event.first_command), FIRST_LOOK)
    return "session/spawn/resume" if event.resume else "session/spawn"


def killed(draft: Draft, world: World, event: KillRequested) -> str:
    if world.session.state in ("ended", "lost"):
        return "session/kill/already_over"
    why = "killed by request"
    session.close(draft, world, "end", why, "the session was killed by request", messages.session_ended(why))
    return "session/kill"


def start_reported(draft: Draft, world: World, event: EffectReport, effect: AwaitStart) -> str:
    """What was seen of the start. Retries say nothing new."""
    seen = (event.detail or {}).get("seen", event.outcome)
    if seen == "ready" and effect.first_command is not None:
        return _begin(draft, world, effect.first_command)
    if seen == "startup_dialog":
        _tell(draft, world, "permission", "permission_prompt", messages.startup_dialog(world.session.name))
        draft.want(AwaitStart(first_command=effect.first_command, told=True), BETWEEN_LOOKS_AT_A_DIALOG)
    elif seen == "not_ready" or event.outcome == "failed":
        reason = (event.detail or {}).get("reason") or event.reason or "it did not come up"
        _tell(draft, world, "session_start", world.session.state, messages.not_started(effect.first_command, reason))
    return f"session/start/{seen}"


def _begin(draft: Draft, world: World, command: str) -> str:
    if world.active_queue is not None:
        content = messages.not_delivered(command, f"queue {world.active_queue.id} is active")
        _tell(draft, world, "queue_failed", world.session.state, content)
        return "session/start/ready/queue_is_active"
    queue.start(draft, world, QueueRequested(who=world.session.id, commands=[command]))
    return "session/start/ready/first_command"


def _tell(draft: Draft, world: World, trigger: str, state: str, content: str) -> None:
    draft.want(Wake(trigger=trigger, state=state, content=content, show_pane=True))
