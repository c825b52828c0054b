"""What a session's own hooks mean for it and for its queue. The table of hooks in one place, one function each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from gsd_engine.decide import delivery, question, queue
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import Wake
from gsd_engine.domain.events import (
    Compacting,
    HoldEnded,
    PermissionPrompted,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    SessionFinished,
    SessionStarted,
    StopFailed,
    Stopped,
    WentIdle,
)
from gsd_engine.machines import MACHINES
from gsd_engine.rules import messages
from gsd_engine.rules.suggestions import suggested_commands


def started(draft: Draft, world: World, event: SessionStarted) -> str:
    if event.how == "compact":  # in the middle of a session: resets nothing
        return queue.consume_restart(draft, world, "compact") or "session_start/compact/nothing_awaited"
    world = shift(draft, world, "start", failure=None, ended_at=None)
    question.abandon(draft, world, f"Claude Code was started ({event.how})")
    if event.how == "clear":
        return queue.consume_restart(draft, world, "clear") or _cleared_by_person(draft, world)
    if event.how in ("resume", "fork"):
        return _resumed(draft, world, event.how)
    return _started_anew(draft, world)


def _cleared_by_person(draft: Draft, world: World) -> str:
    if world.active_queue is None:
        return "session_start/clear/rebound"
    _take_over(draft, world)
    return "session_start/clear/taken_over"


def _resumed(draft: Draft, world: World, how: str) -> str:
    command = world.active_command if world.active_queue is not None else None
    active = world.delivery_of(command)
    if active is None:
        return f"session_start/{how}/rebound"
    if active.state == "staged":
        return f"session_start/{how}/not_yet_typed"  # nothing was lost: it will be typed into the resumed session
    delivery.doubt(draft, world, active, f"Claude Code was started again ({how})", trigger="delivery_uncertain")
    return f"session_start/{how}/uncertain"


def _started_anew(draft: Draft, world: World) -> str:
    if world.active_queue is None:
        return "session_start/startup/clean"
    after = queue.end(draft, world, "go_stale", "Claude Code was started anew")
    queue.wake(draft, world, "queue_stale", messages.queue_stale(after))
    return "session_start/startup/queue_stale"


def prompted(draft: Draft, world: World, event: PromptSubmitted) -> str:
    world = shift(draft, world, "prompt", failure=None)
    question.abandon(draft, world, "another prompt was submitted")
    proven = delivery.receipt_for(world, event)
    if proven is not None:
        queue.accept(draft, world, proven, event.prompt_id)
        return "prompt/receipt_late" if proven.state == "uncertain" else "prompt/receipt"
    if delivery.already_proven(world, event):
        return "prompt/receipt_again"
    if not event.by_person:
        return "prompt/not_a_person"
    if world.active_queue is None:
        return "prompt/seen"
    _take_over(draft, world)
    return "prompt/taken_over"


def _take_over(draft: Draft, world: World) -> None:
    after = queue.end(draft, world, "cancel", "manual input")
    queue.wake(draft, world, "queue_cancelled", messages.queue_cancelled(after, "manual input"))


def stopped(draft: Draft, world: World, event: Stopped) -> str:
    """Gates first (they may hold the stop), then exactly one consumer."""
    for gate in GATES:
        held = gate(draft, world, event)
        if held is not None:
            return held
    world = shift(draft, world, "stop")
    question.abandon(draft, world, "the turn ended without an answer")
    consumed = question.consume_stop(draft, world) or queue.consume_stop(draft, world, event)
    return consumed or _wake_for_stop(draft, world, event)


GATES: tuple[Callable[[Draft, World, Stopped], str | None], ...] = ()
"""In their order. Each returns its path where it holds the stop (after `draft.reply`), None where it lets go."""


def _wake_for_stop(draft: Draft, world: World, event: Stopped) -> str:
    if event.stop_hook_active:
        return "stop/silent/stop_hook_active"
    if not event.message.strip():
        return "stop/silent/no_message"
    turn = _turn(event)
    if (turn is not None and turn == world.session.woken_for) or queue.has_told(world, event):
        return "stop/silent/already_told"
    draft.patch(world.session, woken_for=turn)
    content = messages.response(event.message, event.background)
    suggestions = suggested_commands(event.message)
    draft.want(
        Wake(trigger="response_complete", state=world.session.state, content=content, suggested_commands=suggestions)
    )
    return "stop/wake"


def _turn(event: Stopped) -> str | None:
    """What makes this Stop the same as one delivered before: its turn and what Claude said at its end."""
    if event.prompt_id is None:
        return None
    digest = hashlib.sha256(event.message.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{event.prompt_id}:{digest}"


def failed(draft: Draft, world: World, event: StopFailed) -> str:
    """The active command stays active and is not counted as done: the turn may yet be taken up again."""
    world = shift(draft, world, "fail", reason=event.error, failure=event.error)
    draft.patch(world.session, failure=event.error)
    queue.wake(draft, world, "stop_failure", messages.api_error(event.error, event.message))
    return f"stop_failure/{event.error}"


def asked(draft: Draft, world: World, event: QuestionAsked) -> str:
    return question.asked(draft, shift(draft, world, "ask"), event)


def answered(draft: Draft, world: World, event: QuestionAnswered) -> str:
    return question.answered(draft, shift(draft, world, "answer"), event)


def hold_ended(draft: Draft, world: World, event: HoldEnded) -> str:
    """Esc at a question fires no other hook: the turn is over, and this is how it is known."""
    path = question.hold_ended(draft, world, event)
    if path == "question/escaped":
        shift(draft, world, "stop")
    return path


def went_idle(draft: Draft, world: World, event: WentIdle) -> str:
    command = world.active_command if world.active_queue is not None else None
    over = command is not None and queue.is_turn_of(command, event.prompt_id) and command.awaits_hook == "Stop"
    if world.session.state == "failing":
        over = False  # the turn ended with an API error, which is known and told; the command may be taken up again
    else:
        world = shift(draft, world, "stop")
    if over and command is not None:
        queue.fail(draft, world, command, "interrupted")
        return "idle/interrupted"
    draft.want(Wake(trigger="idle", state=world.session.state, show_pane=True))
    return "idle/wake"


def permission_prompted(draft: Draft, world: World, event: PermissionPrompted) -> str:
    if world.question is not None:
        return "permission/question_is_open"  # both fire for one AskUserQuestion, and the agent knows of it
    draft.want(Wake(trigger="permission", state="permission_prompt", content=event.message, show_pane=True))
    return "permission/wake"


def compacting(draft: Draft, world: World, event: Compacting) -> str:
    active = world.delivery_of(world.active_command)
    awaited = world.active_command is not None and world.active_command.awaits_sub == "compact"
    if event.trigger == "manual" and awaited and active is not None and active.state != "accepted":
        queue.accept(draft, world, active, event.prompt_id)
        return "pre_compact/receipt"
    queue.wake(draft, world, "pre_compact", messages.compacting(event.trigger))
    return "pre_compact/wake"


def finished(draft: Draft, world: World, event: SessionFinished) -> str:
    if event.reason in ("clear", "resume"):
        return f"session_end/{event.reason}/goes_on"
    if world.session.state == "ended":
        return "session_end/already_ended"
    close(draft, world, "end", event.reason, "Claude Code ended", messages.session_ended(event.reason))
    return "session_end/ended"


def close(draft: Draft, world: World, trigger: str, reason: str, why: str, content: str) -> World:
    """There is no Claude Code in the session any more: what hung on it is closed, and the agent is told."""
    world = shift(draft, world, trigger, reason=reason, ended_at=draft.now)
    question.abandon(draft, world, why)
    if world.active_queue is not None:
        after = queue.end(draft, world, "go_stale", why)
        content += "\n" + messages.queue_stale(after)
    queue.wake(draft, world, "session_end", content)
    return world


def shift(draft: Draft, world: World, trigger: str, reason: str | None = None, **changes: object) -> World:
    """Move the session where the trigger leads elsewhere than it already is."""
    if not MACHINES["session"].allows(world.session.state, trigger):
        return world
    if world.session.state in ("ended", "lost"):
        changes = {"ended_at": None, **changes}
    return world.having(draft.fire(world.session, trigger, reason, **changes))
