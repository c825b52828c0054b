"""The simulated menu does what the recorded ones did: same keys, same screens, same answers, in both versions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.simulation.dialect import NEWER_VERSION, OLDER_VERSION, dialect_of
from gsd_engine.simulation.keys import Key
from gsd_engine.simulation.menu import Answered, ChatChosen, Declined, Menu, Outcome, open_menu, press
from gsd_engine.simulation.menu_view import render
from gsd_engine.simulation.question import answered_lines, completed_input, declined_lines

RECORDINGS = Path(__file__).parents[1] / "recordings"
VERSIONS = (OLDER_VERSION, NEWER_VERSION)
NAMES = [path.name.removesuffix(".jsonl") for path in sorted((RECORDINGS / "claude-code-2.1.197").glob("*.jsonl"))]
MENUS = [name for name in NAMES if "06" <= name[:2] <= "16"]
TYPED = {"07": "put it in src/", "13": "DRY, SRP", "16": "keep it flat"}


def payloads(version: str, name: str) -> list[dict[str, Any]]:
    lines = (RECORDINGS / f"claude-code-{version}" / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def payload(version: str, name: str, event: str) -> dict[str, Any] | None:
    return next((item for item in payloads(version, name) if item["hook_event_name"] == event), None)


def screens(version: str, name: str) -> list[tuple[str, list[str]]]:
    """Label and the part of the screen that follows the newest prompt, for every screen of a recording."""
    text = (RECORDINGS / f"claude-code-{version}" / f"{name}.screen.txt").read_text()
    parts = [part.partition("\n") for part in re.split(r"(?m)^=== ", text)[1:]]
    return [(label, re.split(r"(?m)^❯ ask-.*\n", body)[-1].rstrip("\n").split("\n")) for label, _, body in parts]


def keys_of(label: str, typed: str) -> Iterator[Key]:
    """`Q2 Space Down x2: review` names the keys that led to a screen; `text…` stands for typed characters."""
    if label.startswith("text"):
        yield from (Key("text", character) for character in typed)
        return
    key = Key("")
    for word in label.split(":")[0].removesuffix(" to Submit").removesuffix(" if still open").split():
        if re.fullmatch(r"x\d", word):
            yield from [key] * (int(word[1:]) - 1)
        elif word not in {"Q1", "Q2", "asked", "afterwards"}:
            key = Key(word) if word in {"Up", "Down", "Enter", "Escape", "Tab"} else Key("text", _character(word))
            yield key


def _character(word: str) -> str:
    return " " if word == "Space" else word


def asked(version: str, name: str) -> Menu:
    before = payload(version, name, "PreToolUse")
    assert before is not None
    return open_menu(before["tool_input"], dialect_of(version))


def replay(version: str, name: str) -> Iterator[tuple[list[str], Menu, Outcome | None]]:
    menu, outcome = asked(version, name), None
    for label, screen in screens(version, name):
        for key in keys_of(label, TYPED.get(name[:2], "")):
            if outcome is None:
                menu, outcome = press(menu, key)
        yield screen, menu, outcome


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MENUS)
def test_every_recorded_screen_is_drawn_line_by_line(version: str, name: str) -> None:
    compared = 0
    for screen, menu, outcome in replay(version, name):
        if outcome is None:
            assert [line.rstrip() for line in render(menu, 140, 45)] == screen
            compared += 1
    assert compared >= 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MENUS)
def test_the_recorded_keys_lead_to_the_recorded_answers(version: str, name: str) -> None:
    *_, (screen, _, outcome) = replay(version, name)
    before, after = payload(version, name, "PreToolUse"), payload(version, name, "PostToolUse")
    assert before is not None
    shown = "\n".join(screen)
    if after is None:
        assert outcome == (ChatChosen() if payload(version, name, "Stop") else Declined())
        assert f"●\xa0{dialect_of(version).declined}\n  ⎿ \xa0{declined_lines(before['tool_input'])}" in shown
    else:
        assert outcome == Answered(after["tool_response"]["answers"], after["tool_response"]["annotations"])
        completed = completed_input(before["tool_input"], outcome)
        assert completed == after["tool_input"]
        assert f"●\xa0{dialect_of(version).answered}\n  ⎿ \xa0{answered_lines(completed).splitlines()[0]}" in shown


def question(*labels: str, multi: bool = False, text: str = "Which?") -> dict[str, Any]:
    options = [{"label": label, "description": f"about {label}"} for label in labels]
    return {"question": text, "header": "Head", "options": options, "multiSelect": multi}


def preview(*labels: str) -> dict[str, Any]:
    options = [{"label": label, "description": "d", "preview": f"{label}.py"} for label in labels]
    return {"question": "Which?", "header": "Head", "options": options, "multiSelect": False}


def menu_of(*questions: dict[str, Any], version: str = OLDER_VERSION) -> Menu:
    return open_menu({"questions": list(questions)}, dialect_of(version))


def pressed(menu: Menu, *words: str) -> tuple[Menu, Outcome | None]:
    """Presses named keys; a word in quotes is typed."""
    outcome: Outcome | None = None
    for word in words:
        keys = [Key("text", character) for character in word[1:-1]] if word[0] == "'" else list(keys_of(word, ""))
        for key in keys:
            assert outcome is None, "the menu was answered already"
            menu, outcome = press(menu, key)
    return menu, outcome


LONG_WORDS = "said at some length so that it wraps on a narrow screen"
LONG_OPTIONS = [
    {
        "label": f"Option {number} with a rather long label that goes on",
        "description": f"What it means to choose number {number}, {LONG_WORDS}",
    }
    for number in range(4)
]
LONG_FORM = [
    {"question": "Which way should it go?", "header": "Way", "options": LONG_OPTIONS, "multiSelect": True},
    {"question": "Second?", "header": "Two", "options": LONG_OPTIONS, "multiSelect": False},
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("size", ["80x24", "140x45", "200x50"])
@pytest.mark.parametrize(("screen", "keys"), [("tall", ""), ("tall-second", "1 Tab"), ("review", "1 Tab Tab")])
def test_a_long_form_is_drawn_as_recorded_at_every_size(version: str, size: str, screen: str, keys: str) -> None:
    text = (RECORDINGS / f"claude-code-{version}" / f"screens-{size}" / f"menu-{screen}.txt").read_text()
    plain = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip().split("\n")]
    width, height = map(int, size.split("x"))
    menu, _ = pressed(menu_of(*LONG_FORM, version=version), *keys.split())
    drawn = [line.rstrip() for line in render(menu, width, height)]
    assert plain[-len(drawn) :] == drawn


def test_down_stops_at_the_last_row_and_chat_is_there() -> None:
    assert pressed(menu_of(question("a", "b")), "Down x9", "Enter")[1] == ChatChosen()


def test_a_digit_of_the_type_row_only_moves_the_cursor() -> None:
    menu, outcome = pressed(menu_of(question("a", "b")), "3")
    assert (menu.page.cursor, outcome) == (2, None)


def test_digits_on_the_type_row_are_text() -> None:
    assert pressed(menu_of(question("a", "b")), "Down x2", "'12'", "Enter")[1] == Answered({"Which?": "12"}, {})


def test_the_order_of_ticking_is_the_order_of_the_answer() -> None:
    outcome = pressed(menu_of(question("a", "b", "c", multi=True)), "3", "1", "Tab", "Enter")[1]
    assert outcome == Answered({"Which?": "c, a"}, {})


def test_a_digit_ticks_an_empty_text_row_without_moving() -> None:
    menu, _ = pressed(menu_of(question("a", "b", multi=True)), "3")
    assert (menu.page.cursor, menu.page.ticked) == (0, (2,))


def test_tab_on_a_multi_select_text_row_goes_to_submit() -> None:
    menu, _ = pressed(menu_of(question("a", multi=True)), "Down", "'x'", "Tab")
    assert menu.page.cursor == menu.question.submit_row


def test_tab_does_nothing_on_a_single_select_text_row_of_a_form() -> None:
    menu, _ = pressed(menu_of(question("a"), question("b", text="Then?")), "Down", "Tab")
    assert (menu.tab, menu.page.cursor) == (0, 1)


def test_a_form_of_single_selects_ends_with_a_review_that_must_be_confirmed() -> None:
    menu, outcome = pressed(menu_of(question("a"), question("b", text="Then?")), "1", "1")
    assert menu.in_review
    assert outcome is None
    assert pressed(menu, "Enter")[1] == Answered({"Which?": "a", "Then?": "b"}, {})


def test_a_multi_select_that_is_not_the_last_tab_says_next() -> None:
    first = menu_of(question("a", multi=True), question("b", text="Then?"))
    assert "     Next" in render(first, 80, 24)


def test_escape_in_the_notes_leaves_only_them_and_enter_takes_option_and_note() -> None:
    _, outcome = pressed(menu_of(preview("Flat", "Nested")), "Down", "n", "'why'", "Down", "Tab", "Escape", "Enter")
    assert outcome == Answered({"Which?": "Nested"}, {"Which?": {"preview": "Nested.py", "notes": "why"}})


def test_a_digit_on_a_preview_only_moves_the_cursor() -> None:
    menu, outcome = pressed(menu_of(preview("Flat", "Nested")), "2")
    assert (menu.page.cursor, outcome) == (1, None)


def test_chat_of_a_preview_shows_two_cursors() -> None:
    menu, _ = pressed(menu_of(preview("Flat", "Nested")), "Down x2")
    assert sum(line.startswith("❯ ") for line in render(menu, 120, 40)) == 2


@pytest.mark.parametrize("key", [Key("Enter"), Key("Escape"), Key("text", "1")])
def test_a_newer_menu_is_deaf_at_first_and_an_older_one_is_not(key: Key) -> None:
    assert press(menu_of(question("a"), version=NEWER_VERSION), key, 0.1)[1] is None
    assert press(menu_of(question("a"), version=NEWER_VERSION), key, 0.31)[1] is not None
    assert press(menu_of(question("a"), version=OLDER_VERSION), key, 0.1)[1] is not None


def test_arrows_work_at_once_in_a_newer_menu() -> None:
    assert press(menu_of(question("a"), version=NEWER_VERSION), Key("Down"), 0.0)[0].page.cursor == 1


def test_wrapped_labels_lose_the_blank_after_the_number() -> None:
    label = "Use " + "a very long label " * 6
    assert any(line.startswith("❯ 1.Use") for line in render(menu_of(question(label)), 80, 24))
    assert any(line.startswith("❯ 1.[ ] Use") for line in render(menu_of(question(label, multi=True)), 80, 24))


def test_the_hints_of_a_narrow_form_wrap() -> None:
    menu, _ = pressed(menu_of(question("a"), question("b", text="Then?")), "Down")
    assert render(menu, 80, 24)[-2:] == [
        "Enter to select · Tab/Arrow keys to navigate · ctrl+g to edit in Vim · Esc to",
        "cancel",
    ]


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=3000).filter(str.strip))
def test_the_type_row_takes_any_pasted_text_whole(text: str) -> None:
    menu, _ = pressed(menu_of(question("a")), "Down")
    menu, _ = press(menu, Key("paste", text))
    assert press(menu, Key("Enter"))[1] == Answered({"Which?": text}, {})


KEYS = st.sampled_from([Key(name) for name in ("Up", "Down", "Enter", "Tab", "BackTab", "Left", "Right", "Backspace")])
TEXT = st.sampled_from([Key("text", character) for character in "123 nx"] + [Key("paste", "two\nlines")])


@given(st.lists(KEYS | TEXT, max_size=40), st.sampled_from(VERSIONS), st.integers(20, 140))
def test_no_keys_lead_out_of_the_menu_but_an_outcome(keys: list[Key], version: str, width: int) -> None:
    menu = menu_of(question("a", "b", multi=True), question("c", text="Then?"), preview("d"), version=version)
    for key in keys:
        menu, outcome = press(menu, key)
        assert all(len(line) <= max(width, 60) for line in render(menu, width, 24) if "two" not in line)
        assert "❯" in "".join(render(menu, width, 99))
        if outcome is not None:
            break
