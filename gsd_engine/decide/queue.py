"""Queues and their commands: started by request, driven by hooks, ended by the last command, a person or a failure.

Every function here takes the world as it is and writes on the draft; none of them looks at anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import TypeText, Wake
from gsd_engine.domain.events import QueueRequested, Stopped
from gsd_engine.domain.records import Command, Delivery, Queue, Session
from gsd_engine.errors import NotFoundError, Refusal
from gsd_engine.rules import messages
from gsd_engine.rules.awaits import awaits
from gsd_engine.rules.texts import checked_commands

UNFINISHED = ("pending", "active")


def start(draft: Draft, world: World, event: QueueRequested) -> str:
    texts = checked_commands(event.commands)
    if world.session.state in ("ended", "lost"):
        raise Refusal(
            f"session {world.session.name} is {world.session.state}: start Claude Code in it first "
            f"(gsd-engine session recover {world.session.name})"
        )
    if world.active_queue is not None:
        if not event.replace:
            raise Refusal(
                f"session {world.session.name} has active queue {world.active_queue.id} "
                f"({messages.progress(world.commands)} done): wait for it, cancel it "
                f"(gsd-engine queue cancel --session {world.session.name}) or start with --replace"
            )
        end(draft, world, "cancel", "replaced by a new queue")
    queue = draft.add(Queue(session_id=world.session.id, created_at=draft.now))
    commands = [draft.add(_command(queue, position, text)) for position, text in enumerate(texts, start=1)]
    activate(draft, world.session, commands[0])
    return "queue/started"


def _command(queue: Queue, position: int, text: str) -> Command:
    hook, sub = awaits(text)
    return Command(queue_id=queue.id, position=position, command=text, awaits_hook=hook, awaits_sub=sub)


def cancel(draft: Draft, world: World, reason: str) -> str:
    if world.active_queue is None:
        raise NotFoundError(f"session {world.session.name} has no active queue")
    end(draft, world, "cancel", reason)
    return "queue/cancelled"


def activate(draft: Draft, session: Session, command: Command) -> Command:
    command = draft.fire(command, "activate")
    stage(draft, session, command.command, purpose="command", command_id=command.id)
    return command


def stage(draft: Draft, session: Session, text: str, *, purpose: str, command_id: int | None = None) -> Delivery:
    delivery = draft.add(
        Delivery(session_id=session.id, command_id=command_id, purpose=purpose, text=text, staged_at=draft.now)
    )
    draft.want(TypeText(delivery_id=delivery.id))
    return delivery


def consume_stop(draft: Draft, world: World, event: Stopped) -> str | None:
    """The queue's part of a Stop; None where there is no active queue."""
    if world.active_queue is None:
        return None
    command = world.active_command
    if command is None or command.awaits_hook != "Stop" or not is_turn_of(command, event.prompt_id):
        return "stop/queue/not_its_turn"
    return f"stop/queue/{advance(draft, world, command, event.message or None)}"


def has_told(world: World, event: Stopped) -> bool:
    """This Stop came before and ended a command of the last queue: the agent has its message with the results."""
    came = (event.prompt_id, event.message or None)
    return event.prompt_id is not None and any(
        c.state == "done" and (c.prompt_id, c.result) == came for c in world.commands
    )


def is_turn_of(command: Command, prompt_id: str | None) -> bool:
    """Accepted with this prompt_id; where either side has none, accepted is enough."""
    if command.accepted_at is None:
        return False
    return prompt_id is None or command.prompt_id is None or command.prompt_id == prompt_id


def consume_restart(draft: Draft, world: World, how: str) -> str | None:
    """Settle the command that awaits SessionStart:<how>; None where there is none. It is its own receipt."""
    command = _awaiting_restart(world, how)
    delivery = world.delivery_of(command)
    if command is None or delivery is None:
        return None
    if delivery.state != "accepted":
        world = accept(draft, world, delivery, None)
        command = world.active_command
    return f"session_start/{how}/{advance(draft, world, command, None)}" if command is not None else None


def _awaiting_restart(world: World, how: str) -> Command | None:
    """The active command, or the one whose delivery was given up on: its receipt may come late."""
    for command in world.commands:
        delivery = world.delivery_of(command)
        if delivery is None or (command.awaits_hook, command.awaits_sub) != ("SessionStart", how):
            continue
        if command.state == "active" and not (how == "compact" and delivery.state == "staged"):
            return command  # (staged: Claude Code compacted on its own; ours has yet to be typed)
        if command.state == "failed" and delivery.state == "uncertain" and world.active_queue is None:
            return command
    return None


def accept(draft: Draft, world: World, delivery: Delivery, prompt_id: str | None) -> World:
    """The receipt of a delivery: proof that Claude Code has the text. A late one puts its queue right."""
    late = delivery.state == "uncertain"
    world = world.having(draft.fire(delivery, "accept", prompt_id=prompt_id, settled_at=draft.now))
    drop_effects(draft, world, delivery)
    command = world.command_of(delivery)
    if command is None:
        return world
    if late and command.state == "failed":
        world = _put_right(draft, world, command)
        command = world.command_of(delivery)
        assert command is not None
    return world.having(draft.patch(command, accepted_at=draft.now, prompt_id=prompt_id))


def _put_right(draft: Draft, world: World, command: Command) -> World:
    assert world.queue is not None
    world = world.having(draft.fire(world.queue, "put_right", ended_at=None))
    for other in world.commands:
        if other.state in ("failed", "skipped"):
            world = world.having(draft.fire(other, "put_right", completed_at=None))
    wake(draft, world, "delivery_uncertain", messages.put_right(command))
    return world


def advance(draft: Draft, world: World, command: Command, result: str | None) -> Literal["advanced", "completed"]:
    """The active command is done: on to the next one, or to the end."""
    done = draft.fire(command, "finish", result=result, completed_at=draft.now)
    world = world.having(done)
    following = next((c for c in world.commands if c.state == "pending"), None)
    if following is not None:
        activate(draft, world.session, following)
        return "advanced"
    assert world.queue is not None
    draft.fire(world.queue, "complete", ended_at=draft.now)
    wake(draft, world, "queue_complete", messages.queue_complete(world.commands))
    return "completed"


def end(draft: Draft, world: World, trigger: str, reason: str) -> Sequence[Command]:
    """End the active queue early: what is not done is skipped, what has not been sent is withdrawn."""
    queue = world.active_queue
    assert queue is not None
    draft.fire(queue, trigger, reason, ended_at=draft.now)
    return [_skip(draft, world, c, reason) if c.state in UNFINISHED else c for c in world.commands]


def _skip(draft: Draft, world: World, command: Command, reason: str) -> Command:
    withdraw(draft, world, world.delivery_of(command), reason)
    return draft.fire(command, "skip", reason, completed_at=draft.now)


def withdraw(draft: Draft, world: World, delivery: Delivery | None, reason: str) -> None:
    if delivery is not None and delivery.state == "staged":
        draft.fire(delivery, "withdraw", reason, settled_at=draft.now)
        drop_effects(draft, world, delivery)


def drop_effects(draft: Draft, world: World, delivery: Delivery) -> None:
    for effect in world.pending_effects:
        if effect.payload.get("delivery_id") == delivery.id:
            draft.drop(effect, f"delivery {delivery.id} is settled")


def fail(draft: Draft, world: World, command: Command, reason: str, trigger: str = "queue_failed") -> None:
    """The active command cannot be done: it and its queue fail, the rest is skipped, the agent is told."""
    assert world.queue is not None
    failed = draft.fire(command, "fail", reason, completed_at=draft.now)
    rest = [_skip(draft, world, c, "queue failed") if c.state == "pending" else c for c in world.commands]
    draft.fire(world.queue, "fail", reason, ended_at=draft.now)
    after = [failed if c.id == failed.id else c for c in rest]
    wake(draft, world, trigger, messages.queue_failed(after, failed, reason))


def wake(draft: Draft, world: World, trigger: str, content: str) -> None:
    draft.want(Wake(trigger=trigger, state=world.session.state, content=content))
