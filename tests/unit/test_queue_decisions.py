"""What every hook means for a queue: path, rows and what the agent is told, through the real store."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from gsd_engine.domain.effects import TypeText
from gsd_engine.domain.events import (
    Compacting,
    EffectReport,
    Observed,
    PermissionPrompted,
    PromptSubmitted,
    QueueCancelRequested,
    QueueRequested,
    SessionFinished,
    SessionStarted,
    StopFailed,
    TypingBegan,
    WentIdle,
)
from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.results import Done, Failed
from gsd_engine.errors import NotFoundError, Refusal, UsageError
from gsd_engine.recovery import recover
from tests.support.engine import Home, command_states


def remaining(*commands: str) -> str:
    return json.dumps(list(commands))


def cleared(home: Home, session_id: str, name: str = "alpha") -> str:
    return home.path_of(SessionStarted(who=home.who(name, claude_session_id=session_id), how="clear"))


def row(home: Home, table: str, which: int = 1) -> dict[str, Any]:
    return home.rows(f"SELECT * FROM {table} WHERE id = ?", which)[0]


# ── starting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_starting_writes_all_commands_and_types_the_first(home: Home) -> None:
    assert home.queue("/clear", "/compact now", "/gsd:plan-phase 3").path == "queue/started"
    assert command_states(home, ("position", "command", "awaits_hook", "awaits_sub", "state")) == [
        (1, "/clear", "SessionStart", "clear", "active"),
        (2, "/compact now", "SessionStart", "compact", "pending"),
        (3, "/gsd:plan-phase 3", "Stop", None, "pending"),
    ]
    assert home.pane.typed == ["/clear"]
    assert home.states("deliveries") == ["typed"]
    assert row(home, "deliveries")["transport"] == "keys"
    assert home.told() == []


def test_a_second_queue_is_refused_and_the_first_named(home: Home) -> None:
    home.queue("one", "two")
    before = home.counts()
    with pytest.raises(Refusal, match=r"^session alpha has active queue 1 \(0/2 done\): .*queue cancel.*--replace"):
        home.queue("three")
    assert home.counts() == before


def test_replace_cancels_the_first_and_withdraws_what_was_not_typed(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one", "two"]))
    assert home.queue("three", replace=True).path == "queue/started"
    assert home.states("queues") == ["cancelled", "active"]
    assert command_states(home) == [("one", "skipped"), ("two", "skipped"), ("three", "active")]
    assert home.pane.typed == ["three"]
    assert home.states("deliveries") == ["refused", "typed"]
    assert home.states("effects")[0] == "dropped"
    assert row(home, "queues")["reason"] == "replaced by a new queue"
    assert home.told() == []


def test_each_session_has_a_queue_of_its_own(home: Home) -> None:
    home.startup("beta", "claude-b")
    home.queue("one")
    home.queue("one", name="beta")
    assert home.states("queues") == ["active", "active"]
    assert home.receipt("one", "p1", name="beta").path == "prompt/receipt"
    assert home.stop("p1", "done", name="beta").path == "stop/queue/completed"
    assert home.states("queues") == ["active", "completed"]


@pytest.mark.parametrize("how", ["exit", "logout", "prompt_input_exit", "other"])
def test_a_queue_for_an_ended_session_is_refused(home: Home, how: str) -> None:
    home.step(SessionFinished(who=home.who(), reason=how))
    with pytest.raises(Refusal, match="alpha is ended: start Claude Code in it first"):
        home.queue("one")


@pytest.mark.parametrize("commands", [[], [""], [" \n\t"], ["a\x1b[31m"], ["ok", "\x00"], ["\r"], [7], ["\ud800"]])
def test_bad_commands_leave_nothing_behind(home: Home, commands: list[Any]) -> None:
    before = home.counts()
    with pytest.raises(UsageError):
        home.queue(*commands)
    assert home.counts() == before


def test_the_first_word_about_a_session_may_be_a_queue(home: Home) -> None:
    home.queue("one", name="gamma")
    assert home.pane.typed == ["one"]
    assert home.value("SELECT session_id FROM events WHERE kind = 'QueueRequested'") == home.value(
        "SELECT id FROM sessions WHERE name = 'gamma'"
    )


def test_cancelling_skips_the_rest_and_tells_nobody(home: Home) -> None:
    home.queue("one", "two")
    assert home.path_of(QueueCancelRequested(who=home.who())) == "queue/cancelled"
    assert command_states(home) == [("one", "skipped"), ("two", "skipped")]
    assert home.told() == []
    with pytest.raises(NotFoundError, match="alpha has no active queue"):
        home.step(QueueCancelRequested(who=home.who()))


# ── receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("arrives", ["do  it\nnow", " do it now ", "do it\tnow", "do\u00a0it now"])
def test_a_receipt_is_recognised_with_white_space_folded(home: Home, arrives: str) -> None:
    home.queue("do it now")
    assert home.receipt(arrives, "p1").path == "prompt/receipt"
    assert row(home, "deliveries")["state"] == "accepted"
    assert (row(home, "commands")["prompt_id"], row(home, "deliveries")["prompt_id"]) == ("p1", "p1")
    assert home.rows("SELECT * FROM effects WHERE kind = 'AwaitReceipt'")[0]["state"] == "dropped"
    assert row(home, "sessions")["state"] == "working"


def test_a_receipt_may_overtake_the_report_of_typing(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one", "two"]))
    assert home.receipt("one", "p1").path == "prompt/receipt"
    home.drain()
    assert home.pane.typed == []  # the receipt withdrew the typing that had not begun
    assert home.stop("p1", "done").path == "stop/queue/advanced"


def test_a_receipt_during_typing_leaves_the_report_without_consequence(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one"]))

    def receipt_at_once(point: str) -> None:
        if point == "pane: typing":
            home.receipt("one", "p1")

    home.engine.tripwire = receipt_at_once
    home.drain()
    assert home.pane.typed == ["one"]
    assert (home.states("deliveries"), home.states("commands")) == (["accepted"], ["active"])
    assert home.value("SELECT state FROM effects WHERE kind = 'TypeText'") == "done"


@pytest.mark.parametrize("prompt_id", ["p1", None])
def test_a_receipt_delivered_twice_changes_nothing(home: Home, prompt_id: str | None) -> None:
    home.queue("one", "two")
    home.receipt("one", prompt_id)
    before = command_states(home), home.states("queues"), home.states("deliveries")
    assert home.receipt("one", prompt_id).path in ("duplicate", "prompt/receipt_again")
    assert (command_states(home), home.states("queues"), home.states("deliveries")) == before
    assert home.told() == []


def test_without_prompt_ids_a_different_text_is_still_a_takeover(home: Home) -> None:
    home.queue("one", "two")
    home.receipt("one", None)
    assert home.receipt("one more", None).path == "prompt/taken_over"


def test_a_late_receipt_puts_the_queue_right(home: Home) -> None:
    home.queue("one", "two", "three")
    home.run_turn("one", "p1")
    give_up_on_receipt(home)
    assert command_states(home) == [("one", "done"), ("two", "failed"), ("three", "skipped")]
    home.told()
    assert home.receipt("two", "p2").path == "prompt/receipt_late"
    assert command_states(home) == [("one", "done"), ("two", "active"), ("three", "pending")]
    assert home.states("queues") == ["active"]
    assert home.told() == [
        ("delivery_uncertain", "The receipt of two came late: it did arrive, and its queue goes on.")
    ]
    assert home.run_turn("two", "p2").path == "stop/queue/advanced"
    assert home.pane.typed == ["one", "two", "three"]


def test_a_late_receipt_of_a_replaced_queue_disturbs_nothing(home: Home) -> None:
    home.queue("one")
    give_up_on_receipt(home)
    home.queue("two")
    home.told()
    assert home.receipt("one", "p1").path == "prompt/receipt_late"
    assert home.states("queues") == ["failed", "active"]
    assert home.states("deliveries") == ["accepted", "typed"]
    assert home.told() == []


def test_a_late_clear_puts_the_queue_right_and_goes_on(home: Home) -> None:
    home.queue("/clear", "one")
    give_up_on_receipt(home)
    assert home.states("queues") == ["failed"]
    assert cleared(home, "claude-2") == "session_start/clear/advanced"
    assert command_states(home) == [("/clear", "done"), ("one", "active")]
    home.drain()
    assert home.pane.typed == ["/clear", "one"]


def give_up_on_receipt(home: Home) -> None:
    home.pane.seen = Done({"seen": "nothing"})
    home.clock.forward(seconds=2)
    home.drain()


# ── deliveries that fail ─────────────────────────────────────────────────────────────────────────────────────────────


def test_no_receipt_in_time_is_doubt_and_is_told(home: Home) -> None:
    home.queue("one", "two")
    give_up_on_receipt(home)
    assert row(home, "deliveries")["state"] == "uncertain"
    assert (row(home, "queues")["state"], row(home, "queues")["reason"]) == ("failed", "uncertain: no receipt in time")
    assert home.told() == [
        (
            "queue_failed",
            "Queue failed at command 1, one: uncertain: no receipt in time. Completed: 0/2. "
            'Remaining: ["one", "two"]. Nothing will be typed again by itself.',
        )
    ]
    home.clock.forward(hours=1)
    home.drain()
    assert home.pane.typed == ["one"]


def test_a_look_that_fails_is_doubt_too(home: Home) -> None:
    """Otherwise nobody would ever look again, and the queue would hang in silence."""
    home.queue("one")
    home.pane.seen = Failed("the pane is gone")
    home.clock.forward(seconds=2)
    home.drain()
    assert home.states("deliveries") == ["uncertain"]
    assert [trigger for trigger, _ in home.told()] == ["queue_failed"]


def test_an_unknown_command_fails_the_queue(home: Home) -> None:
    home.queue("/gsd:nope", "two")
    home.pane.seen = Done({"seen": "unknown_command"})
    home.clock.forward(seconds=2)
    home.drain()
    assert home.states("deliveries") == ["rejected"]
    assert command_states(home, ("state", "reason")) == [("failed", "unknown_command"), ("skipped", "queue failed")]
    assert home.told() == [
        (
            "queue_failed",
            "Queue failed at command 1, /gsd:nope: unknown_command. Completed: 0/2. "
            'Remaining: ["/gsd:nope", "two"]. Nothing will be typed again by itself.',
        )
    ]


def test_a_refused_delivery_fails_the_queue(home: Home) -> None:
    home.pane.refuses = "a dialog is open"
    home.queue("one", "two")
    assert home.states("deliveries") == ["refused"]
    assert command_states(home, ("state", "reason")) == [
        ("failed", "refused: a dialog is open"),
        ("skipped", "queue failed"),
    ]
    assert home.told()[0][1].startswith("Queue failed at command 1, one: refused: a dialog is open. Completed: 0/2.")


def test_a_draft_in_the_input_line_makes_the_text_wait(home: Home) -> None:
    home.pane.busy = timedelta(seconds=1)
    home.queue("one")
    assert (home.pane.typed, home.states("deliveries")) == ([], ["staged"])
    home.pane.busy = None
    home.clock.forward(seconds=1)
    home.drain()
    assert home.pane.typed == ["one"]


def test_the_queue_ends_while_a_text_waits_and_nothing_is_typed(home: Home) -> None:
    """The effect was claimed when its delivery was withdrawn: it must not come back."""
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    claimed = home.engine.claim("slow", home.config.host)
    assert claimed is not None
    home.step(QueueCancelRequested(who=home.who()))
    home.step(EffectReport(who=1, effect_id=claimed.id, outcome="retry", reason="draft"))
    assert home.states("effects") == ["failed"]
    home.drain()
    assert home.pane.typed == []


def test_a_report_about_a_text_of_an_earlier_queue_is_taken(home: Home) -> None:
    """A performer may be slower than the agent: its queue was replaced before it reported."""
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    claimed = home.engine.claim("slow", home.config.host)
    assert claimed is not None
    home.step(QueueRequested(who=home.who(), commands=["two"], replace=True))
    with pytest.raises(Refusal, match="delivery 1 is refused: it is not to be typed any more"):
        home.step(TypingBegan(who=1, delivery_id=1, transport="keys"))
    home.step(EffectReport(who=1, effect_id=claimed.id, outcome="failed", reason="refused"))
    assert home.states("deliveries") == ["refused", "staged"]
    assert home.states("queues") == ["cancelled", "active"]


def test_a_performer_that_lost_its_claim_cannot_refuse_what_another_types(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    second = home.again()

    def stalls(effect: TypeText, row: EffectRow) -> Failed:
        home.clock.now += TypeText.lease * 2  # the other dispatcher claims the text and begins to type
        recover(second.engine, second.config.host)
        assert second.engine.claim("another", second.config.host) is not None
        second.step(TypingBegan(who=1, delivery_id=1, transport="keys"))
        return Failed("delivery 1 is typed: it is not to be typed any more")

    home.dispatcher.performers = {**home.dispatcher.performers, TypeText: stalls}
    home.dispatcher.run_once()
    assert home.states("deliveries") == ["typed"]
    assert home.states("queues") == ["active"]
    assert (row(home, "effects")["state"], row(home, "effects")["claimed_by"]) == ("claimed", "another")
    second.close()


# ── takeover ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("done", [0, 1, 2])
def test_manual_input_cancels_with_exact_counts(home: Home, done: int) -> None:
    commands = ["one", "two", "three"]
    home.queue(*commands)
    for number in range(done):
        home.run_turn(commands[number], f"p{number}")
    home.told()
    assert home.receipt("I take it from here", "mine").path == "prompt/taken_over"
    assert home.states("queues") == ["cancelled"]
    assert home.states("commands") == ["done"] * done + ["skipped"] * (3 - done)
    assert home.told() == [
        (
            "queue_cancelled",
            f"Queue cancelled by manual input. Completed: {done}/3. Remaining: {remaining(*commands[done:])}",
        )
    ]


def test_manual_input_before_typing_withdraws_the_text(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    assert home.receipt("mine", "m").path == "prompt/taken_over"
    home.drain()
    assert (home.pane.typed, home.states("deliveries")) == ([], ["refused"])


def test_a_clear_by_a_person_is_a_takeover(home: Home) -> None:
    home.queue("one", "/clear")
    assert cleared(home, "claude-2") == "session_start/clear/taken_over"
    assert home.told() == [
        (
            "queue_cancelled",
            f"Queue cancelled by manual input. Completed: 0/2. Remaining: {remaining('one', '/clear')}",
        )
    ]
    assert row(home, "sessions")["claude_session_id"] == "claude-2"


def test_a_clear_without_a_queue_only_rebinds(home: Home) -> None:
    assert cleared(home, "claude-2") == "session_start/clear/rebound"
    assert row(home, "sessions")["claude_session_id"] == "claude-2"
    assert home.told() == []


def test_a_prompt_no_person_typed_cancels_nothing(home: Home) -> None:
    home.queue("one")
    event = PromptSubmitted(who=home.who(), prompt="<task-notification>", prompt_id="t", by_person=False)
    assert home.path_of(event) == "prompt/not_a_person"
    assert (home.states("queues"), home.told()) == (["active"], [])


def test_a_prompt_without_a_queue_is_seen(home: Home) -> None:
    assert home.receipt("hello", "p1").path == "prompt/seen"
    assert home.told() == []


def test_a_subagents_event_is_recorded_and_decides_nothing(home: Home) -> None:
    home.queue("one")
    home.receipt("one", "p1")
    assert home.path_of(Observed(who=home.who(), hook="Stop", why="subagent")) == "observed/Stop/subagent"
    assert home.states("commands") == ["active"]


# ── stop ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_whole_queue_is_told_with_every_result(home: Home) -> None:
    home.queue("/clear", "one", "two")
    cleared(home, "claude-2")
    home.drain()
    assert home.run_turn("one", "p1", "first result").path == "stop/queue/advanced"
    assert home.run_turn("two", "p2", "").path == "stop/queue/completed"
    assert home.pane.typed == ["/clear", "one", "two"]
    assert command_states(home, ("state", "result")) == [("done", None), ("done", "first result"), ("done", None)]
    assert home.told() == [
        (
            "queue_complete",
            "Queue complete. 3/3 commands executed.\n\n1. /clear\n(no message)\n\n2. one\nfirst result"
            "\n\n3. two\n(no message)",
        )
    ]


def test_a_stop_of_an_earlier_turn_settles_nothing(home: Home) -> None:
    home.queue("one", "two")
    assert home.stop("p0", "earlier").path == "stop/queue/not_its_turn"
    home.receipt("one", "p1")
    assert home.stop("p0", "earlier").path == "stop/queue/not_its_turn"
    assert (command_states(home), home.told()) == ([("one", "active"), ("two", "pending")], [])


@pytest.mark.parametrize(("receipt", "stop"), [(None, None), (None, "p1"), ("p1", None), ("p1", "p1")])
def test_without_a_prompt_id_on_either_side_accepted_is_enough(
    home: Home, receipt: str | None, stop: str | None
) -> None:
    home.queue("one", "two")
    assert home.stop(stop, "too early").path == "stop/queue/not_its_turn"
    home.receipt("one", receipt)
    assert home.stop(stop, "said").path == "stop/queue/advanced"


def test_a_stop_that_was_blocked_before_settles_its_command(home: Home) -> None:
    home.queue("one")
    home.receipt("one", "p1")
    assert home.stop("p1", "said", stop_hook_active=True).path == "stop/queue/completed"


def test_the_same_stop_twice_settles_one_command(home: Home) -> None:
    home.queue("one", "two")
    home.run_turn("one", "p1")
    home.receipt("two", "p2")
    assert home.stop("p1", "said").path == "stop/queue/not_its_turn"
    assert command_states(home) == [("one", "done"), ("two", "active")]


@pytest.mark.parametrize("again", ["p1", "p2"])
def test_a_stop_that_comes_again_after_its_queue_wakes_nobody(home: Home, again: str) -> None:
    home.queue("one", "two")
    home.run_turn("one", "p1")
    home.run_turn("two", "p2")
    assert [trigger for trigger, _ in home.told()] == ["queue_complete"]
    assert home.stop(again, "said").path == "stop/silent/already_told"
    assert home.told() == []


def test_the_next_turn_after_a_queue_wakes_the_agent(home: Home) -> None:
    home.queue("one")
    home.run_turn("one", "p1")
    home.told()
    home.receipt("mine", "p2")
    assert home.stop("p2", "said").path == "stop/wake"


def test_a_stop_does_not_settle_a_command_that_awaits_a_restart(home: Home) -> None:
    home.queue("/clear", "one")
    assert home.stop("p1", "earlier").path == "stop/queue/not_its_turn"
    assert home.states("commands") == ["active", "pending"]


def test_without_a_queue_a_message_wakes_the_agent_with_suggestions(home: Home) -> None:
    home.receipt("hello", "p1")
    assert home.stop("p1", "Next: `/gsd:plan-phase 4`, or /clear").path == "stop/wake"
    home.drain()
    wake = home.pane.wakes[0]
    assert (wake.trigger, wake.state) == ("response_complete", "idle")
    assert list(wake.suggested_commands) == ["/gsd:plan-phase 4", "/clear"]
    assert home.stop("p1", "Next: `/gsd:plan-phase 4`, or /clear").path == "stop/silent/already_told"


@pytest.mark.parametrize(
    ("message", "active", "path"),
    [("", False, "no_message"), ("  \n", False, "no_message"), ("said", True, "stop_hook_active")],
)
def test_without_a_queue_some_stops_are_silent(home: Home, message: str, active: bool, path: str) -> None:
    assert home.stop("p1", message, stop_hook_active=active).path == f"stop/silent/{path}"
    assert home.told() == []


def test_background_work_is_mentioned(home: Home) -> None:
    home.stop("p1", "said", background=[{"id": "b1", "description": "make test"}])
    assert home.told() == [("response_complete", "said\n\nStill running in the background: make test")]


# ── restarts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_clean_startup_wakes_nobody(home: Home) -> None:
    home.startup(session_id="claude-2")
    assert home.told() == []


def test_a_startup_makes_the_queue_stale(home: Home) -> None:
    home.queue("one", "two")
    home.run_turn("one", "p1")
    home.startup(session_id="claude-2")
    assert home.states("queues") == ["stale"]
    assert home.told() == [
        (
            "queue_stale",
            f"Previous session had unfinished queue. Completed: 1/2. Remaining: {remaining('two')}. "
            "Nothing was typed again.",
        )
    ]
    home.clock.forward(minutes=5)
    home.drain()
    assert home.pane.typed == ["one", "two"]


def test_a_startup_before_typing_withdraws_the_text(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    home.startup(session_id="claude-2")
    home.drain()
    assert (home.pane.typed, home.states("deliveries")) == ([], ["refused"])


def test_the_same_startup_twice_is_one(home: Home) -> None:
    home.queue("one")
    home.startup()  # the very event with which the session began
    assert home.states("queues") == ["active"]


@pytest.mark.parametrize("how", ["resume", "fork"])
@pytest.mark.parametrize("accepted", [False, True])
def test_a_resume_leaves_the_active_command_in_doubt(home: Home, how: str, accepted: bool) -> None:
    home.queue("one", "two")
    if accepted:
        home.receipt("one", "p1")
    event = SessionStarted(who=home.who(claude_session_id="claude-9"), how=how)
    assert home.path_of(event) == f"session_start/{how}/uncertain"
    assert row(home, "sessions")["claude_session_id"] == "claude-9"
    assert (home.states("deliveries"), home.states("queues")) == (["uncertain"], ["failed"])
    reason = f"uncertain: Claude Code was started again ({how})"
    assert home.told() == [
        (
            "delivery_uncertain",
            f"Queue failed at command 1, one: {reason}. Completed: 0/2. Remaining: {remaining('one', 'two')}. "
            "Nothing will be typed again by itself.",
        )
    ]
    assert home.path_of(event) == f"session_start/{how}/rebound"
    assert home.told() == []


@pytest.mark.parametrize("how", ["resume", "fork"])
def test_a_resume_before_typing_loses_nothing(home: Home, how: str) -> None:
    home.step(QueueRequested(who=home.who(), commands=["one"]))
    assert home.path_of(SessionStarted(who=home.who(), how=how)) == f"session_start/{how}/not_yet_typed"
    home.drain()
    assert (home.pane.typed, home.states("queues")) == (["one"], ["active"])


def test_compacting_by_command_is_receipt_and_then_result(home: Home) -> None:
    home.queue("/compact", "one")
    assert home.path_of(Compacting(who=home.who(), trigger="manual", prompt_id="c1")) == "pre_compact/receipt"
    assert home.states("deliveries") == ["accepted"]
    compacted = SessionStarted(who=home.who(claude_session_id="claude-1"), how="compact")
    assert home.path_of(compacted) == "session_start/compact/advanced"
    home.drain()
    assert home.pane.typed == ["/compact", "one"]
    assert home.told() == []


def test_compaction_on_its_own_is_told_and_settles_nothing(home: Home) -> None:
    home.queue("one")
    home.receipt("one", "p1")
    assert home.path_of(Compacting(who=home.who(), trigger="auto")) == "pre_compact/wake"
    assert home.path_of(SessionStarted(who=home.who(), how="compact")) == "session_start/compact/nothing_awaited"
    assert row(home, "sessions")["state"] == "working"
    assert home.states("commands") == ["active"]
    assert home.told() == [("pre_compact", "Claude Code is about to compact its context (auto).")]


def test_a_compaction_before_ours_is_typed_is_not_ours(home: Home) -> None:
    home.step(QueueRequested(who=home.who(), commands=["/compact"]))
    assert home.path_of(SessionStarted(who=home.who(), how="compact")) == "session_start/compact/nothing_awaited"
    home.drain()
    assert home.pane.typed == ["/compact"]


# ── errors, idleness, the end ────────────────────────────────────────────────────────────────────────────────────────


def test_an_api_error_keeps_the_command_active(home: Home) -> None:
    home.queue("one", "two")
    home.receipt("one", "p1")
    event = StopFailed(who=home.who(), error="rate_limit", message="too many", prompt_id="p1")
    assert home.path_of(event) == "stop_failure/rate_limit"
    assert (row(home, "sessions")["state"], row(home, "sessions")["failure"]) == ("failing", "rate_limit")
    assert command_states(home) == [("one", "active"), ("two", "pending")]
    assert home.told() == [
        (
            "stop_failure",
            "The turn ended with an API error: rate_limit. The active command, if any, is not done.\ntoo many",
        )
    ]
    assert home.path_of(event) == "duplicate"
    assert home.path_of(WentIdle(who=home.who(), prompt_id="p1")) == "idle/wake"
    assert home.states("commands") == ["active", "pending"]


def test_after_an_api_error_the_turn_may_still_end_well(home: Home) -> None:
    home.queue("one")
    home.receipt("one", "p1")
    home.step(StopFailed(who=home.who(), error="overloaded", prompt_id="p1"))
    assert home.stop("p1", "said").path == "stop/queue/completed"
    assert row(home, "sessions")["state"] == "idle"


def test_idle_with_an_accepted_command_is_an_interrupt(home: Home) -> None:
    home.queue("one", "two")
    home.receipt("one", "p1")
    assert home.path_of(WentIdle(who=home.who(), prompt_id="p1")) == "idle/interrupted"
    assert command_states(home, ("state", "reason")) == [("failed", "interrupted"), ("skipped", "queue failed")]
    assert home.told() == [
        (
            "queue_failed",
            f"Queue failed at command 1, one: interrupted. Completed: 0/2. Remaining: {remaining('one', 'two')}. "
            "Nothing will be typed again by itself.",
        )
    ]


def test_idle_of_an_earlier_turn_interrupts_nothing(home: Home) -> None:
    home.queue("one")
    assert home.path_of(WentIdle(who=home.who(), prompt_id="p0")) == "idle/wake"
    home.receipt("one", "p1")
    assert home.path_of(WentIdle(who=home.who(), prompt_id="p9")) == "idle/wake"
    assert home.states("commands") == ["active"]
    assert home.told() == [("idle", ""), ("idle", "")]


def test_permission_prompts_wake_the_agent_with_the_pane(home: Home) -> None:
    assert home.path_of(PermissionPrompted(who=home.who(), message="Bash?")) == "permission/wake"
    home.drain()
    wake = home.pane.wakes[0]
    assert (wake.trigger, wake.state, wake.content) == ("permission", "permission_prompt", "Bash?")
    assert wake.show_pane


@pytest.mark.parametrize("reason", ["clear", "resume"])
def test_some_ends_end_nothing(home: Home, reason: str) -> None:
    home.queue("one")
    assert home.path_of(SessionFinished(who=home.who(), reason=reason)) == f"session_end/{reason}/goes_on"
    assert (home.states("queues"), home.told()) == (["active"], [])


def test_the_end_makes_the_queue_stale_and_is_told_once(home: Home) -> None:
    home.queue("one", "two")
    event = SessionFinished(who=home.who(), reason="prompt_input_exit")
    assert home.path_of(event) == "session_end/ended"
    assert (row(home, "sessions")["state"], home.states("queues")) == ("ended", ["stale"])
    assert home.told() == [
        (
            "session_end",
            "Claude Code ended (prompt_input_exit).\nPrevious session had unfinished queue. Completed: 0/2. "
            f"Remaining: {remaining('one', 'two')}. Nothing was typed again.",
        )
    ]
    assert home.path_of(event) == "session_end/already_ended"
    assert home.told() == []


def test_after_the_end_a_sign_of_life_leads_back_to_life(home: Home) -> None:
    home.step(SessionFinished(who=home.who()))
    home.receipt("hello", "p1")
    assert (row(home, "sessions")["state"], row(home, "sessions")["ended_at"]) == ("working", None)


def test_every_event_is_recorded_with_its_path(home: Home) -> None:
    home.queue("one")
    home.run_turn("one", "p1")
    hooks = home.rows("SELECT kind, source, decision_path FROM events WHERE source = 'hook' ORDER BY id")
    assert [tuple(r.values()) for r in hooks] == [
        ("SessionStarted", "hook", "session_start/startup/clean"),
        ("PromptSubmitted", "hook", "prompt/receipt"),
        ("Stopped", "hook", "stop/queue/completed"),
    ]
