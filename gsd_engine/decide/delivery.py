"""Deliveries: what became of a text that was to be put into a pane.

A text goes out at most once. `TypingBegan` is committed before the first key; whatever happens after it, the text is
never staged again. Only a receipt proves arrival; a deadline without one is doubt, and doubt is told.
"""

from __future__ import annotations

from datetime import timedelta

from gsd_engine.decide import queue
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import AwaitReceipt, Wake
from gsd_engine.domain.events import EffectReport, PromptSubmitted, TypingBegan
from gsd_engine.domain.records import Command, Delivery
from gsd_engine.errors import NotFoundError, Refusal
from gsd_engine.rules import messages
from gsd_engine.rules.texts import same_text

FIRST_LOOK = timedelta(seconds=1.5)
"""After this long without a receipt the screen is looked at for the first time; receipts come within 0.4 s."""

_OPEN_FIRST = ("typed", "staged", "uncertain")


def receipt_for(world: World, event: PromptSubmitted) -> Delivery | None:
    """The delivery that this prompt proves, most likely one first: typed, then overtaken, then given up on."""
    for state in _OPEN_FIRST:
        for delivery in world.deliveries:
            if delivery.state == state and same_text(delivery.text, event.prompt):
                return delivery
    return None


def already_proven(world: World, event: PromptSubmitted) -> bool:
    """The same receipt again, where no prompt_id gives it away: it is no person's."""
    proven = world.delivery_of(world.active_command)
    if proven is None or event.prompt_id is not None or proven.prompt_id is not None:
        return False
    return proven.state == "accepted" and same_text(proven.text, event.prompt)


def typing_began(draft: Draft, world: World, event: TypingBegan) -> str:
    delivery = _delivery(world, event.delivery_id)
    if delivery.state != "staged":
        raise Refusal(f"delivery {delivery.id} is {delivery.state}: it is not to be typed any more")
    draft.fire(delivery, "type", transport=event.transport, typed_at=draft.now)
    draft.want(AwaitReceipt(delivery_id=delivery.id), FIRST_LOOK)
    return "delivery/typed"


def typing_reported(draft: Draft, world: World, event: EffectReport, delivery_id: int) -> str:
    """What became of the effect TypeText."""
    delivery = _delivery(world, delivery_id)
    detail = event.detail or {}
    if event.outcome == "failed" and delivery.state in ("staged", "typed"):
        reason = event.reason or "refused"
        draft.fire(delivery, "refuse", reason, settled_at=draft.now)
        queue.drop_effects(draft, world, delivery)
        _tell(draft, world, delivery, f"refused: {reason}", messages.not_delivered(delivery.text, reason))
        return "delivery/refused"
    if event.outcome == "done" and "enter_presses" in detail:
        draft.patch(delivery, enter_presses=detail["enter_presses"])
    return f"delivery/{event.outcome}"


def receipt_looked_for(draft: Draft, world: World, event: EffectReport, delivery_id: int) -> str:
    """What the screen showed when the receipt was overdue."""
    delivery = _delivery(world, delivery_id)
    if event.outcome == "retry" or delivery.state != "typed":
        return f"receipt/{event.outcome}"
    if (event.detail or {}).get("seen") == "unknown_command":
        draft.fire(delivery, "reject", "unknown_command", settled_at=draft.now)
        _tell(draft, world, delivery, "unknown_command", messages.not_delivered(delivery.text, "unknown command"))
        return "delivery/rejected"
    doubt(draft, world, delivery, event.reason or "no receipt in time")
    return "delivery/uncertain"


def doubt(draft: Draft, world: World, delivery: Delivery, reason: str, trigger: str = "queue_failed") -> None:
    draft.fire(delivery, "doubt", reason, settled_at=draft.now)
    queue.drop_effects(draft, world, delivery)
    text = messages.delivery_in_doubt(delivery.text, reason)
    _tell(draft, world, delivery, f"uncertain: {reason}", text, trigger)


def _tell(
    draft: Draft, world: World, delivery: Delivery, reason: str, text: str, trigger: str = "queue_failed"
) -> None:
    """A command's fate fails its queue; any other text only has its fate told."""
    command = _active(world, delivery)
    if command is not None:
        queue.fail(draft, world, command, reason, trigger)
    elif delivery.command_id is None:
        draft.want(Wake(trigger="delivery_uncertain", state=world.session.state, content=text))


def _active(world: World, delivery: Delivery) -> Command | None:
    command = world.active_command if world.active_queue is not None else None
    return command if command is not None and command.id == delivery.command_id else None


def named(world: World, delivery_id: int | None) -> Delivery | None:
    return next((d for d in world.deliveries if d.id == delivery_id), None)


def _delivery(world: World, delivery_id: int) -> Delivery:
    delivery = named(world, delivery_id)
    if delivery is None:
        raise NotFoundError(f"session {world.session.name} has no delivery {delivery_id}")
    return delivery
