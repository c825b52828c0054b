"""The simulated Claude Code in a real tmux behaves towards drivers and hooks as the recorded real one did."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gsd_engine.simulation.dialect import NEWER_VERSION, OLDER_VERSION
from gsd_engine.simulation.session import EVENTS
from tests.support.tmux_server import TmuxServer

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "tests" / "recordings"
OPTIONS = [{"label": "bin/", "description": "here"}, {"label": "events/", "description": "there"}]
QUESTION = {"question": "Which driver path?", "header": "Driver path", "options": OPTIONS, "multiSelect": False}
ASK = {"questions": [QUESTION]}
RULES = [
    {"match": "finish phase 2", "say": "Phase 2 done.\n\nNext: `/clear` then `/gsd:plan-phase 3`"},
    {"match": "ask", "ask": ASK},
    {"match": "slow", "seconds": 0.8, "say": "Slow answer."},
    {"match": "endless", "seconds": 60},
    {"match": "rate-fail", "error": {"kind": "rate_limit", "message": "API Error: Request rejected (429)"}},
    {"match": "run it", "run": ["printenv", "TMUX_PANE"]},
]

# Records every payload; `on-EVENT`, where a test puts one, gives the hook's answer.
HOOK = """#!/bin/sh
payload=$(cat)
printf '%s\\n' "$payload" >> "{root}/hooks.jsonl"
[ -x "{root}/on-$1" ] && exec "{root}/on-$1"
exit 0
"""
HOLD = """trap 'touch "{root}/terminated"; exit 0' TERM
touch "{root}/held"
while [ ! -e "{root}/answer.json" ]; do sleep 0.02; done
cat "{root}/answer.json"
"""
# Blocks once by JSON, once by its exit code, then lets go.
BLOCK_TWICE = """[ -e "{root}/2" ] && exit 0; [ -e "{root}/1" ] && touch "{root}/2" && echo 'on stderr' >&2 && exit 2
touch "{root}/1"; echo '{"decision": "block", "reason": "not yet"}'"""


class Claude:
    """One simulated Claude Code in its own pane, with hooks that record what they got."""

    name = "warden"

    def __init__(self, tmux: TmuxServer, root: Path) -> None:
        self.tmux = tmux
        self.root = root

    def script(self, **settings: Any) -> None:
        content = {"commands": ["gsd:plan-phase"], "seconds": 0.02, "rules": RULES, **settings}
        (self.root / "script.json").write_text(json.dumps(content))

    def on(self, event: str, body: str) -> None:
        path = self.root / f"on-{event}"
        path.write_text("#!/bin/sh\n" + body.replace("{root}", str(self.root)))
        path.chmod(0o755)

    def start(self, version: str = NEWER_VERSION) -> None:
        hook = self.root / "hook"
        hook.write_text(HOOK.replace("{root}", str(self.root)))
        hook.chmod(0o755)
        entries = {event: [{"hooks": [{"type": "command", "command": str(hook), "args": [event]}]}] for event in EVENTS}
        (self.root / "settings.json").write_text(json.dumps({"hooks": entries}))
        if not (self.root / "script.json").exists():
            self.script()
        files = [f"--{name}={self.root / name}.json" for name in ("settings", "script")]
        argv = [sys.executable, "-m", "gsd_engine.simulation", *files, f"--log={self.root / 'model.jsonl'}"]
        argv += [f"--version={version}"]
        self.pane = self.tmux.new_session(self.name, argv, {"PYTHONPATH": str(ROOT)}, cwd=self.root)
        self.wait("❯", "the prompt line")

    def screen(self) -> str:
        return self.tmux.capture(self.name)

    def wait(self, text: str, what: str = "") -> None:
        self.tmux.wait_for(lambda: text in self.screen(), 10, what or repr(text))

    def keys(self, *keys: str) -> None:
        self.tmux.send_keys(self.name, *keys)

    def paste(self, text: str, shown: str | None = None) -> None:
        self.tmux.paste(self.name, text)
        last = (shown or text).splitlines()[-1]
        self.tmux.wait_for(lambda: last in self.screen().rpartition("❯\xa0")[2], 10, f"{last} in the input line")

    def say(self, text: str) -> None:
        self.paste(text)
        self.keys("Enter")

    def events(self) -> list[dict[str, Any]]:
        return _json_lines(self.root / "hooks.jsonl")

    def names(self) -> list[str]:
        return [event["hook_event_name"] for event in self.events()]

    def wait_events(self, *names: str) -> list[dict[str, Any]]:
        """Waits until exactly these events came since the start."""
        expected = ["SessionStart", *names]
        self.tmux.wait_for(lambda: len(self.names()) >= len(expected), 10, f"{expected}, got {self.names()}")
        assert self.names() == expected
        return self.events()

    def wait_last(self, *names: str) -> None:
        self.tmux.wait_for(lambda: self.names()[-1] in names, 10, f"one of {names} as the newest event")

    def received(self, kind: str = "typed") -> list[str]:
        """What reached the model: what was typed, the results of tools, or the reasons of blocked Stops."""
        return [line[kind] for line in _json_lines(self.root / "model.jsonl") if kind in line]

    def open_question(self) -> None:
        self.say("ask me")
        self.wait("Chat about this")
        self.tmux.wait_for(lambda: "PermissionRequest" in self.names(), 10, "the PermissionRequest hook")

    def answer_by_hook(self, decision: dict[str, Any]) -> None:
        output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
        (self.root / "answer.part").write_text(json.dumps(output))
        (self.root / "answer.part").rename(self.root / "answer.json")

    def press_until(self, key: str, gone: str) -> None:
        """Presses again only when nothing happened for a while: a young menu of the newer version is deaf."""
        for _ in range(4):
            self.keys(key)
            with contextlib.suppress(TimeoutError):
                self.tmux.wait_for(lambda: gone not in self.screen(), 0.7, f"{gone} to go after {key}")
                return
        raise TimeoutError(f"{key} did nothing\n{self.screen()}")


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[Claude]:
    with TmuxServer(tmp_path) as tmux:
        yield Claude(tmux, tmp_path)


def recorded(version: str, *names: str) -> list[dict[str, Any]]:
    folder = RECORDINGS / f"claude-code-{version}"
    return [payload for name in names for payload in _json_lines(next(folder.glob(f"{name}-*.jsonl")))]


@pytest.mark.parametrize("version", [OLDER_VERSION, NEWER_VERSION])
def test_a_day_of_work_fires_the_recorded_hooks_with_the_recorded_fields(claude: Claude, version: str) -> None:
    claude.script(idle_seconds=0.3)
    claude.start(version)
    claude.say("finish phase 2")
    claude.wait("/clear then /gsd:plan-phase 3")
    claude.tmux.wait_for(lambda: "Notification" in claude.names(), 5, "idle_prompt")
    claude.script(idle_seconds=60)
    for command, last in (("/gsd:plan-phase 3", "Stop"), ("/clear", "SessionStart")):
        claude.say(command)
        claude.wait_last(last)
    claude.say("/gsd:nope 3")
    claude.wait("● Unknown command: /gsd:nope\n\n● Args from unknown skill: 3")
    claude.open_question()
    claude.keys("Down")
    claude.press_until("Enter", "Chat about this")
    claude.wait("→ events/")
    for command, last in (("rate-fail", "StopFailure"), ("/compact", "PostCompact"), ("/exit", "SessionEnd")):
        claude.wait_last("Stop", "StopFailure", "PostCompact")
        claude.say(command)
        claude.wait_last(last)
    idle = recorded(version, "18")[-1:]
    expected = recorded(version, "01", "02") + idle + recorded(version, "03", "04", "06", "21", "24", "19")
    assert [_shape(event) for event in claude.events()] == [_shape(event) for event in expected]


def _shape(payload: dict[str, Any]) -> tuple[Any, ...]:
    telling = {"source", "reason", "trigger", "error", "command_name", "command_args", "model", "effort", "message"}
    telling |= {"stop_hook_active", "custom_instructions", "notification_type", "permission_mode"}
    values = {name: value for name, value in payload.items() if name in telling}
    answer = payload.get("tool_response", {}).get("answers")
    return payload["hook_event_name"], list(payload), list(payload.get("tool_input", {})), values, answer


def test_clear_begins_another_session_and_keeps_nothing_on_the_screen(claude: Claude) -> None:
    claude.start()
    claude.say("finish phase 2")
    claude.wait("● Phase 2 done.")
    claude.say("/clear")
    events = claude.wait_events("UserPromptSubmit", "Stop", "SessionEnd", "SessionStart")
    assert events[-1]["session_id"] != events[-2]["session_id"]
    assert events[-1]["session_id"] in events[-1]["transcript_path"]
    assert "Phase 2" not in claude.screen()


def test_a_prompt_typed_during_a_turn_is_submitted_after_its_stop(claude: Claude) -> None:
    claude.start()
    claude.say("slow one")
    claude.wait("esc to interrupt")
    claude.say("and then this")
    claude.wait("Press up to edit queued messages")
    claude.say("/clear")
    claude.wait_events("UserPromptSubmit", "Stop", "UserPromptSubmit", "Stop", "SessionEnd", "SessionStart")
    assert claude.received() == ["slow one", "and then this"]


def test_text_typed_while_the_start_hook_runs_is_submitted_afterwards(claude: Claude) -> None:
    claude.on("SessionStart", HOLD)
    claude.start()
    claude.say("early bird")
    claude.wait("Press up to edit queued messages")
    assert claude.names() == ["SessionStart"]
    (claude.root / "answer.json").write_text("{}")
    claude.wait_events("UserPromptSubmit", "Stop")


@pytest.mark.parametrize("version", [OLDER_VERSION, NEWER_VERSION])
def test_a_hook_answers_the_question_while_the_menu_is_open(claude: Claude, version: str) -> None:
    claude.on("PermissionRequest", HOLD)
    claude.start(version)
    claude.open_question()
    answers = {"Which driver path?": "somewhere else"}
    claude.answer_by_hook({"behavior": "allow", "updatedInput": {**ASK, "answers": answers}})
    claude.wait("→ somewhere else")
    events = claude.wait_events("UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop")
    assert events[4]["tool_response"]["answers"] == answers
    assert events[4]["tool_use_id"] == events[2]["tool_use_id"]
    assert "somewhere else" in claude.received("tool_result")[0]


def test_a_hook_that_denies_gives_claude_its_message(claude: Claude) -> None:
    claude.on("PermissionRequest", HOLD)
    claude.start()
    claude.open_question()
    claude.answer_by_hook({"behavior": "deny", "message": "Let us talk about the store first."})
    claude.wait_events("UserPromptSubmit", "PreToolUse", "PermissionRequest", "Stop")
    assert claude.received("tool_result") == ["Let us talk about the store first."]


@pytest.mark.parametrize("version", [OLDER_VERSION, NEWER_VERSION])
def test_escape_at_a_question_ends_the_held_hook_and_there_is_no_stop(claude: Claude, version: str) -> None:
    claude.on("PermissionRequest", HOLD)
    claude.start(version)
    claude.open_question()
    claude.tmux.wait_for((claude.root / "held").exists, 5, "the held hook")
    claude.press_until("Escape", "Chat about this")
    claude.tmux.wait_for((claude.root / "terminated").exists, 5, "SIGTERM at the hook")
    claude.wait("eclined to answer")
    claude.say("go on")
    events = claude.wait_events("UserPromptSubmit", "PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop")
    assert events[4]["prompt"] == "go on"


def test_a_person_who_answers_first_wins_and_the_hook_is_left_alone(claude: Claude) -> None:
    claude.on("PermissionRequest", HOLD)
    claude.start()
    claude.open_question()
    claude.press_until("2", "Chat about this")
    claude.wait_events("UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop")
    claude.answer_by_hook({"behavior": "allow", "updatedInput": {**ASK, "answers": {"Which driver path?": "bin/"}}})
    claude.say("/clear")
    claude.wait_last("SessionStart")
    assert "PostToolUse" not in claude.names()[5:]
    assert not (claude.root / "terminated").exists()


def test_chat_refuses_the_tool_and_a_stop_follows(claude: Claude) -> None:
    claude.script(permission_seconds=0.05)
    claude.start()
    claude.open_question()
    claude.wait_last("Notification")
    claude.keys("Down", "Down", "Down")
    claude.press_until("Enter", "Chat about this")
    events = claude.wait_events("UserPromptSubmit", "PreToolUse", "PermissionRequest", "Notification", "Stop")
    assert events[4]["notification_type"] == "permission_prompt"
    assert claude.received("tool_result")[0].startswith("The user wants to clarify these questions")


def test_a_blocked_stop_goes_on_with_the_reason_until_the_hook_lets_go(claude: Claude) -> None:
    claude.on("Stop", BLOCK_TWICE)
    claude.start()
    claude.say("finish phase 2")
    events = claude.wait_events("UserPromptSubmit", "Stop", "Stop", "Stop")
    assert [event["stop_hook_active"] for event in events[2:]] == [False, True, True]
    assert len({event["prompt_id"] for event in events[1:]}) == 1
    assert claude.received("stop_feedback") == ["not yet", "on stderr"]


def test_the_ninth_block_in_a_row_is_overridden(claude: Claude) -> None:
    claude.on("Stop", """echo '{"decision": "block", "reason": "more"}'; exit 2""")
    claude.start()
    claude.say("finish phase 2")
    claude.wait("A hook blocked the turn from ending 9 consecutive times")
    claude.wait_events("UserPromptSubmit", *["Stop"] * 9)


def test_a_paste_of_several_lines_arrives_whole(claude: Claude) -> None:
    claude.start()
    claude.say("line one\n- line two;\nthird;")
    claude.wait_events("UserPromptSubmit", "Stop")
    text = "\n".join(f"line {number};" for number in range(40))
    claude.paste(text, shown="[Pasted text #1 +39 lines]")
    claude.keys("Enter")
    claude.wait_events("UserPromptSubmit", "Stop", "UserPromptSubmit", "Stop")
    assert claude.received() == ["line one\n- line two;\nthird;", text]


def test_text_and_enter_in_one_go_are_typed_but_not_sent(claude: Claude) -> None:
    claude.start()
    claude.tmux.tmux("send-keys", "-t", f"={claude.name}:", "hello there", "Enter")
    claude.wait("❯\xa0hello there")
    claude.tmux.type_text(claude.name, "x")
    claude.wait("  x\n")
    assert claude.names() == ["SessionStart"], "the Enter must not have submitted anything"
    claude.keys("BSpace", "Enter")
    claude.wait_events("UserPromptSubmit", "Stop")
    assert claude.received() == ["hello there"]


def test_escape_before_any_output_puts_the_prompt_back_and_fires_nothing(claude: Claude) -> None:
    claude.start()
    claude.say("endless work")
    claude.wait("esc to interrupt")
    claude.tmux.wait_for(lambda: claude.received() == ["endless work"], 5, "the model to get it")
    claude.keys("Escape")
    claude.wait("❯\xa0endless work")
    assert "…" not in claude.screen()
    transcript = Path(claude.wait_events("UserPromptSubmit")[-1]["transcript_path"])
    assert not transcript.exists()
    claude.keys("C-u")
    claude.say("finish phase 2")
    claude.wait_events("UserPromptSubmit", "UserPromptSubmit", "Stop")


def test_two_escapes_close_together_open_rewind(claude: Claude) -> None:
    claude.start()
    claude.tmux.tmux("send-keys", "-t", f"={claude.name}:", "Escape", "Escape")
    claude.wait("Rewind")
    claude.keys("Escape")
    claude.wait("❯\xa0")


def test_a_tool_call_runs_in_the_pane_and_the_transcript_tells_of_it(claude: Claude) -> None:
    claude.start()
    claude.say("run it")
    events = claude.wait_events("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    assert events[3]["tool_response"]["stdout"] == claude.pane
    records = _json_lines(Path(events[-1]["transcript_path"]))
    assert [record["type"] for record in records] == ["user", "assistant", "user", "assistant"]
    assert records[-1]["message"]["content"] == [{"type": "text", "text": events[-1]["last_assistant_message"]}]
    assert records[-1]["message"]["usage"]["input_tokens"] > 0
    assert records[-1]["isSidechain"] is False


def test_hooks_run_at_once_by_matcher_within_their_time_and_settings_are_read_anew(claude: Claude) -> None:
    claude.start()
    meet = "touch {0}/{1}; while [ ! -e {0}/{2} ]; do sleep 0.02; done"
    stop = [{"command": meet.format(claude.root, one, two), "timeout": 5} for one, two in (("a", "b"), ("b", "a"))]
    touch = [{"command": f"touch {claude.root}/for-{index}"} for index in range(4)]
    matchers = ("Edit|Bash", "Edit", "*", "^Ba.h$")
    tool = [{"matcher": matcher, "hooks": [hook]} for matcher, hook in zip(matchers, touch, strict=True)]
    end = [{"hooks": [{"command": "sleep 60"}]}]
    settings = {"Stop": [{"hooks": stop}], "PreToolUse": tool, "SessionEnd": end}
    (claude.root / "settings.json").write_text(json.dumps({"hooks": settings}))
    claude.say("run it")
    claude.wait("ed for ", "the end of the turn")
    assert int(claude.screen().partition("ed for ")[2].partition("s")[0]) < 5, "one hook waited for the other in vain"
    assert sorted(path.name for path in claude.root.glob("for-*")) == ["for-0", "for-2", "for-3"]
    claude.say("/exit")
    claude.tmux.wait_for(lambda: not claude.screen(), 5, "the end, in spite of the hook that hangs")


def test_it_survives_a_resize_and_a_hangup_ends_it(claude: Claude) -> None:
    claude.start()
    claude.open_question()
    claude.tmux.tmux("resize-window", "-t", f"={claude.name}:", "-x", "60", "-y", "20")
    claude.wait("─" * 60 + "\n")
    assert "─" * 61 not in claude.screen()
    os.kill(int(claude.tmux.tmux("display-message", "-p", "-t", f"={claude.name}:", "#{pane_pid}")), signal.SIGHUP)
    claude.tmux.wait_for(lambda: not claude.screen(), 5, "the end of the program")
    assert "SessionEnd" not in claude.names()


def test_the_terminal_is_as_it_was_after_the_program_was_terminated(claude: Claude) -> None:
    claude.start()
    claude.tmux.new_session("shell", ["sh"])
    files = f"--settings {claude.root}/settings.json --script {claude.root}/script.json"
    command = f"cd {ROOT}; stty -g > {claude.root}/before; {sys.executable} -m gsd_engine.simulation {files} & "
    command += f"echo $! > {claude.root}/pid; fg; stty -g > {claude.root}/after"
    claude.tmux.type_text("shell", f"set -m; {command}")
    claude.tmux.send_keys("shell", "Enter")
    claude.tmux.wait_for(lambda: "Claude Code v" in claude.tmux.capture("shell"), 10, "the program")
    os.kill(int((claude.root / "pid").read_text()), signal.SIGTERM)
    claude.tmux.wait_for(lambda: (claude.root / "after").exists() and (claude.root / "after").read_text(), 5, "its end")
    assert (claude.root / "after").read_text() == (claude.root / "before").read_text()
