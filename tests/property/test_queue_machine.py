"""Queues under everything that can happen to them, through the real store, against a plain dictionary.

Events come twice, late, out of order and from other sessions; two engines write to one file; either of them dies at any
point between a commit and its effect and a new one takes its place. After every step the tables say what the dictionary
says, every promise of `support/invariants.py` holds, and nothing was typed twice.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gsd_engine.domain import events
from gsd_engine.domain.results import Done, Later
from gsd_engine.errors import NotFoundError, Refusal
from tests.property.queue_model import Model
from tests.support.engine import Home, Pane, SettableClock
from tests.support.invariants import broken_promises

SCALE = 10 if os.environ.get("GSD_TEST_SCALE") == "full" else 1
SESSIONS = ("alpha", "beta")
TEXTS = st.sampled_from(["a", "b b", "/clear", "/compact"])
PROMPT_IDS = st.sampled_from(["p1", "p2", "p3", None])
ANY_SESSION = st.sampled_from(SESSIONS)
WRITER = st.integers(0, 1)
STEP_POINTS = st.sampled_from(["step: before commit", "step: after commit"])
DRAIN_POINTS = st.sampled_from(
    ["claim: before commit", "claim: after commit", "pane: typing", "effect: performed", "step: after commit"]
)


class Crash(BaseException):
    """The process dies here: nothing that catches Exception may notice."""


class Queues(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock, self.pane = SettableClock(), Pane()
        self.armed: str | None = None
        self.claims_left_behind = False
        self.happened: list[events.Event] = []
        self.models = {name: Model() for name in SESSIONS}
        self.homes = [self.opened(0), self.opened(1)]
        for name in SESSIONS:
            self.fire(0, events.SessionStarted(who=self.who(name, f"first-{name}"), how="startup"))

    def opened(self, number: int) -> Home:
        folder = Path(self.folder.name) / "home"
        return Home(folder, clock=self.clock, pane=self.pane, tripwire=self.tripwire, owner=f"writer {number}")

    def tripwire(self, point: str) -> None:
        if point == self.armed:
            self.armed = None
            raise Crash(point)

    def reopen(self, writer: int) -> None:
        self.homes[writer].close()
        self.homes[writer] = self.opened(writer)

    def who(self, name: str, session_id: str | None = None) -> events.Who:
        return self.homes[0].who(name, claude_session_id=session_id)

    # ── one event, and what becomes of the model ─────────────────────────────────────────────────────────────────────

    def fire(self, writer: int, event: events.Event) -> None:
        self.happened.append(event)
        assert isinstance(event.who, events.Who)
        expected = self.models[event.who.name].apply(event)
        try:
            self.homes[writer].step(event)
        except (Refusal, NotFoundError):
            assert not expected, f"{event} was refused"
        else:
            assert expected, f"{event} was not refused"

    @rule(writer=WRITER, name=ANY_SESSION, commands=st.lists(TEXTS, min_size=1, max_size=3), replace=st.booleans())
    def start(self, writer: int, name: str, commands: list[str], replace: bool) -> None:
        self.fire(writer, events.QueueRequested(who=self.who(name), commands=commands, replace=replace))

    @rule(writer=WRITER, name=ANY_SESSION)
    def cancel(self, writer: int, name: str) -> None:
        self.fire(writer, events.QueueCancelRequested(who=self.who(name)))

    @rule(writer=WRITER, name=ANY_SESSION, prompt_id=PROMPT_IDS, blank=st.sampled_from(["", " ", "\n"]))
    def receipt(self, writer: int, name: str, prompt_id: str | None, blank: str) -> None:
        """What Claude Code reports about the text that was typed last, wherever that was."""
        delivery = self.models[name].active_delivery
        text = delivery["command"]["text"] if delivery else "a"
        self.fire(writer, self.prompt(name, text.replace(" ", "  ") + blank, prompt_id))

    @rule(writer=WRITER, name=ANY_SESSION, text=TEXTS | st.just("mine"), prompt_id=PROMPT_IDS, person=st.booleans())
    def prompted(self, writer: int, name: str, text: str, prompt_id: str | None, person: bool) -> None:
        self.fire(writer, self.prompt(name, text, prompt_id, person))

    def prompt(self, name: str, text: str, prompt_id: str | None, person: bool = True) -> events.PromptSubmitted:
        return events.PromptSubmitted(who=self.who(name), prompt=text, prompt_id=prompt_id, by_person=person)

    @rule(writer=WRITER, name=ANY_SESSION, own=st.booleans(), prompt_id=PROMPT_IDS, message=st.sampled_from(["", "m"]))
    def stop(self, writer: int, name: str, own: bool, prompt_id: str | None, message: str) -> None:
        active = self.models[name].active
        meant = active["prompt"] if own and active else prompt_id
        self.fire(writer, events.Stopped(who=self.who(name), prompt_id=meant, message=message))

    @rule(
        writer=WRITER,
        name=ANY_SESSION,
        how=st.sampled_from(["startup", "clear", "clear", "compact", "compact", "resume"]),
        session_id=st.sampled_from(["s1", "s2", "s3", None]),
    )
    def restart(self, writer: int, name: str, how: str, session_id: str | None) -> None:
        self.fire(writer, events.SessionStarted(who=self.who(name, session_id), how=how))

    @rule(writer=WRITER, name=ANY_SESSION, trigger=st.sampled_from(["manual", "auto"]), prompt_id=PROMPT_IDS)
    def compacting(self, writer: int, name: str, trigger: str, prompt_id: str | None) -> None:
        self.fire(writer, events.Compacting(who=self.who(name), trigger=trigger, prompt_id=prompt_id))

    @rule(writer=WRITER, name=ANY_SESSION, prompt_id=PROMPT_IDS)
    def idle(self, writer: int, name: str, prompt_id: str | None) -> None:
        self.fire(writer, events.WentIdle(who=self.who(name), prompt_id=prompt_id))

    @rule(writer=WRITER, name=ANY_SESSION, prompt_id=PROMPT_IDS)
    def api_error(self, writer: int, name: str, prompt_id: str | None) -> None:
        self.fire(writer, events.StopFailed(who=self.who(name), error="rate_limit", prompt_id=prompt_id))

    @rule(writer=WRITER, name=ANY_SESSION, reason=st.sampled_from(["clear", "other"]))
    def end(self, writer: int, name: str, reason: str) -> None:
        self.fire(writer, events.SessionFinished(who=self.who(name), reason=reason))

    @rule(writer=WRITER, data=st.data())
    def again(self, writer: int, data: st.DataObject) -> None:
        """Anything that happened before happens once more, however late."""
        self.fire(writer, data.draw(st.sampled_from(self.happened)))

    # ── what the engine does by itself ───────────────────────────────────────────────────────────────────────────────

    @rule(writer=WRITER)
    def drain(self, writer: int) -> None:
        self.homes[writer].drain()
        self.learn_what_was_typed()

    def learn_what_was_typed(self) -> None:
        """A claim that a dead dispatcher left behind may hold a text back until its lease ends; nothing else may."""
        for name, model in self.models.items():
            if model.active_delivery and model.active_delivery["state"] == "staged":
                typed = self.image(name)["deliveries"][-1][1] == "typed"
                assert typed or self.claims_left_behind
                if typed:
                    model.typed()

    @rule(writer=WRITER)
    def deadline(self, writer: int) -> None:
        """Every lease ends, every receipt is overdue and the screen shows nothing of the text."""
        self.clock.forward(minutes=15)
        for model in self.models.values():
            model.deadline_passed()
        self.pane.seen = Done({"seen": "nothing"})
        self.homes[writer].drain()
        self.pane.seen = Later(Pane.LATER, "no receipt yet")
        self.claims_left_behind = False
        self.learn_what_was_typed()

    # ── crashes ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @rule(writer=WRITER, point=STEP_POINTS, data=st.data())
    def die_in_step(self, writer: int, point: str, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from([e for e in self.happened if isinstance(e, HOOKS)]))
        self.armed = point
        try:
            self.homes[writer].step(event)
        except Crash:
            if point == "step: after commit":
                assert isinstance(event.who, events.Who)
                self.models[event.who.name].apply(event)
        self.armed = None
        self.reopen(writer)

    @precondition(lambda self: self.armed is None)
    @rule(writer=WRITER, point=DRAIN_POINTS)
    def die_in_drain(self, writer: int, point: str) -> None:
        self.armed = point
        try:
            self.homes[writer].drain()
        except Crash:
            self.claims_left_behind = True
            self.reopen(writer)
        self.armed = None
        held_back, self.claims_left_behind = self.claims_left_behind, True
        self.learn_what_was_typed()
        self.claims_left_behind = held_back

    # ── what must hold ───────────────────────────────────────────────────────────────────────────────────────────────

    def image(self, name: str) -> dict[str, Any]:
        home = self.homes[0]
        of_session = "(SELECT id FROM sessions WHERE name = ?)"
        queues = home.rows(f"SELECT * FROM queues WHERE session_id = {of_session} ORDER BY id DESC LIMIT 1", name)
        commands = (
            home.rows("SELECT * FROM commands WHERE queue_id = ? ORDER BY position", queues[0]["id"]) if queues else []
        )
        deliveries = home.rows(f"SELECT * FROM deliveries WHERE session_id = {of_session} ORDER BY id", name)
        return {
            "queue": queues[0]["state"] if queues else None,
            "commands": [(c["command"], c["state"], c["accepted_at"] is not None) for c in commands],
            "deliveries": [(d["text"], d["state"]) for d in deliveries],
        }

    @invariant()
    def the_tables_say_what_the_dictionary_says(self) -> None:
        for name, model in self.models.items() if self.__dict__.get("models") else ():
            assert self.image(name) == model.image()

    @invariant()
    def every_promise_holds(self) -> None:
        if self.__dict__.get("homes"):
            assert broken_promises(self.homes[0].path) == []

    @invariant()
    def nothing_was_typed_twice(self) -> None:
        typed = self.pane.typed_deliveries if self.__dict__.get("pane") else []
        assert len(typed) == len(set(typed))

    def teardown(self) -> None:
        for home in self.__dict__.get("homes", []):
            home.close()
        if self.__dict__.get("folder"):
            self.folder.cleanup()


HOOKS = (events.SessionStarted, events.PromptSubmitted, events.Stopped, events.Compacting, events.WentIdle)

TestQueues = Queues.TestCase
TestQueues.settings = settings(
    max_examples=25 * SCALE,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
