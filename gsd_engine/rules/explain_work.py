"""The clauses about a session's work: its question, its queue, its loop, its run; and its rest when there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gsd_engine.domain.records import Command, Delivery, EffectRow
from gsd_engine.domain.situation import Situation
from gsd_engine.rules.telling import Clause, Fact, Teller, fact, shortened

Told = tuple[str, list[Clause]]
"""(what is waited for, in a few words; the clauses that say so)"""


def open_work(s: Situation, t: Teller) -> list[Told]:
    """Whatever is under way, what blocks the rest first."""
    parts: tuple[Callable[[Situation, Teller], Told | None], ...] = (_question, _queue, _texts, _run, _loop)
    return [told for part in parts if (told := part(s, t)) is not None]


# ── question ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _question(s: Situation, t: Teller) -> Told | None:
    question = s.question
    if question is None:
        return None
    number, since = fact(question, "id"), fact(question, "asked_at")
    if question.state == "asked":
        asked = t.say("question {id} is open since {since}: {text}", id=number, since=since, text=question_text(s))
        return "the agent's answer", [Clause("waiting for the agent's answer"), asked, *_held(s, t)]
    if s.answer is None:
        return "PostToolUse", [t.say("question {id} is {state}", id=number, state=fact(question, "state"))]
    by = " by {by}" if s.answer.transport else ""
    facts = {"id": number, "state": fact(s.answer, "state"), "by": fact(s.answer, "transport")}
    if s.answer.state == "intended":
        return "the answer to arrive", [t.say("the answer to question {id} is on its way: {state}" + by, **facts)]
    proof = t.say("waiting for PostToolUse to prove the answer to question {id}; {state}" + by, **facts)
    return "proof of the answer", [proof]


def _held(s: Situation, t: Teller) -> Iterator[Clause]:
    assert s.question is not None
    if s.question.held_at is not None:
        held = fact(s.question, "held_at")
        yield t.say("its hook is held open since {held}, and a person may answer at the keyboard", held=held)


def question_text(s: Situation) -> Fact:
    """The first of its questions, as it was asked."""
    assert s.question is not None
    first = s.question.questions[0] if s.question.questions else {}
    text = first.get("question") if isinstance(first, dict) else None
    return Fact("questions", s.question.id, "questions[0].question", text or "(no text)")


# ── queue ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _queue(s: Situation, t: Teller) -> Told | None:
    command = s.active_command
    if s.queue is None or command is None:
        return None
    delivery, short = s.delivery_of(command), shortened(command.command, 32)
    total = Fact("queues", s.queue.id, "total", len(s.commands))
    facts = {"text": fact(command, "command"), "position": fact(command, "position"), "total": total}
    place = " ({position} of {total})" if len(s.commands) > 1 else ""
    if delivery is None:
        return f"delivery of {short}", [t.say("{text} has no delivery yet" + place, **facts)]
    facts["state"] = fact(delivery, "state")
    state = t.say("{state}", state=facts["state"])
    if delivery.state == "accepted" and command.accepted_at is not None:
        hook = _awaited(command)
        facts |= {"hook": hook, "since": fact(command, "accepted_at")}
        return f"{hook.value} of {short}", [t.say("waiting for {hook} of {text} since {since}" + place, **facts), state]
    if delivery.state == "typed":
        facts |= {"since": fact(delivery, "typed_at"), "by": fact(delivery, "transport")}
        waiting = t.say("waiting for the receipt of {text} since {since}" + place, **facts)
        return f"receipt of {short}", [waiting, t.say("{state} by {by}", **facts)]
    if delivery.state == "staged":
        facts["since"] = fact(delivery, "staged_at")
        waiting = t.say("waiting to put {text} into the pane since {since}" + place, **facts)
        return f"typing of {short}", [waiting, state, *_typing(s, delivery, t)]
    return f"word about {short}", [t.say("{text} is active, and its delivery is {state}" + place, **facts)]


def _awaited(command: Command) -> Fact:
    """Stop, or SessionStart:clear: two columns said as one."""
    sub = f":{command.awaits_sub}" if command.awaits_sub else ""
    return Fact("commands", command.id, "awaits", f"{command.awaits_hook}{sub}")


def _typing(s: Situation, delivery: Delivery, t: Teller) -> Iterator[Clause]:
    for effect in s.effects:
        if effect.kind == "TypeText" and effect.payload.get("delivery_id") == delivery.id:
            yield from _typing_effect(effect, t)


def _typing_effect(effect: EffectRow, t: Teller) -> Iterator[Clause]:
    if effect.state == "claimed":
        yield t.say("someone is at it (effect {id} is {state})", id=fact(effect, "id"), state=fact(effect, "state"))
    elif effect.attempts and effect.reason:
        reason, due = fact(effect, "reason"), fact(effect, "due_at")
        yield t.say("tried {tries}x: {reason}, again at {due}", tries=fact(effect, "attempts"), reason=reason, due=due)


def _texts(s: Situation, t: Teller) -> Told | None:
    """A text of the engine's own: a nudge, a redirect, a loop's next iteration."""
    if not s.other_texts:
        return None
    text = s.other_texts[0]
    purpose, state = fact(text, "purpose"), fact(text, "state")
    return f"receipt of a {text.purpose}", [t.say("a {purpose} for Claude is {state}", purpose=purpose, state=state)]


# ── run and loop ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _run(s: Situation, t: Teller) -> Told | None:
    run = s.run
    if run is None:
        return None
    number, agent, since = fact(run, "id"), fact(run, "agent"), fact(run, "started_at")
    where = _step(s, t)
    if run.state == "escalated":
        called = t.say("run {id} of {agent} is {state}: a person decides", id=number, agent=agent, state=_state(s))
        return "a person's decision", [called, *where]
    if run.state == "waiting":
        why = fact(run, "reason")
        waits = "run {id} of {agent} is {state}" + (": {why}" if run.reason else "")
        return "the run's wait to end", [t.say(waits, id=number, agent=agent, state=_state(s), why=why), *where]
    works = t.say("run {id} of {agent} works towards its signal since {since}", id=number, agent=agent, since=since)
    return f"signal of {shortened(run.agent, 24)}", [works, *where, *_on_stop(s, t)]


def _state(s: Situation) -> Fact:
    assert s.run is not None
    return fact(s.run, "state")


def _on_stop(s: Situation, t: Teller) -> Iterator[Clause]:
    assert s.run is not None
    if s.run.on_stop.get("action"):
        yield t.say("at Stop: {action}", action=fact(s.run, "on_stop.action"))


def _step(s: Situation, t: Teller) -> list[Clause]:
    if s.step is None or s.pipeline is None:
        return []
    step, pipeline, state = fact(s.step, "name"), fact(s.pipeline, "name"), fact(s.step, "state")
    return [t.say("step {step} of pipeline {pipeline} is {state}", step=step, pipeline=pipeline, state=state)]


def _loop(s: Situation, t: Teller) -> Told | None:
    frame, loop = s.frame, s.loop
    if loop is None or frame is None or loop.state not in ("ACTIVE", "COMPLETING", "STUCK"):
        return None
    facts = {"mode": fact(frame, "mode"), "iter": fact(frame, "iter"), "max": fact(frame, "max")}
    facts |= {"state": fact(loop, "state"), "why": fact(loop, "reason")}
    if loop.state == "STUCK":
        why = ": {why}" if loop.reason else ""
        return "a person: the loop is stuck", [t.say("the loop is {state} at {mode} {iter}/{max}" + why, **facts)]
    told = t.say("loop {mode} {iter}/{max} is {state}: a Stop is held until Claude signals the end", **facts)
    return f"the end of loop {frame.iter}/{frame.max}", [told]


# ── rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def at_rest(s: Situation, t: Teller) -> Told:
    """Nothing is under way: the session's own state, and how the last queue went."""
    session = s.session
    assert session is not None
    state = fact(session, "state")
    facts = {"state": state, "since": Fact("sessions", session.id, "state_since", s.state_since)}
    since = " since {since}" if s.state_since else ""
    if session.state == "working":
        return "Stop", [t.say("waiting for Stop: {state}" + since, **facts), *_last_queue(s, t)]
    if session.state == "asking":
        return "an answer", [t.say("waiting for an answer to a menu: {state}" + since, **facts)]
    if session.state == "starting":
        return "SessionStart", [t.say("waiting for SessionStart: {state}", state=state), *_last_queue(s, t)]
    if session.state == "failing":
        failed = t.say("{state}: the last turn ended with {kind}", state=state, kind=fact(session, "failure"))
        return f"a prompt after {session.failure}", [failed, *_last_queue(s, t)]
    if session.state in ("ended", "lost"):
        at = fact(session, "ended_at")
        over = t.say("{state} at {at}: Claude Code is gone, nothing is awaited", state=state, at=at)
        return "a new start", [over, *_last_queue(s, t)]
    return _idle(s, t, state)


def _idle(s: Situation, t: Teller, state: Fact) -> Told:
    owed = [effect for effect in s.effects if effect.kind == "Wake"]
    ended = _last_queue(s, t)
    if owed:
        return "the agent to be told", [t.say("{state}: the agent is yet to be told", state=state), *ended]
    if s.last_wake is not None and s.last_wake.state == "done":
        trigger, at = fact(s.last_wake, "payload.trigger"), fact(s.last_wake, "settled_at")
        told = t.say("{state}: the agent was told {trigger} at {at}, its move", state=state, trigger=trigger, at=at)
        return "the agent's next move", [told, *ended]
    return "a prompt or a queue", [t.say("{state}: nothing to do", state=state), *ended]


def _last_queue(s: Situation, t: Teller) -> list[Clause]:
    queue = s.queue
    if queue is None or queue.ended_at is None:
        return []
    why = fact(queue, "reason")
    says = "queue {id} {state} at {at}, {done} of {total} done" + (": {why}" if queue.reason else "")
    done = Fact("queues", queue.id, "done", s.done)
    total = Fact("queues", queue.id, "total", len(s.commands))
    number, state, at = fact(queue, "id"), fact(queue, "state"), fact(queue, "ended_at")
    told = [t.say(says, id=number, state=state, at=at, done=done, total=total, why=why)]
    failed = next((c for c in s.commands if c.state == "failed"), None)
    delivery = s.delivery_of(failed)
    if failed is not None and delivery is not None:
        text, reason = fact(failed, "command"), fact(delivery, "state")
        told.append(t.say("{text} failed, its delivery is {reason}", text=text, reason=reason))
    return told
