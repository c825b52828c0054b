"""What became of an effect: the outbox row is settled first, then what hung on it."""

from __future__ import annotations

from gsd_engine.decide import delivery, question, reach, spawn
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import AwaitHook, AwaitReceipt, AwaitStart, KeyAnswer, TypeText, Wake, effect_from_row
from gsd_engine.domain.events import EffectReport
from gsd_engine.domain.records import EffectRow

_TRIGGERS = {"done": "finish", "retry": "retry", "failed": "give_up"}


def reported(draft: Draft, world: World, event: EffectReport) -> str:
    row = world.effect
    assert row is not None
    if row.state not in ("claimed", "uncertain"):
        return f"effect/already_{row.state}"  # reported twice, or dropped meanwhile: the first word stands
    if event.attempt is not None and event.attempt != row.attempts:
        return "effect/not_its_attempt"  # its lease had ended, and someone else works on it
    if event.outcome == "lost":
        _lost(draft, world, row)
        return f"effect/lost/{row.kind}"
    if row.state == "uncertain" and event.outcome != "done":
        return "effect/already_uncertain"
    _settle(draft, world, row, event)
    effect = effect_from_row(row.kind, row.payload)
    if isinstance(effect, TypeText):
        return delivery.typing_reported(draft, world, event, effect.delivery_id)
    if isinstance(effect, AwaitReceipt):
        return delivery.receipt_looked_for(draft, world, event, effect.delivery_id)
    if isinstance(effect, AwaitStart):
        return spawn.start_reported(draft, world, event, effect)
    if isinstance(effect, AwaitHook):
        return question.hook_awaited(draft, world, effect)
    if isinstance(effect, KeyAnswer):
        return question.keys_reported(draft, world, event, effect.answer_id)
    if isinstance(effect, Wake):
        return reach.wake_reported(draft, world, event, effect)
    return f"effect/{event.outcome}/{row.kind}"


def _settle(draft: Draft, world: World, row: EffectRow, event: EffectReport) -> None:
    if event.outcome == "retry" and _moot(world, row):
        draft.fire(row, "give_up", "its delivery is settled", settled_at=draft.now)
    elif event.outcome == "retry":
        draft.fire(row, "retry", event.reason, due_at=event.retry_at or draft.now, **_FREE)
    else:
        draft.fire(row, _TRIGGERS[event.outcome], event.reason, settled_at=draft.now)


_FREE = {"claimed_by": None, "lease_until": None}


def _lost(draft: Draft, world: World, row: EffectRow) -> None:
    """Its performer died. What may be repeated is; so is typing that had certainly not begun."""
    if row.state != "claimed":
        return
    if _moot(world, row):
        draft.fire(row, "give_up", "the performer died, and its delivery is settled", settled_at=draft.now)
    elif row.repeatable or _not_begun(world, row):
        draft.fire(row, "retry", "lease expired", due_at=draft.now, **_FREE)
    else:
        draft.fire(row, "doubt", "the performer died", settled_at=draft.now)


def _not_begun(world: World, row: EffectRow) -> bool:
    """A delivery that is still staged: `TypingBegan` was never committed, so no key went out."""
    meant = delivery.named(world, row.payload.get("delivery_id"))
    return meant is not None and meant.state == "staged"


def _moot(world: World, row: EffectRow) -> bool:
    """What it was for has been settled while someone worked on it: there is nothing left to try again."""
    meant = delivery.named(world, row.payload.get("delivery_id"))
    return meant is not None and meant.state not in ("staged", "typed")
