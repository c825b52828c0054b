"""A queue from the agent's call to the last result, on a simulated Claude Code in a real tmux, with the real hooks."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.invariants import broken_promises
from tests.support.scene import Scene
from tests.support.tmux_server import TmuxServer

VERBATIM = {
    "a trailing semicolon": "run the tests; then stop;",
    "quotes": """say "yes" and 'no' and `maybe`""",
    "shell expansions": "keep $(whoami) and ${HOME} and $PATH as they are",
    "backslashes": r"C:\new\table and \\server\share",
    "emoji": "ship it 🚀 with ❤️ — naïve café, 日本語, 👩‍💻 done",
    "several lines": "first line\n\n  indented third;\n- a list\n- another",
    "three thousand characters": " ".join(f"word{number}" for number in range(340))[:2995] + " end;",
}
RULES = [
    {"match": "plan-phase 3", "say": "Planned."},
    {"match": "execute-phase 3", "say": "Executed."},
    {"match": "slow", "seconds": 1.5, "say": "Slow answer."},
    {"match": "endless", "seconds": 60},
]


class Simulated(Scene):
    """The scene on the simulated Claude Code."""

    def __init__(self, root: Path) -> None:
        project = root / "project"
        project.mkdir()
        self.model_log = root / "model.jsonl"
        script = {"commands": ["gsd:plan-phase", "gsd:execute-phase"], "seconds": 0.1, "rules": RULES}
        (root / "script.json").write_text(json.dumps(script))
        settings = root / "settings.json"
        files = [f"--settings={settings}", f"--script={root / 'script.json'}", f"--log={self.model_log}"]
        launch = [sys.executable, "-m", "gsd_engine.simulation", *files]
        super().__init__(root, TmuxServer(root), launch, project=project)
        self.install_hooks(settings)

    def received(self) -> list[str]:
        """What reached the model, in order."""
        lines = self.model_log.read_text().splitlines() if self.model_log.exists() else []
        return [record["typed"] for record in map(json.loads, lines) if "typed" in record]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Simulated]:
    with Simulated(tmp_path) as scene:
        yield scene
        database = scene.home / "engine.db"
        scene.end_engine()
        if database.exists():
            assert broken_promises(database) == []


@pytest.fixture
def started(scene: Simulated) -> Simulated:
    scene.serve(silence=1.0)
    scene.spawn()
    return scene


def states(queue: dict[str, Any]) -> list[str]:
    return [command["state"] for command in queue["commands"]]


def test_a_queue_of_three_completes_each_command_once_and_in_order(started: Simulated) -> None:
    started.start_queue("/clear", "/gsd:plan-phase 3", "/gsd:execute-phase 3")
    queue = started.wait_queue("completed")
    assert states(queue) == ["done", "done", "done"]
    assert [c["result"] for c in queue["commands"]] == [None, "Planned.", "Executed."]
    assert {c["delivery"]["state"] for c in queue["commands"]} == {"accepted"}
    assert started.received() == ["/gsd:plan-phase 3", "/gsd:execute-phase 3"]
    told = started.wait_wake("queue_complete")
    assert "Queue complete. 3/3 commands executed." in told
    assert told.index("Planned.") < told.index("Executed.")
    assert [trigger for trigger, _ in started.wakes()] == ["queue_complete"]


def test_compact_is_settled_by_its_own_hooks(started: Simulated) -> None:
    started.start_queue("/compact", "/gsd:plan-phase 3")
    assert states(started.wait_queue("completed")) == ["done", "done"]
    assert started.received() == ["/gsd:plan-phase 3"]


def test_a_prompt_typed_by_hand_cancels_the_queue_with_the_right_counts(started: Simulated) -> None:
    started.start_queue("/gsd:plan-phase 3", "be slow", "/gsd:execute-phase 3")
    started.wait_accepted("be slow")
    started.tmux.paste(started.session, "stop, I take over")
    started.wait_for(lambda: started.screen().input_text == "stop, I take over", 5, "the person's text")
    started.tmux.send_keys(started.session, "Enter")
    queue = started.wait_queue("cancelled")
    assert states(queue)[0] == "done"
    assert states(queue)[2] == "skipped"
    told = started.wait_wake("queue_cancelled")
    done = states(queue).count("done")
    assert f"Queue cancelled by manual input. Completed: {done}/3." in told
    assert "/gsd:execute-phase 3" in told
    started.wait_for(lambda: "stop, I take over" in started.received(), 10, "the person's prompt at the model")
    assert "/gsd:execute-phase 3" not in started.received()


def test_an_unknown_command_fails_its_queue(started: Simulated) -> None:
    started.start_queue("/gsd:nope 3", "/gsd:execute-phase 3")
    queue = started.wait_queue("failed")
    assert [(c["state"], c["reason"]) for c in queue["commands"]] == [
        ("failed", "unknown_command"),
        ("skipped", "queue failed"),
    ]
    assert queue["commands"][0]["delivery"]["state"] == "rejected"
    assert "unknown_command" in started.wait_wake("queue_failed")
    assert started.received() == []


@pytest.mark.parametrize("text", VERBATIM.values(), ids=VERBATIM.keys())
def test_texts_arrive_verbatim(started: Simulated, text: str) -> None:
    started.start_queue(text)
    started.wait_queue("completed")
    assert started.received() == [text]


def test_a_persons_draft_is_neither_overwritten_nor_sent(started: Simulated) -> None:
    started.tmux.type_text(started.session, "half a thou")
    started.wait_for(lambda: started.screen().input_text == "half a thou", 5, "the draft")
    started.start_queue("/gsd:plan-phase 3")
    started.wait_for(lambda: started.rows("SELECT 1 FROM effects WHERE state = 'claimed'"), 5, "the engine's attempt")
    assert started.screen().input_text == "half a thou"
    assert started.received() == []
    started.tmux.send_keys(started.session, "C-c")
    started.wait_queue("completed")
    assert started.received() == ["/gsd:plan-phase 3"]


def test_a_killed_claude_code_is_found_lost_and_its_queue_stale(started: Simulated) -> None:
    started.start_queue("endless work", "/gsd:execute-phase 3")
    started.wait_accepted("endless work")
    os.kill(_pane_pid(started), signal.SIGKILL)
    queue = started.wait_queue("stale")
    assert states(queue) == ["skipped", "skipped"]
    started.wait_state("lost")
    assert "Completed: 0/2" in started.wait_wake("session_end")
    assert started.received() == ["endless work"]


def test_a_killed_claude_code_that_is_started_again_has_a_stale_queue(scene: Simulated) -> None:
    scene.serve()  # (nobody looks within 90 s: the new start is what tells)
    scene.spawn()
    scene.start_queue("endless work", "/gsd:execute-phase 3")
    scene.wait_accepted("endless work")
    os.kill(_pane_pid(scene), signal.SIGKILL)
    scene.wait_for(lambda: scene.session not in scene.tmux.all_screens(), 10, "the pane's end")
    scene.spawn()
    assert states(scene.wait_queue("stale")) == ["skipped", "skipped"]
    assert "Previous session had unfinished queue. Completed: 0/2" in scene.wait_wake("session_end")
    assert scene.received() == ["endless work"]


def _pane_pid(scene: Simulated) -> int:
    return int(scene.tmux.tmux("list-panes", "-t", f"={scene.session}:", "-F", "#{pane_pid}"))


def test_an_interrupted_command_is_found_on_the_screen_and_fails(started: Simulated) -> None:
    started.start_queue("endless work", "/gsd:execute-phase 3")
    started.wait_accepted("endless work")
    started.wait_for(lambda: started.screen().kind == "working", 5, "the turn")
    started.tmux.send_keys(started.session, "Escape")
    queue = started.wait_queue("failed")
    assert [(c["state"], c["reason"]) for c in queue["commands"]] == [
        ("failed", "interrupted"),
        ("skipped", "queue failed"),
    ]
    assert "interrupted" in started.wait_wake("queue_failed")
    assert "/gsd:execute-phase 3" not in started.received()


def test_the_first_command_is_typed_once_claude_code_waits_at_its_prompt(scene: Simulated) -> None:
    scene.spawn("--first-command", "/gsd:plan-phase 3")
    assert states(scene.wait_queue("completed")) == ["done"]
    assert scene.received() == ["/gsd:plan-phase 3"]


def test_recover_goes_on_with_the_conversation_that_was_lost(started: Simulated) -> None:
    started.start_queue("/gsd:plan-phase 3")
    started.wait_queue("completed")
    conversation = started.ask("session", "show", started.session)["session"]["claude_session_id"]
    os.kill(_pane_pid(started), signal.SIGKILL)
    started.wait_for(lambda: started.session not in started.tmux.all_screens(), 10, "the pane's end")
    assert started.ask("session", "check")["lost"] in ([started.session], [])
    found = started.ask("session", "recover", started.session)
    assert found["resumed"] == conversation
    started.wait_state("idle")
    assert started.ask("session", "show", started.session)["session"]["claude_session_id"] == conversation
    again = started.cli("session", "recover", started.session, check=False)
    assert (again.returncode, "nothing to recover" in again.stderr) == (2, True)


def test_kill_ends_the_session_in_tmux_and_in_the_store(started: Simulated) -> None:
    assert started.ask("session", "kill", started.session)["killed"] is True
    assert started.session not in started.tmux.all_screens()
    assert [s["state"] for s in started.ask("session", "list")["sessions"]] == ["ended"]


def test_a_session_that_is_there_is_not_spawned_a_second_time(started: Simulated) -> None:
    refused = started.cli("session", "spawn", "warden", check=False)
    assert refused.returncode == 2
    assert "session attach" in refused.stderr
    assert started.cli("session", "spawn", "nobody", check=False).returncode == 3
