"""Reaching the agent: a wake that no gateway takes becomes a person's business, once, until it is reached again."""

from __future__ import annotations

from gsd_engine.decide.draft import Draft
from gsd_engine.domain.decision import World
from gsd_engine.domain.effects import Notify, Wake
from gsd_engine.domain.events import EffectReport
from gsd_engine.domain.records import Decision

CAUSE = "agent_unreachable"


def wake_reported(draft: Draft, world: World, event: EffectReport, wake: Wake) -> str:
    known = next((d for d in world.decisions if d.cause == CAUSE), None)
    if event.outcome == "failed" and known is None:
        _call_person(draft, world, wake, event.reason or "unknown")
    if event.outcome == "done" and known is not None:
        draft.fire(known, "dismiss", "the agent was reached again", closed_at=draft.now)
    return f"wake/{event.outcome}"


def _call_person(draft: Draft, world: World, wake: Wake, reason: str) -> None:
    title = f"Agent {world.session.agent_id} cannot be reached"
    body = (
        f"The wake '{wake.trigger}' for session {world.session.name} was not delivered: {reason}. It is in the inbox."
    )
    draft.add(
        Decision(
            session_id=world.session.id,
            cause=CAUSE,
            title=title,
            body=body,
            options=[{"name": "retry", "label": "Send the wake again"}, {"name": "ignore", "label": "Leave it"}],
            opened_at=draft.now,
        )
    )
    draft.want(Notify(title=title, text=body))
