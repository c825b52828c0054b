"""AskUserQuestion of the real Claude Code, answered through the engine by both transports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.claude import VERSIONS
from tests.live.driven import SESSION, DrivenClaude
from tests.support.scripted_model import Rule

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]


def _question(text: str, *labels: str, multi: bool = False, preview: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"What {label} means"} for label in labels]
    if preview:
        options = [{**option, "preview": f"{option['label']}.py"} for option in options]
    return {"question": text, "header": text.split()[1][:12], "options": options, "multiSelect": multi}


STORE = _question("Which store?", "SQLite", "Postgres", "You decide")
CHECKS = _question("Which checks?", "Lint", "Types, strict", "Unit", multi=True)
LAYOUT = _question("Which layout?", "Flat", "Nested", preview=True)
NAMES = _question("Which names?", "snake_case", "kebab-case")
LONG = _question(
    "Which way of all the ways that were discussed in this long meeting should it really go in the end?",
    "The first way, which is described with rather many words so that it wraps in a narrow pane",
    "The second way, which is described with just as many words so that it wraps in a narrow pane",
)

CASES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "select": ([STORE], [{"action": "select", "optionIndex": 1}]),
    "type": ([STORE], [{"action": "type", "text": "DuckDB; because of $(this)"}]),
    "multi-select": ([CHECKS], [{"action": "multi-select", "selectedIndices": [0, 1]}]),
    "multi-select with text": ([CHECKS], [{"action": "multi-select", "selectedIndices": [2], "text": "DRY, SRP"}]),
    "preview": ([LAYOUT], [{"action": "select", "optionIndex": 1}]),
    "preview with note": ([LAYOUT], [{"action": "select", "optionIndex": 1, "note": "keep it small"}]),
    "form of two": (
        [STORE, CHECKS],
        [{"action": "select", "optionIndex": 0}, {"action": "multi-select", "selectedIndices": [1, 2]}],
    ),
    "form of four": (
        [STORE, CHECKS, LAYOUT, NAMES],
        [
            {"action": "type", "text": "my own"},
            {"action": "multi-select", "selectedIndices": [0], "text": "and this"},
            {"action": "select", "optionIndex": 1, "note": "noted"},
            {"action": "select", "optionIndex": 1},
        ],
    ),
    "long labels": ([LONG], [{"action": "select", "optionIndex": 1}]),
}


@pytest.fixture(
    scope="module", params=[(v, t) for v in VERSIONS for t in ("hook", "keys")], ids=lambda param: "-".join(param)
)
def driven(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DrivenClaude]:
    """80 × 24, where labels wrap and the larger menus are taller than the pane."""
    version, transport = request.param
    rules = [Rule(f"case {name}.", ask={"questions": asked}, repeat=True) for name, (asked, _) in CASES.items()]
    rules.append(Rule("case chat.", ask={"questions": [STORE]}, repeat=True))
    settings = {"answer_transport": transport}
    root = tmp_path_factory.mktemp("driven")
    with DrivenClaude(root, version, rules, hook_settings=settings, size=(80, 24)) as driven:
        driven.start()
        driven.transport = transport
        yield driven


def ask(driven: DrivenClaude, name: str) -> None:
    before = driven.home.value("SELECT count(*) FROM questions")
    driven.claude.wait_idle(30)
    driven.say(f"case {name}.")
    driven.claude.wait_for(lambda: driven.home.value("SELECT count(*) FROM questions") > before, 30, "the question")


def state(driven: DrivenClaude) -> str:
    return str(driven.home.value("SELECT state FROM questions ORDER BY id DESC LIMIT 1"))


@pytest.mark.parametrize("name", CASES)
def test_claude_receives_exactly_what_was_meant(driven: DrivenClaude, name: str) -> None:
    ask(driven, name)
    driven.cli("answer", "--session", SESSION, json.dumps(CASES[name][1]))
    driven.claude.wait_for(lambda: state(driven) not in ("asked", "answered"), 60, "the end of the question")
    found = driven.shown("question")
    assert (found["state"], found["reason"]) == ("verified", None)
    assert (found["answer"]["state"], found["answer"]["transport"]) == ("matched", driven.transport)
    assert "mismatch" not in driven.wakes()


def test_a_redirect_reaches_claude_in_the_agents_words(driven: DrivenClaude) -> None:
    ask(driven, "chat")
    driven.cli("answer", "--session", SESSION, '[{"action": "chat", "text": "wrong phase, go back"}]')
    driven.claude.wait_for(lambda: state(driven) == "redirected", 60, "the redirect")

    def told() -> bool:
        requests = driven.claude.model.requests()
        return any("wrong phase, go back" in text for r in requests for text in (*r.typed, *r.results))

    driven.claude.wait_for(told, 60, "the words at the model")
