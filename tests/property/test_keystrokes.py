"""The keys that are planned for an answer, played on the menu of the simulated Claude, give exactly that answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_engine.errors import UsageError
from gsd_engine.rules.answers import checked_actions, differences, is_redirect
from gsd_engine.rules.keystrokes import Gone, Page, Press, Row, Ticked, Written, can_be_keyed, plan
from gsd_engine.simulation.dialect import NEWER_VERSION, OLDER_VERSION, dialect_of
from gsd_engine.simulation.keys import Key
from gsd_engine.simulation.menu import Answered, ChatChosen, Menu, Outcome, open_menu, press
from tests.support.questions import actions_for, question_lists


def play(questions: list[dict[str, Any]], actions: list[dict[str, Any]], version: str) -> Outcome:
    """Every step must also leave the menu as the plan says it is seen."""
    menu = open_menu({"questions": questions}, dialect_of(version))
    for step in plan(questions, actions):
        key = _key(step.key) if isinstance(step, Press) else Key("paste", step.text)
        menu, outcome = press(menu, key)
        _check(menu, outcome, step.then)
        if outcome is not None:
            return outcome
    raise AssertionError("the keys came to no end")


def _key(name: str) -> Key:
    return Key("text", {"Space": " "}.get(name, name)) if name in ("Space", "n") else Key(name)


def _check(menu: Menu, outcome: object, then: object) -> None:
    if isinstance(then, Row):
        assert menu.page.cursor == then.number
    if isinstance(then, Ticked):
        assert then.number in menu.page.ticked
    if isinstance(then, Written):
        assert menu.page.text
    if isinstance(then, Page):
        assert menu.tab == then.number
    assert (outcome is not None) is isinstance(then, Gone)


@pytest.mark.parametrize("version", [OLDER_VERSION, NEWER_VERSION])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_planned_keys_give_exactly_the_intended_answer(version: str, data: st.DataObject) -> None:
    questions = data.draw(question_lists())
    actions = checked_actions(questions, data.draw(actions_for(questions)))
    outcome = play(questions, actions, version)
    if is_redirect(actions):
        assert isinstance(outcome, ChatChosen)
    else:
        assert isinstance(outcome, Answered)
        assert differences(questions, actions, outcome.answers, outcome.annotations) == []


def test_text_for_a_question_with_previews_is_refused_by_keys_and_says_what_would_do() -> None:
    question = {"question": "Which?", "options": [{"label": "A", "preview": "a"}, {"label": "B", "preview": "b"}]}
    actions = [{"action": "type", "text": "neither"}]
    assert not can_be_keyed([question], actions)
    with pytest.raises(UsageError, match="note"):
        plan([question], actions)
