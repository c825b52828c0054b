"""AskUserQuestion with real hook processes and a real resident engine: held, answered, verified, taken over, left."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.resident import EngineHome

QUESTION = {
    "question": "Which store?",
    "header": "Store",
    "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"}],
    "multiSelect": False,
}
CALL = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [QUESTION]}}
SELECT = '[{"action": "select", "optionIndex": 1}]'


@pytest.fixture(params=["auto", "off"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineHome]:
    """With a resident engine, and without one: the hook's own process then looks for the answer."""
    with EngineHome(tmp_path, resident=request.param) as made:
        made.session("alpha")
        made.hook("SessionStart", {"source": "startup"})
        if request.param == "auto":
            made.wait_for_engine()
        yield made


def ask(home: EngineHome, tool_use_id: str = "toolu_1") -> subprocess.Popen[bytes]:
    """PreToolUse, then PermissionRequest, which is held."""
    home.hook("PreToolUse", {**CALL, "tool_use_id": tool_use_id})
    held = home.start_hook("PermissionRequest", CALL)
    home.wait_for(lambda: bool(home.rows("SELECT 1 FROM questions WHERE held_at IS NOT NULL")), 20, "the hold")
    assert held.poll() is None
    return held


def received(home: EngineHome, answer: str, tool_use_id: str = "toolu_1") -> None:
    response = {"answers": {"Which store?": answer}}
    home.hook("PostToolUse", {**CALL, "tool_use_id": tool_use_id, "tool_response": response})


def question(home: EngineHome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(home.cli("question", "show", "--session", "alpha", "--json").stdout)["question"]
    return found


def wakes(home: EngineHome, trigger: str) -> int:
    return int(home.value("SELECT count(*) FROM effects WHERE kind='Wake' AND payload->>'trigger' = ?", trigger))


def test_the_held_hook_returns_the_answer_and_what_claude_received_is_verified_without_a_wake(home: EngineHome) -> None:
    held = ask(home)
    home.cli("answer", "--session", "alpha", SELECT)
    stdout, stderr = held.communicate(timeout=20)
    decision = json.loads(stdout)["hookSpecificOutput"]["decision"]
    assert (held.returncode, stderr) == (0, b"")
    assert decision == {
        "behavior": "allow",
        "updatedInput": {"questions": [QUESTION], "answers": {"Which store?": "Postgres"}},
    }
    assert question(home)["state"] == "answered"
    received(home, "Postgres")
    found = question(home)
    assert (found["state"], found["answer"]["state"], found["answer"]["transport"]) == ("verified", "matched", "hook")
    assert (wakes(home, "question"), wakes(home, "mismatch")) == (1, 0)


def test_an_answer_that_comes_before_its_hook_waits_for_it(home: EngineHome) -> None:
    home.hook("PreToolUse", {**CALL, "tool_use_id": "toolu_1"})
    home.cli("answer", "--session", "alpha", SELECT)
    done = home.hook("PermissionRequest", CALL)
    assert json.loads(done.stdout)["hookSpecificOutput"]["decision"]["behavior"] == "allow"


def test_a_redirect_is_a_refusal_with_the_agents_words(home: EngineHome) -> None:
    held = ask(home)
    home.cli("answer", "--session", "alpha", '[{"action": "chat", "text": "wrong phase"}]')
    stdout, _ = held.communicate(timeout=20)
    assert json.loads(stdout)["hookSpecificOutput"]["decision"] == {"behavior": "deny", "message": "wrong phase"}
    assert question(home)["state"] == "redirected"


def test_a_person_who_answers_first_wins_and_a_late_answer_is_refused(home: EngineHome) -> None:
    held = ask(home)
    received(home, "SQLite")
    stdout, _ = held.communicate(timeout=20)
    assert (held.returncode, stdout) == (0, b"")
    late = home.cli("answer", "--session", "alpha", SELECT, check=False)
    assert late.returncode == 2
    assert "no open question" in late.stderr
    assert question(home)["state"] == "taken_over"
    assert question(home)["answer"] is None
    assert home.value("SELECT count(*) FROM effects WHERE kind = 'KeyAnswer'") == 0


def test_esc_ends_the_held_hook_and_the_question_is_abandoned_at_once(home: EngineHome) -> None:
    held = ask(home)
    held.send_signal(signal.SIGTERM)
    held.wait(20)
    home.wait_for(lambda: question(home)["state"] == "abandoned", 20, "the question's end")
    assert home.value("SELECT state FROM sessions") == "idle"


def test_something_else_received_wakes_the_agent_once_with_both(home: EngineHome) -> None:
    held = ask(home)
    home.cli("answer", "--session", "alpha", SELECT)
    held.communicate(timeout=20)
    received(home, "SQLite")
    assert question(home)["state"] == "mismatched"
    assert wakes(home, "mismatch") == 1
    told = home.value("SELECT payload->>'content' FROM effects WHERE payload->>'trigger' = 'mismatch'")
    assert "option 1 (Postgres)" in told
    assert "**Claude Code received:** SQLite" in told
    assert "toolu_1" in told


def test_wrong_answers_change_nothing(home: EngineHome) -> None:
    ask(home)
    for wrong in ("[]", "{", '[{"action": "select", "optionIndex": 9}]', '[{"action": "type", "text": ""}]'):
        refused = home.cli("answer", "--session", "alpha", wrong, check=False)
        assert refused.returncode == 2
        assert len(refused.stderr.splitlines()) == 1
    assert question(home)["state"] == "asked"
    assert home.cli("answer", "--session", "nobody", SELECT, check=False).returncode == 3
    home.cli("answer", "--session", "alpha", SELECT)
    assert home.cli("answer", "--session", "alpha", SELECT, check=False).returncode == 2


@pytest.mark.parametrize(
    ("hook", "payload"),
    [
        ("UserPromptSubmit", {"prompt": "something else", "prompt_id": "p9"}),
        ("Stop", {"prompt_id": "p9"}),
        ("PreToolUse", {**CALL, "tool_use_id": "toolu_2"}),
        ("SessionStart", {"source": "clear", "session_id": "claude-2"}),
        ("SessionEnd", {"reason": "prompt_input_exit"}),
    ],
)
def test_whatever_ends_a_question_leaves_none_open(home: EngineHome, hook: str, payload: dict[str, Any]) -> None:
    held = ask(home)
    home.cli("queue", "show", "--session", "alpha", "--json")
    home.hook(hook, payload)
    home.wait_for(
        lambda: home.value("SELECT state FROM questions WHERE tool_use_id = 'toolu_1'") == "abandoned", 20, "its end"
    )
    held.communicate(timeout=20)
    assert home.value("SELECT count(*) FROM pending_answers WHERE state IN ('intended', 'submitted')") == 0


def test_an_engine_that_leaves_lets_the_hook_go_without_a_word(tmp_path: Path) -> None:
    with EngineHome(tmp_path) as home:
        home.session("alpha")
        home.start_engine()
        home.hook("SessionStart", {"source": "startup"})
        held = ask(home)
        home.cli("stop")
        stdout, _ = held.communicate(timeout=20)
        assert (held.returncode, stdout) == (0, b"")
        assert home.value("SELECT held_at FROM questions") is None
        assert home.value("SELECT state FROM questions") == "asked"
