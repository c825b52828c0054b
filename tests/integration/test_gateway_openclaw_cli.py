"""OpenClaw's command line, played by a stand-in that takes its arguments and gives its answers.

tests/live/test_openclaw_real.py holds the real one to the same.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gsd_engine.effects.gateway import Delivered, GaveUp, TryAgain, Wake
from gsd_engine.effects.gateway.openclaw_cli import REFUSED, OpenClawCliGateway

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
WAKE = Wake("wake up\nä", "warden", "warden-main", "idle", 42, "effect-42")

STAND_IN = """
import json, pathlib, stat, sys, time
args = sys.argv[1:]
path = pathlib.Path(args[args.index("--message-file") + 1])
seen = {"args": args, "mode": stat.S_IMODE(path.stat().st_mode), "message": path.read_text("utf-8"), "path": str(path)}
(pathlib.Path(__file__).parent / "seen.json").write_text(json.dumps(seen))
"""
ANSWER = {"runId": "r-1", "status": "ok", "result": {"payloads": [{"text": "first"}, {"text": "second"}]}}


def openclaw(folder: Path, behaviour: str, timeout: float = 20, **environ: str) -> OpenClawCliGateway:
    (folder / "openclaw.py").write_text(STAND_IN + behaviour)
    command = [sys.executable, str(folder / "openclaw.py")]
    return OpenClawCliGateway(command, {**ENVIRON, **environ}, timeout=timeout)


def answering(answer: dict[str, Any], code: int = 0) -> str:
    return f"print({json.dumps(answer)!r}); sys.exit({code})"


def failing(message: str) -> str:
    return answering({"ok": False, "error": {"type": "cli_error", "message": message}}, 1)


def seen(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    return found


def test_the_message_goes_by_a_private_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    assert openclaw(tmp_path, answering(ANSWER)).wake(WAKE) == Delivered("r-1")
    what = seen(tmp_path)
    whom = ["--agent", "warden", "--session-key", "hook:claude:warden-main"]
    assert what["args"] == ["agent", *whom, "--message-file", what["path"], "--json"]
    assert (what["mode"], what["message"]) == (0o600, WAKE.message)
    assert not Path(what["path"]).exists()


def test_a_failure_is_tried_again_with_the_programs_words(tmp_path: Path) -> None:
    outcome = openclaw(tmp_path, failing("gateway closed\n(1006)")).wake(WAKE)
    assert outcome == TryAgain("openclaw: exit 1: gateway closed (1006)")


def test_a_failure_without_json_is_told_by_stderr(tmp_path: Path) -> None:
    outcome = openclaw(tmp_path, "print('boom', file=sys.stderr); sys.exit(9)").wake(WAKE)
    assert outcome == TryAgain("openclaw: exit 9: boom")


def test_a_message_file_that_somebody_else_removed_changes_nothing(tmp_path: Path) -> None:
    assert openclaw(tmp_path, "path.unlink()\n" + answering(ANSWER)).wake(WAKE) == Delivered("r-1")


def test_an_unknown_agent_is_given_up(tmp_path: Path) -> None:
    assert isinstance(openclaw(tmp_path, failing('Unknown agent id "warden".')).wake(WAKE), GaveUp)


def test_a_run_that_was_accepted_is_never_started_again(tmp_path: Path) -> None:
    lost = {"ok": False, "runId": "r-2", "origin": "gateway", "error": {"message": "connection lost"}}
    assert openclaw(tmp_path, answering(lost, 1)).wake(WAKE) == Delivered("r-2")


def test_a_turn_that_outlasts_the_timeout_is_killed_and_not_repeated(tmp_path: Path) -> None:
    outcome = openclaw(tmp_path, "time.sleep(60)", timeout=1).wake(WAKE)
    assert isinstance(outcome, GaveUp)
    assert "may still be at work" in outcome.reason
    assert not Path(seen(tmp_path)["path"]).exists()


def test_inside_an_agents_shell_it_is_not_even_tried(tmp_path: Path) -> None:
    gateway = openclaw(tmp_path, answering(ANSWER), OPENCLAW_SHELL="exec")
    assert (gateway.wake(WAKE), gateway.ask(WAKE, 5), gateway.check()) == (GaveUp(REFUSED), None, REFUSED)
    assert not (tmp_path / "seen.json").exists()


def test_its_refusal_by_design_is_told_apart(tmp_path: Path) -> None:
    refusal = "Gateway agent from agent exec would lose inter-session attribution. Do not retry."
    assert openclaw(tmp_path, failing(refusal)).wake(WAKE) == GaveUp(REFUSED)


def test_a_program_that_is_not_installed_is_given_up_and_reported() -> None:
    gateway = OpenClawCliGateway(["openclaw-that-is-not-there"], ENVIRON)
    assert isinstance(gateway.wake(WAKE), GaveUp)
    assert gateway.ask(WAKE, 5) is None
    assert "install OpenClaw" in (gateway.check() or "")


def test_a_message_larger_than_the_program_takes_loses_its_middle(tmp_path: Path) -> None:
    openclaw(tmp_path, answering(ANSWER)).wake(replace(WAKE, message="HEAD" + "x" * 5_000_000 + "TAIL"))
    arrived = seen(tmp_path)["message"]
    assert (arrived[:4], arrived[-4:]) == ("HEAD", "TAIL")
    assert len(arrived.encode()) <= 4 * 1024 * 1024


def test_asking_returns_the_agents_words(tmp_path: Path) -> None:
    assert openclaw(tmp_path, answering(ANSWER)).ask(WAKE, 20) == "first\nsecond"


@pytest.mark.parametrize(
    "behaviour",
    [
        "print('no json')",
        answering({}),
        answering({"result": {"payloads": None}}),
        answering({"result": {"payloads": [{"text": None}, 3]}}),
        answering(ANSWER, 1),
        "time.sleep(60)",
    ],
)
def test_anything_else_is_no_answer(tmp_path: Path, behaviour: str) -> None:
    begun = time.monotonic()
    assert openclaw(tmp_path, behaviour).ask(WAKE, 1) is None
    assert time.monotonic() - begun < 10
