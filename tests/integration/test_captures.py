"""Every payload recorded from the real Claude Code, in its order: what the engine makes of each, and whom it wakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gsd_engine.domain.events import QueueRequested, Who
from gsd_engine.effects.tmux import PaneRef
from gsd_engine.engine import Engine
from gsd_engine.hooks.holding import Held
from gsd_engine.hooks.intake import Intake
from tests.support.engine import Home

RECORDINGS = Path(__file__).parents[1] / "recordings"
VERSIONS = ("2.1.197", "2.1.326")

PROMPT, WAKE = "UserPromptSubmit prompt/seen", "Stop stop/wake"
ASKED = [PROMPT, "PreToolUse question/asked", "PermissionRequest question/held"]
BY_PERSON = [*ASKED, "PostToolUse question/taken_over", WAKE]
EXPANDED = "UserPromptExpansion observed/UserPromptExpansion/no_rule"

# Recording by recording: the hook, and the path of the decision about it.
PATHS: dict[str, list[str]] = {
    "01-startup": ["SessionStart session_start/startup/clean"],
    "02-prompt-and-stop": [PROMPT, WAKE],
    "03-gsd-command": [PROMPT, EXPANDED, WAKE],
    "04-clear": ["SessionEnd session_end/clear/goes_on", "SessionStart session_start/clear/rebound"],
    "05-unknown-command-no-hook": [],
    "06-single-select": BY_PERSON,
    "07-single-type": BY_PERSON,
    "08-single-type-empty-enter-declines": ASKED,
    "09-single-chat": [*ASKED, WAKE],
    "10-single-digit": BY_PERSON,
    "11-single-escape-no-hook": ASKED,
    "12-multi-select": BY_PERSON,
    "13-multi-select-with-text": BY_PERSON,
    "14-form": BY_PERSON,
    "15-preview-select": BY_PERSON,
    "16-preview-notes": BY_PERSON,
    "17-bracketed-paste-multiline": [PROMPT, WAKE],
    "18-idle-notification": [PROMPT, WAKE, "Notification idle/wake"],
    "19-exit": ["SessionEnd session_end/ended"],
    "20-stop-failure-auth": [PROMPT, "StopFailure stop_failure/authentication_failed"],
    "21-stop-failure-rate-limit": [PROMPT, "StopFailure stop_failure/rate_limit"],
    "22-stop-failure-billing": [PROMPT, "StopFailure stop_failure/billing_error"],
    "23-big-context": [PROMPT, WAKE],
    "24-compact": [
        "PreCompact pre_compact/wake",
        "SubagentStop observed/SubagentStop/subagent",
        "SessionStart session_start/compact/nothing_awaited",
        "PostCompact observed/PostCompact/no_rule",
    ],
}
WAKES = {
    "Stop stop/wake": "response_complete",
    "PreToolUse question/asked": "question",
    "Notification idle/wake": "idle",
    "SessionEnd session_end/ended": "session_end",
    "PreCompact pre_compact/wake": "pre_compact",
}


def expected(version: str, recording: str) -> list[str]:
    """The two versions differ in two places."""
    if recording == "03-gsd-command" and version == "2.1.197":
        return [EXPANDED, PROMPT, WAKE]
    if recording == "20-stop-failure-auth" and version == "2.1.197":
        return ["SessionStart session_start/startup/clean", *PATHS[recording]]  # it had been started anew
    return PATHS[recording]


class Replay:
    """The engine of one home, taking recorded payloads as the hooks of session `warden`."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)
        registry = {"version": 1, "agents": [{"agent_id": "w", "session_name": "warden", "working_directory": "/srv"}]}
        (folder / "registry.json").write_text(json.dumps(registry))
        self.engine: Engine = self.home.engine
        self.intake = Intake(
            self.home.config,
            engine_for=lambda config, hook: self.engine,
            identify=lambda environ: PaneRef(None, "%1", "warden"),
        )

    def take(self, version: str, recording: str, times: int = 1) -> list[str]:
        paths = []
        for line in (RECORDINGS / f"claude-code-{version}" / f"{recording}.jsonl").read_text().splitlines():
            hook = json.loads(line)["hook_event_name"]
            for _ in range(times):
                output = self.intake.take(hook, line.encode(), {})
            assert isinstance(output, Held) or (output.stdout, output.exit_code) == ("", 0)
            path = self.home.value("SELECT decision_path FROM events WHERE source = 'hook' ORDER BY id DESC LIMIT 1")
            paths.append(f"{hook} {path}")
        return paths

    def wakes(self) -> list[str]:
        rows = self.home.rows("SELECT payload->>'trigger' AS t FROM effects WHERE kind = 'Wake' ORDER BY id")
        return [row["t"] for row in rows]


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    made = Replay(tmp_path / "home")
    yield made
    made.home.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_recorded_payload_takes_its_path_and_wakes_whom_it_should(replay: Replay, version: str) -> None:
    recorded = sorted(path.stem for path in (RECORDINGS / f"claude-code-{version}").glob("[0-9]*.jsonl"))
    assert recorded == sorted(PATHS)
    taken = {name: replay.take(version, name) for name in recorded}
    assert taken == {name: expected(version, name) for name in recorded}
    lines = [line for name in recorded for line in taken[name]]
    failures = ["stop_failure" for line in lines if line.startswith("StopFailure")]
    assert sorted(replay.wakes()) == sorted([WAKES[line] for line in lines if line in WAKES] + failures)
    payloads = sum(len(paths) for paths in taken.values())
    assert replay.home.value("SELECT count(*) FROM events WHERE source = 'hook'") == payloads
    assert replay.home.value("SELECT count(*) FROM questions WHERE state IN ('asked', 'answered')") == 0
    assert not list(replay.home.config.kept_payloads.glob("*"))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_payload_twice_changes_nothing_the_second_time(tmp_path: Path, version: str) -> None:
    """As happens where the hooks are installed twice, in settings.json and in a plugin."""
    once, twice = Replay(tmp_path / "once"), Replay(tmp_path / "twice")
    for name in sorted(PATHS):
        once.take(version, name)
        twice.take(version, name, times=2)
    # A notification of a compaction has no key, and may truly come twice.
    assert [w for w in twice.wakes() if w != "pre_compact"] == [w for w in once.wakes() if w != "pre_compact"]
    for table in ("questions", "sessions", "pending_answers"):
        assert twice.home.states(table) == once.home.states(table)
    once.home.close()
    twice.home.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_queue_is_driven_by_its_own_receipts_and_never_cancels_itself(replay: Replay, version: str) -> None:
    who = Who(host=replay.home.config.host, name="warden", agent_id="w")
    replay.take(version, "01-startup")
    typed = _prompts(version, "03-gsd-command")[0]
    replay.engine.step(QueueRequested(who=who, commands=[typed, "/clear"]))
    replay.home.drain()
    assert "Stop stop/queue/advanced" in replay.take(version, "03-gsd-command")
    replay.home.drain()
    assert replay.take(version, "04-clear")[-1] == "SessionStart session_start/clear/completed"
    assert replay.home.states("queues") == ["completed"]
    assert replay.wakes() == ["queue_complete"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_prompt_of_a_person_takes_a_queue_over(replay: Replay, version: str) -> None:
    who = Who(host=replay.home.config.host, name="warden", agent_id="w")
    replay.take(version, "01-startup")
    replay.engine.step(QueueRequested(who=who, commands=["/gsd:plan-phase 9", "/clear"]))
    replay.home.drain()
    assert replay.take(version, "02-prompt-and-stop")[0] == "UserPromptSubmit prompt/taken_over"
    content = replay.home.value("SELECT payload->>'content' FROM effects WHERE payload->>'trigger' = 'queue_cancelled'")
    assert "Queue cancelled by manual input. Completed: 0/2." in content


def _prompts(version: str, recording: str) -> list[str]:
    lines = (RECORDINGS / f"claude-code-{version}" / f"{recording}.jsonl").read_text().splitlines()
    payloads = [json.loads(line) for line in lines]
    return [payload["prompt"] for payload in payloads if payload["hook_event_name"] == "UserPromptSubmit"]
