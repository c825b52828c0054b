"""The pure rules of queues: what ends a command, what may be typed, what is suggested, who typed, what is told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.domain.records import Command
from gsd_engine.errors import UsageError
from gsd_engine.rules import messages
from gsd_engine.rules.awaits import awaits
from gsd_engine.rules.provenance import typed_by_person
from gsd_engine.rules.suggestions import suggested_commands
from gsd_engine.rules.texts import checked_commands, fold, forbidden_character, same_text

BLANKS = st.text(alphabet=" \t\n\u00a0", min_size=1)
WORDS = st.lists(st.text(alphabet=st.characters(categories=["L", "N", "P"]), min_size=1), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("/clear", ("SessionStart", "clear")),
        ("  /clear  ", ("SessionStart", "clear")),
        ("/compact", ("SessionStart", "compact")),
        ("/compact keep the plan", ("SessionStart", "compact")),
        ("/clearly", ("Stop", None)),
        ("/compaction", ("Stop", None)),
        ("/gsd:clear", ("Stop", None)),
        ("please /clear", ("Stop", None)),
        ("clear", ("Stop", None)),
        ("/gsd:plan-phase 3", ("Stop", None)),
    ],
)
def test_a_command_awaits_the_hook_that_ends_it(command: str, wanted: tuple[str, str | None]) -> None:
    assert awaits(command) == wanted


@given(words=WORDS, data=st.data())
def test_texts_are_the_same_however_their_white_space_changed(words: list[str], data: st.DataObject) -> None:
    spread = "".join(data.draw(BLANKS) + word for word in words) + data.draw(st.text(alphabet=" \n"))
    assert same_text(spread, " ".join(words))
    assert fold(fold(spread)) == fold(spread)


@given(words=WORDS, more=st.text(alphabet=st.characters(categories=["L"]), min_size=1))
def test_another_word_makes_another_text(words: list[str], more: str) -> None:
    assert not same_text(" ".join(words), " ".join([*words, more]))


@given(st.characters(categories=["Cc"]))
def test_every_control_character_but_newline_and_tab_is_named(character: str) -> None:
    found = forbidden_character(f"ab{character}c")
    assert found == (None if character in "\n\t" else f"the character U+{ord(character):04X}")


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), min_size=1), min_size=1))
def test_commands_pass_unchanged_or_the_empty_one_is_named(commands: list[str]) -> None:
    blank = next((number for number, text in enumerate(commands, start=1) if not text.strip()), None)
    if blank is None:
        assert checked_commands(commands) == commands
    else:
        with pytest.raises(UsageError, match=f"command {blank} is empty"):
            checked_commands(commands)


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ([], "at least one command"),
        (["ok", ""], "command 2 is empty"),
        (["ok", 3], "command 2 is int; every command is a JSON string"),
        ([None], "command 1 is NoneType"),
        (["a\x1b"], "command 1 contains the character U\\+001B; only newline and tab"),
        (["a\u0085"], "U\\+0085"),
        (["\udc80"], "U\\+DC80"),
    ],
)
def test_a_complaint_says_which_command_and_what_would_be_right(commands: list[object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        checked_commands(commands)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("", ()),
        ("Run /gsd:plan-phase 3 next.", ("/gsd:plan-phase 3",)),
        ("Run `/gsd:plan-phase 3` or `/clear`", ("/gsd:plan-phase 3", "/clear")),
        ("/gsd:verify-work\n\nthen more", ("/gsd:verify-work",)),
        ("/gsd:a 1\n/gsd:a 1\n/gsd:a 2", ("/gsd:a 1", "/gsd:a 2")),
        ("/clear then /gsd:x, then /clear", ("/clear", "/gsd:x")),
        ("`/gsd:step2`", ("/gsd:step2",)),
        ("see docs/clear and a/gsd:x", ()),
        ("/cleared /clearly", ()),
        ("/gsd:plan-phase\t4", ("/gsd:plan-phase 4",)),
        ("**/clear**", ("/clear",)),
        ("(/clear)", ("/clear",)),
    ],
)
def test_suggestions_are_found_in_order_without_repeats(message: str, wanted: tuple[str, ...]) -> None:
    assert suggested_commands(message) == wanted


@given(st.text())
def test_suggestions_never_span_lines_and_never_repeat(message: str) -> None:
    found = suggested_commands(message + "\n/gsd:x\n" + message)
    assert len(found) == len(set(found))
    assert all("\n" not in command for command in found)


@pytest.mark.parametrize(
    ("prompt", "source", "person"),
    [
        ("hello", None, True),
        ("hello", "user", True),
        ("hello", "system", False),
        ("hello", "", False),
        ("<task-notification>x", None, False),
        ("  \n<task-notification>x", "user", False),
        ("look at <task-notification>", None, True),
        ("", None, True),
    ],
)
def test_prompts_that_no_person_typed_are_told_apart(prompt: str, source: str | None, person: bool) -> None:
    assert typed_by_person(prompt, source) is person


def line(position: int, state: str, command: str = "c", result: str | None = None) -> Command:
    return Command(  # type: ignore[arg-type]
        id=position, queue_id=1, position=position, command=command, awaits_hook="Stop", state=state, result=result
    )


COMMANDS = [line(1, "done", "/clear"), line(2, "done", "/gsd:a", "did a"), line(3, "skipped", 'say "é"')]


def test_what_remains_is_json_that_can_be_started_again() -> None:
    text = messages.queue_cancelled(COMMANDS, "manual input")
    assert text == 'Queue cancelled by manual input. Completed: 2/3. Remaining: ["say \\"é\\""]'
    assert checked_commands(json.loads(text.partition("Remaining: ")[2])) == ['say "é"']


def test_a_stale_queue_is_told_with_progress_and_rest() -> None:
    assert messages.queue_stale(COMMANDS).startswith(
        'Previous session had unfinished queue. Completed: 2/3. Remaining: ["say \\"é\\""]'
    )


def test_a_complete_queue_is_told_with_every_result() -> None:
    assert messages.queue_complete(COMMANDS[:2]) == (
        "Queue complete. 2/2 commands executed.\n\n1. /clear\n(no message)\n\n2. /gsd:a\ndid a"
    )


def test_background_work_is_named_by_the_best_name_it_has() -> None:
    tasks = [{"description": "make"}, {"id": "b2"}, {"type": "shell"}, {"odd": 1}]
    assert messages.response("m", tasks).endswith("background: make, b2, shell, {'odd': 1}")
    assert messages.response("m", ()) == "m"
