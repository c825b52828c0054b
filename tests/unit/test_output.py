"""Nothing that a payload says can act on the operator's terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.cli.output import one_line, print_json, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, ünïcode ✔ 👩‍💻", "plain text, ünïcode ✔ 👩‍💻"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31mred", "\\x9b31mred"),
        ("over\rwritten", "over\\x0dwritten"),
        ("abc\u202edef", "abc\\u202edef"),
        ("half \ud800", "half \\ud800"),
    ],
)
def test_control_characters_are_shown_instead_of_obeyed(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_no_text_leaves_a_character_that_a_terminal_obeys(text: str) -> None:
    shown = one_line(text)
    obeyed = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not [c for c in shown if c != "\u200d" and unicodedata.category(c) in obeyed]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same_without_raw_control_characters(text: str) -> None:
    import click

    @click.command()
    def command() -> None:
        print_json({"text": text})

    printed = CliRunner().invoke(command).output
    assert json.loads(printed) == {"text": text}
    assert not any(c in printed for c in "\x1b\x9b\x7f\u202e")
