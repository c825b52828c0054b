"""From a world and an event to a verdict. Pure: the same rows, event and time give the same verdict.

`RULES` is the one list of what the engine does about what happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from gsd_engine.decide import delivery, effect, question, queue, session, spawn, watch
from gsd_engine.decide.draft import Draft
from gsd_engine.domain import events
from gsd_engine.domain.decision import Verdict, World

Rule = Callable[[Draft, World, Any], str]

RULES: dict[type[events.Event], Rule] = {
    events.SessionStarted: session.started,
    events.PromptSubmitted: session.prompted,
    events.Stopped: session.stopped,
    events.StopFailed: session.failed,
    events.QuestionAsked: session.asked,
    events.AnswerWanted: question.answer_wanted,
    events.QuestionAnswered: session.answered,
    events.WentIdle: session.went_idle,
    events.PermissionPrompted: session.permission_prompted,
    events.Compacting: session.compacting,
    events.SessionFinished: session.finished,
    events.Observed: lambda draft, world, event: f"observed/{event.hook}/{event.why}",
    events.QueueRequested: queue.start,
    events.QueueCancelRequested: lambda draft, world, event: queue.cancel(draft, world, event.reason),
    events.SpawnRequested: spawn.requested,
    events.KillRequested: spawn.killed,
    events.TypingBegan: delivery.typing_began,
    events.AnswerRequested: question.answer_requested,
    events.AnswerSubmitted: question.answer_submitted,
    events.HoldEnded: session.hold_ended,
    events.EffectReport: effect.reported,
    events.SessionLost: watch.lost,
    events.FoundIdle: watch.found_idle,
}


def decide(world: World, event: events.Event) -> Verdict:
    draft = Draft(world.now)
    world = world.having(_meet(draft, world, event))
    path = RULES[type(event)](draft, world, event)
    return draft.verdict(path)


def _meet(draft: Draft, world: World, event: events.Event) -> Any:
    """The session as this event shows it: a new row for a new one, otherwise what has changed about it."""
    known = world.session
    if known.id == 0:
        return draft.add(known)
    if not isinstance(event.who, events.Who):
        return known
    seen = {f.name: getattr(event.who, f.name) for f in fields(event.who)}
    changes = {name: value for name, value in seen.items() if value is not None}
    if event.source == "hook":
        changes["last_event_at"] = world.now
    return draft.patch(known, **changes)
