"""What a session waits for, in one honest sentence, from its rows alone.

The first clause says what must happen next; then whatever else is open, what a person must do, whom the engine still
has to reach, and what was heard last. Nothing is guessed: where the rows do not say it, it is not said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.situation import Situation
from gsd_engine.rules import explain_work
from gsd_engine.rules.telling import Clause, Fact, ShowTime, Teller, fact, local_time

Level = Literal["calm", "busy", "person"]
"""calm: nothing is under way; busy: it goes on by itself; person: without a person it does not, or not for long."""

LISTED_WAKES = 2


@dataclass(frozen=True)
class Explanation:
    waits_for: str  # a few words, for a table
    level: Level
    clauses: tuple[Clause, ...]

    @property
    def sentence(self) -> str:
        return "; ".join(clause.text for clause in self.clauses)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(dict.fromkeys(f for clause in self.clauses for f in clause.facts if _is_hashable(f.value)))


def explain(situation: Situation, show_time: ShowTime = local_time) -> Explanation:
    teller = Teller(situation.now, show_time)
    if situation.session is None:
        return _never_heard_of(situation)
    work = explain_work.open_work(situation, teller)
    waits_for, first = work[0] if work else explain_work.at_rest(situation, teller)
    clauses = [*first, *(clause for _, others in work[1:] for clause in others)]
    clauses += _surprises(situation, teller, bool(work))
    clauses += _for_a_person(situation, teller)
    clauses += _to_be_told(situation, teller)
    clauses += _nobody_performs(situation)
    clauses += _last_heard(situation, teller)
    return Explanation(_person_first(situation, waits_for), _level(situation, bool(work)), tuple(clauses))


def _never_heard_of(s: Situation) -> Explanation:
    agent = f" (agent {s.agent_id} of the registry names it)" if s.agent_id else ""
    text = f"never heard of: no hook has come from the tmux session {s.name}{agent}"
    advice = "is Claude Code running there, and are the hooks installed? See gsd-engine doctor"
    return Explanation("a first hook", "calm", (Clause(text), Clause(advice)))


def _surprises(s: Situation, t: Teller, has_work: bool) -> Iterator[Clause]:
    """The session's own state, where the work alone would make one expect another."""
    assert s.session is not None
    if not has_work:
        return
    if s.session.state == "failing":
        kind = fact(s.session, "failure")
        yield t.say(
            "the last turn ended with {kind}: the session is {state}", kind=kind, state=fact(s.session, "state")
        )
    elif s.session.state in ("ended", "lost", "starting"):
        yield t.say("the session is {state}", state=fact(s.session, "state"))


def _for_a_person(s: Situation, t: Teller) -> Iterator[Clause]:
    for decision in s.decisions:
        yield t.say("decision {id} is open: {title}", id=fact(decision, "id"), title=fact(decision, "title"))


def _to_be_told(s: Situation, t: Teller) -> Iterator[Clause]:
    """Whom the engine still has to reach, and the last time it could not."""
    wakes = [effect for effect in s.effects if effect.kind == "Wake"]
    for wake in wakes[:LISTED_WAKES]:
        yield _wake(wake, t)
    if len(wakes) > LISTED_WAKES:
        yield Clause(f"and {len(wakes) - LISTED_WAKES} more wakes after that")
    last = s.last_wake
    if last is not None and last.state == "failed":
        trigger, reason = fact(last, "payload.trigger"), fact(last, "reason")
        yield t.say("the wake {trigger} was not delivered: {reason}", trigger=trigger, reason=reason)
    if s.unread:
        yield Clause(f"{s.unread} unread in the inbox")


def _wake(wake: EffectRow, t: Teller) -> Clause:
    trigger = fact(wake, "payload.trigger")
    if wake.state == "claimed":
        attempt = fact(wake, "attempts")
        return t.say("the wake {trigger} is being sent (attempt {attempt})", trigger=trigger, attempt=attempt)
    if wake.attempts:
        return t.say(
            "the wake {trigger} did not get through {attempts}x ({reason}), again at {due}",
            trigger=trigger,
            attempts=fact(wake, "attempts"),
            reason=fact(wake, "reason"),
            due=fact(wake, "due_at"),
        )
    return t.say("the wake {trigger} is to be sent since {since}", trigger=trigger, since=fact(wake, "created_at"))


def _nobody_performs(s: Situation) -> Iterator[Clause]:
    if s.effects and not s.performing:
        effects = "1 effect waits" if len(s.effects) == 1 else f"{len(s.effects)} effects wait"
        yield Clause(f"no engine is running: {effects} (gsd-engine serve, or gsd-engine drain)")


def _last_heard(s: Situation, t: Teller) -> Iterator[Clause]:
    if s.last_event is None:
        yield Clause("no hook has come yet")
        return
    at = Fact("events", s.last_event.id, "received_at", s.last_event.at)
    clause = t.say("last event {name} at {at}", name=Fact("events", s.last_event.id, "name", s.last_event.name), at=at)
    yield clause


def _person_first(s: Situation, waits_for: str) -> str:
    """In a table the one thing to know is that a person is needed."""
    return f"a person: decision {s.decisions[0].id}" if s.decisions else waits_for


def _level(s: Situation, has_work: bool) -> Level:
    assert s.session is not None
    stuck = s.loop is not None and s.loop.state == "STUCK"
    unreached = s.last_wake is not None and s.last_wake.state == "failed"
    stands = bool(s.effects) and not s.performing
    if s.decisions or stuck or unreached or stands or s.session.state in ("failing", "lost"):
        return "person"
    return "busy" if has_work or s.effects or s.session.state in ("working", "asking") else "calm"


def _is_hashable(value: object) -> bool:
    return not isinstance(value, dict | list)
