"""The real Claude Code gets exactly what was typed, once, and a person at the keyboard is never disturbed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from gsd_engine.effects.typing import Refused, Typed, press_enter_again, type_text
from tests.live.claude import VERSIONS, RealClaude
from tests.support.scripted_model import Rule

pytestmark = pytest.mark.live

QUESTION = {
    "question": "Which store?",
    "header": "Store",
    "multiSelect": False,
    "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"}],
}

VERBATIM = {
    "a trailing semicolon": "run the tests; then stop;",
    "quotes": """say "yes" and 'no' and `maybe`""",
    "shell expansions": "keep $(whoami) and ${HOME} and $PATH as they are",
    "backslashes": r"C:\new\table and \\server\share",
    "a trailing backslash": "the folder is C:\\",
    "emoji": "ship it 🚀 with ❤️ — naïve café, 日本語, 👩‍💻 done",
    "a leading dash": "-n is an option, --force too",
    "a file mention at the end": "look at @.claude",
    "several lines": "first line\n\n  indented third;\n- a list\n- another",
    "three thousand characters": " ".join(f"word{number}" for number in range(340))[:2995] + " end;",
}


@pytest.fixture(scope="module", params=VERSIONS)
def claude(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealClaude]:
    """One process for the whole file: every test leaves an idle prompt line behind."""
    rules = [
        Rule("take your time", say="That took a while.", delay=1.5, repeat=True),
        Rule("ask me", ask={"questions": [QUESTION]}, repeat=True),
    ]
    with RealClaude(tmp_path_factory.mktemp("claude"), request.param, rules) as claude:
        claude.start()
        yield claude


@pytest.fixture(autouse=True)
def _empty_input_line(claude: RealClaude) -> None:
    """What a failed test left in the input line fails no other one."""

    def emptied() -> bool:
        screen = claude.screen()
        if screen.kind == "prompt" and screen.input_text:
            claude.tmux.send_keys(claude.session, "C-u")
        return screen.kind == "prompt" and not screen.input_text

    claude.wait_for(emptied, 15, "an empty input line")


def type_into(claude: RealClaude, text: str, wait_for_prompt: float = 10.0) -> Typed | Refused:
    return type_text(claude.adapter, claude.pane, text, wait_for_prompt=wait_for_prompt)


def wait_until_submitted(claude: RealClaude, count: int) -> None:
    claude.wait_for(lambda: len(claude.submitted()) >= count, 10, f"prompt number {count}")


@pytest.mark.parametrize("text", VERBATIM.values(), ids=VERBATIM.keys())
def test_text_arrives_verbatim_and_once(claude: RealClaude, text: str) -> None:
    before = len(claude.submitted())
    assert type_into(claude, text) == Typed(enter_presses=1, stands=False)
    wait_until_submitted(claude, before + 1)
    claude.wait_idle()
    assert claude.submitted()[before:] == [text]
    assert claude.model.prompts()[-1] == text


def test_a_command_with_an_argument_reaches_the_model_once(claude: RealClaude) -> None:
    before, asked = len(claude.submitted()), len(claude.model.prompts())
    type_into(claude, "/gsd:plan-phase 3")
    claude.wait_for(lambda: len(claude.model.prompts()) > asked, 10, "the model's turn")
    claude.wait_idle()
    assert claude.submitted()[before:] == ["/gsd:plan-phase 3"]
    assert [prompt.strip() for prompt in claude.model.prompts()[asked:]] == ["Do plan-phase 3"]


def test_a_command_that_begins_another_one_is_not_completed_to_it(claude: RealClaude) -> None:
    before = len(claude.submitted())
    type_into(claude, "/gsd:plan")
    wait_until_submitted(claude, before + 1)
    claude.wait_idle()
    assert claude.submitted()[before:] == ["/gsd:plan"]


@pytest.mark.parametrize(
    ("text", "name"), [("/gsd:nope 3", "/gsd:nope"), ("/gsd:execute-ph", "/gsd:execute-ph"), ("/cle", "/cle")]
)
def test_an_unknown_command_is_recognised_and_nothing_else_runs_instead(
    claude: RealClaude, text: str, name: str
) -> None:
    before = len(claude.events())
    type_into(claude, text)
    claude.wait_for(lambda: claude.screen().unknown_command == name, 10, f"the rejection of {name}")
    assert [event["hook_event_name"] for event in claude.events()[before:]] == []


def test_clear_and_compact_run_when_typed(claude: RealClaude) -> None:
    compactions = len(claude.events("PreCompact"))
    assert type_into(claude, "/compact") == Typed(enter_presses=1, stands=False)
    claude.wait_for(lambda: len(claude.events("PreCompact")) > compactions, 10, "PreCompact")
    claude.wait_idle()
    assert type_into(claude, "/clear") == Typed(enter_presses=1, stands=False)
    claude.wait_for(lambda: "clear" in session_starts(claude), 10, "SessionStart(clear)")


def session_starts(claude: RealClaude) -> list[str]:
    return [str(event["source"]) for event in claude.events("SessionStart")]


def test_a_persons_draft_is_neither_overwritten_nor_sent(claude: RealClaude) -> None:
    before = claude.submitted()
    claude.tmux.type_text(claude.session, "half a thou")
    claude.wait_for(lambda: claude.screen().input_text == "half a thou", 5, "the draft")
    assert type_into(claude, "from the engine", wait_for_prompt=0.5) == Refused("draft")
    assert press_enter_again(claude.adapter, claude.pane, "from the engine") == Typed(0, stands=False)
    assert claude.screen().input_text == "half a thou"
    assert claude.submitted() == before
    claude.tmux.send_keys(claude.session, "C-u")


def test_text_typed_during_a_turn_is_delivered_after_it(claude: RealClaude) -> None:
    before = len(claude.submitted())
    type_into(claude, "take your time")
    claude.wait_for(lambda: claude.screen().kind == "working", 5, "a turn")
    assert type_into(claude, "and then this;") == Typed(enter_presses=1, stands=False)
    assert claude.screen().queued == ("and then this;",)
    wait_until_submitted(claude, before + 2)
    claude.wait_idle()
    assert claude.submitted()[before:] == ["take your time", "and then this;"]


def test_typing_into_a_menu_is_refused_and_leaves_it_alone(claude: RealClaude) -> None:
    type_into(claude, "ask me")
    claude.wait_for(lambda: claude.screen().kind == "menu", 10, "the menu")
    menu = claude.tmux.capture(claude.session)
    assert type_into(claude, "2") == Refused("dialog_open")
    assert claude.tmux.capture(claude.session) == menu
    dismiss_menu(claude)


def dismiss_menu(claude: RealClaude) -> None:
    """Newer versions swallow Esc in the first moments of a menu, and two in a row would open another dialog."""
    for _ in range(5):
        claude.tmux.send_keys(claude.session, "Escape")
        with suppress(TimeoutError):
            return claude.wait_for(lambda: claude.screen().kind == "prompt", 1, "the menu to close")
    raise AssertionError("the menu does not close")


def test_a_text_pasted_by_hand_and_not_sent_is_sent_by_enter_again(claude: RealClaude) -> None:
    before = len(claude.submitted())
    claude.tmux.paste(claude.session, "sent later")
    claude.wait_for(lambda: claude.screen().input_text == "sent later", 5, "the text")
    assert press_enter_again(claude.adapter, claude.pane, "sent later") == Typed(1, stands=False)
    wait_until_submitted(claude, before + 1)
    assert claude.submitted()[before:] == ["sent later"]
