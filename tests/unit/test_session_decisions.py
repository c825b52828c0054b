"""Spawning, losing, killing and watching a session: what the store says and what the agent is told."""

from __future__ import annotations

import pytest

from gsd_engine.domain.events import (
    FoundIdle,
    KillRequested,
    PromptSubmitted,
    QuestionAsked,
    SessionFinished,
    SessionLost,
    SpawnRequested,
    StopFailed,
)
from gsd_engine.domain.results import Done
from gsd_engine.errors import UsageError
from gsd_engine.store import sessions
from tests.support.engine import Home, command_states

NEW = "beta"  # (alpha has been started by the fixture)


def session_state(home: Home, name: str = "alpha") -> str:
    return str(home.value("SELECT state FROM sessions WHERE name = ?", name))


def spawn(home: Home, name: str = "alpha", **fields: object) -> str:
    return home.path_of(SpawnRequested(who=home.who(name, agent_id="warden", cwd="/srv/x"), **fields))  # type: ignore[arg-type]


def found_idle(home: Home) -> str:
    with home.database.read() as connection:
        session = sessions.by_name(connection, home.config.host, "alpha")
    assert session is not None
    return home.path_of(FoundIdle(who=session.id, silent_since=session.last_event_at))


def lose(home: Home) -> str:
    return home.path_of(SessionLost(who=home.who(), reason="no pane %1"))


def test_a_spawned_session_is_starting_until_its_hooks_speak(home: Home) -> None:
    assert spawn(home, NEW) == "session/spawn"
    assert session_state(home, NEW) == "starting"
    home.startup(NEW)
    assert session_state(home, NEW) == "idle"


def test_the_first_command_is_queued_once_the_session_is_ready(home: Home) -> None:
    spawn(home, NEW, first_command="/gsd:plan-phase 3")
    home.startup(NEW)
    assert home.pane.typed == []
    home.clock.forward(seconds=1)
    home.drain()
    assert home.pane.typed == ["/gsd:plan-phase 3"]
    assert home.states("queues") == ["active"]


def test_a_first_command_that_may_not_be_typed_starts_nothing(home: Home) -> None:
    with pytest.raises(UsageError, match="control"):
        spawn(home, NEW, first_command="rm\x1b[A")
    assert home.states("sessions") == ["idle"]


def test_a_startup_dialog_is_told_once_and_the_first_command_waits_for_it(home: Home) -> None:
    home.pane.start_seen = Done({"seen": "startup_dialog"})
    spawn(home, NEW, first_command="/gsd:plan-phase 3")
    home.clock.forward(seconds=0.6)
    told = home.told()
    assert [trigger for trigger, _ in told] == ["permission"]
    assert "gsd-engine session attach beta" in told[0][1]
    home.pane.start_seen = Done({"seen": "ready"})
    home.clock.forward(seconds=2)
    assert home.told() == []
    assert home.pane.typed == ["/gsd:plan-phase 3"]


def test_a_start_that_never_becomes_ready_is_told_with_the_command_that_was_not_typed(home: Home) -> None:
    home.pane.start_seen = Done({"seen": "not_ready", "reason": "its hooks have not reported its start"})
    spawn(home, NEW, first_command="/gsd:plan-phase 3")
    home.clock.forward(seconds=1)
    [(trigger, content)] = home.told()
    assert trigger == "session_start"
    assert "hooks" in content
    assert "/gsd:plan-phase 3" in content
    assert home.pane.typed == []


def test_a_lost_session_makes_its_queue_stale_and_tells_the_agent_what_remains(home: Home) -> None:
    home.queue("/one", "/two")
    home.run_turn("/one", "p1")
    assert lose(home) == "session/lost"
    assert session_state(home) == "lost"
    assert home.states("queues") == ["stale"]
    assert command_states(home) == [("/one", "done"), ("/two", "skipped")]
    [(trigger, content)] = home.told()
    assert trigger == "session_end"
    assert "Completed: 1/2" in content
    assert lose(home) == "session/lost/already_lost"
    assert home.told() == []


def test_a_lost_session_abandons_its_open_question(home: Home) -> None:
    home.step(QuestionAsked(who=home.who(), tool_use_id="t1", questions=[{"question": "Which?", "options": []}]))
    lose(home)
    assert home.states("questions") == ["abandoned"]


def test_a_session_that_ended_by_itself_is_not_lost(home: Home) -> None:
    home.step(SessionFinished(who=home.who(), reason="prompt_input_exit"))
    assert lose(home) == "session/lost/already_ended"


def test_killing_ends_the_session_and_its_late_hook_changes_nothing(home: Home) -> None:
    home.queue("/one")
    assert home.path_of(KillRequested(who=home.who())) == "session/kill"
    assert session_state(home) == "ended"
    assert home.states("queues") == ["stale"]
    home.told()
    assert home.path_of(SessionFinished(who=home.who(), reason="other")) == "session_end/already_ended"
    assert home.told() == []


def test_spawning_again_after_a_silent_death_makes_the_old_queue_stale(home: Home) -> None:
    home.queue("/one")
    assert spawn(home) == "session/spawn"
    assert session_state(home) == "starting"
    assert home.states("queues") == ["stale"]


def test_resuming_keeps_the_conversation_and_a_new_start_forgets_it(home: Home) -> None:
    lose(home)
    assert spawn(home, resume="claude-1") == "session/spawn/resume"
    assert home.value("SELECT claude_session_id FROM sessions") == "claude-1"
    lose(home)
    spawn(home)
    assert home.value("SELECT claude_session_id FROM sessions") is None


def test_an_accepted_command_whose_turn_is_over_on_the_screen_was_interrupted(home: Home) -> None:
    home.queue("/one", "/two")
    home.receipt("/one", "p1")
    home.clock.forward(seconds=100)
    assert found_idle(home) == "watch/interrupted"
    assert home.states("queues") == ["failed"]
    assert command_states(home, ("state", "reason")) == [("failed", "interrupted"), ("skipped", "queue failed")]
    [(trigger, content)] = home.told()
    assert (trigger, "interrupted" in content) == ("queue_failed", True)
    assert home.pane.typed == ["/one"]


def test_a_look_that_a_hook_overtook_says_nothing(home: Home) -> None:
    home.queue("/one", "/two")
    home.receipt("/one", "p1")
    seen = home.clock()
    home.clock.forward(seconds=100)
    home.stop("p1", "done")
    assert home.path_of(FoundIdle(who=home.who(), silent_since=seen)) == "watch/not_silent_any_more"
    assert home.states("queues") == ["active"]


def test_a_command_that_has_no_receipt_yet_is_left_to_its_own_deadline(home: Home) -> None:
    home.queue("/one")
    home.clock.forward(seconds=100)
    assert found_idle(home) == "watch/idle"
    assert home.states("queues") == ["active"]


def test_an_interrupt_without_a_queue_makes_the_session_idle_and_wakes_nobody(home: Home) -> None:
    home.step(PromptSubmitted(who=home.who(), prompt="by hand", prompt_id="p1"))
    home.clock.forward(seconds=100)
    assert found_idle(home) == "watch/idle"
    assert session_state(home) == "idle"
    assert home.told() == []


def test_a_failing_session_at_its_prompt_keeps_its_command(home: Home) -> None:
    home.queue("/one")
    home.receipt("/one", "p1")
    home.step(StopFailed(who=home.who(), error="rate_limit", prompt_id="p1"))
    home.clock.forward(seconds=100)
    assert found_idle(home) == "watch/failing"
    assert command_states(home) == [("/one", "active")]
