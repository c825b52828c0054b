"""What is a valid answer, and when did it arrive: the rules, without a store."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.errors import UsageError
from gsd_engine.rules.answers import checked_actions, differences, handed_over
from tests.support.questions import actions_for, question_lists

SINGLE = {"question": "Which store?", "options": [{"label": "SQLite"}, {"label": "Postgres"}], "multiSelect": False}
MULTI = {"question": "Which checks?", "options": [{"label": n} for n in ("Lint", "a, b", "Unit")], "multiSelect": True}
PREVIEW = {"question": "Which layout?", "options": [{"label": "Flat", "preview": "a"}, {"label": "Nested"}]}


@pytest.mark.parametrize(
    ("questions", "given_actions", "says"),
    [
        ([SINGLE], [], "one action per question"),
        ([SINGLE], "select", "one action per question"),
        ([SINGLE], [{"action": "select", "optionIndex": 0}] * 2, "2 actions for 1 question"),
        ([SINGLE, MULTI], [{"action": "select", "optionIndex": 0}], "1 action for 2 questions"),
        ([SINGLE], [{"action": "select", "optionIndex": 2}], "numbered 0 to 1"),
        ([SINGLE], [{"action": "select", "optionIndex": -1}], "numbered 0 to 1"),
        ([SINGLE], [{"action": "select", "optionIndex": True}], "numbered 0 to 1"),
        ([SINGLE], [{"action": "select", "optionIndex": "0"}], "numbered 0 to 1"),
        ([SINGLE], [{"action": "select"}], "numbered 0 to 1"),
        ([SINGLE], [{"action": "select", "optionIndex": 0, "note": "n"}], "preview"),
        ([PREVIEW], [{"action": "select", "optionIndex": 1, "note": "n"}], "preview"),
        ([SINGLE], [{"action": "pick", "optionIndex": 0}], "one of select, type"),
        ([SINGLE], [{"action": "select", "optionIndex": 0, "index": 1}], "no 'index'"),
        ([SINGLE], [{"action": "type", "text": "  "}], "empty"),
        ([SINGLE], [{"action": "type", "text": "a\x1b[201~"}], "U+001B"),
        ([SINGLE], [{"action": "multi-select", "selectedIndices": [0]}], "takes one option"),
        ([MULTI], [{"action": "select", "optionIndex": 0}], "is a multi-select"),
        ([MULTI], [{"action": "multi-select", "selectedIndices": []}], "list of option numbers"),
        ([MULTI], [{"action": "multi-select", "selectedIndices": [0, 0]}], "twice"),
        ([MULTI], [{"action": "multi-select", "selectedIndices": [3]}], "numbered 0 to 2"),
        ([SINGLE, MULTI], [{"action": "chat", "text": "no"}, {"action": "type", "text": "x"}], "alone"),
        ([SINGLE], [{"action": "chat", "text": ""}], "empty"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_what_would_be_right(
    questions: list[Any], given_actions: Any, says: str
) -> None:
    with pytest.raises(UsageError, match=says.replace("+", r"\+")):
        checked_actions(questions, given_actions)


@pytest.mark.parametrize(
    ("received", "arrived"),
    [
        ("Lint, a, b", True),
        ('Lint, "a, b"', True),
        ('"a, b", Lint', True),
        ("a, b, Lint", True),
        ("Lint", False),
        ("Lint, a", False),
        ("Lint, a, b, Unit", False),
        ("Lint,  a,\n b", True),
        ("", False),
        (None, False),
    ],
)
def test_a_multi_select_arrived_if_it_is_exactly_the_chosen_labels(received: Any, arrived: bool) -> None:
    action = {"action": "multi-select", "selectedIndices": [0, 1]}
    answers = {} if received is None else {"Which checks?": received}
    assert (differences([MULTI], [action], answers, {}) == []) is arrived


def test_a_typed_text_arrived_if_it_is_contained_and_a_note_only_if_it_is_equal() -> None:
    typed = {"action": "type", "text": "events/  with an alias"}
    assert differences([SINGLE], [typed], {"Which store?": "I say: events/ with an alias."}, {}) == []
    noted = {"action": "select", "optionIndex": 0, "note": "keep it"}
    assert differences([PREVIEW], [noted], {"Which layout?": "Flat"}, {"Which layout?": {"notes": "keep  it"}}) == []
    (wrong,) = differences([PREVIEW], [noted], {"Which layout?": "Flat"}, {})
    assert wrong == ("Which layout?", "option 0 (Flat) with the note: keep it", "Flat")


@given(st.data())
def test_what_a_hook_hands_over_is_what_arrives(data: st.DataObject) -> None:
    questions = data.draw(question_lists())
    actions = checked_actions(questions, data.draw(actions_for(questions, redirect=False)))
    answers, annotations = handed_over(questions, actions)
    assert differences(questions, actions, answers, annotations) == []
