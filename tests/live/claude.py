"""The real Claude Code, offline: a scripted model on loopback, a private HOME, a private tmux server, a made-up key.

with RealClaude(tmp_path, "2.1.326", [Rule("slow", say="Done.", delay=2)]) as claude:
    claude.start()
    claude.tmux.paste(claude.session, "hello")

`hooks` are settings.json hooks; by default every event of HOOK_EVENTS is appended to a file, readable as `events()`.
Versions come from scripts/install-claude; a test that needs one that is not there is skipped with that hint.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from gsd_engine.effects.screen import Screen, read_screen
from gsd_engine.effects.tmux import PaneRef, Tmux
from tests.support.scripted_model import Rule, ScriptedModel
from tests.support.tmux_server import TmuxServer

VERSIONS = ("2.1.197", "2.1.326")
GSD_COMMANDS = ("plan-phase", "plan", "execute-phase", "discuss-phase", "verify-work")
HOOK_EVENTS = (
    "SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "PreToolUse", "PermissionRequest", "PostToolUse",
    "Notification", "PreCompact", "SessionEnd",
)  # fmt: skip
FIRST_RUN_DIALOGS = ("onboarding", "key", "trust", "bypass")
_KEY = "made-up-key-00000000000000000000"
_START_SECONDS = 30.0

# Starts in a few milliseconds, so that the time it notes is the time of the event.
_RECORDER = """#!{python} -IS
import sys, time
now = time.time()
payload = sys.stdin.read()
with open({log!r}, "a") as log:
    log.write('{{"at": %f, "payload": %s}}\\n' % (now, payload.strip().replace("\\n", " ")))
"""


def binary(version: str) -> Path:
    cache = Path(os.environ.get("GSD_TEST_CACHE") or Path.home() / ".cache/gsd-engine")
    return cache / "claude" / version / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"


def require(version: str) -> Path:
    found = binary(version)
    if not found.exists():
        pytest.skip(f"Claude Code {version} is not installed: scripts/install-claude {version}")
    return found


class RealClaude:
    """One Claude Code in one tmux session. A first-run dialog that is not among `accepted` will be shown."""

    def __init__(
        self,
        root: Path,
        version: str,
        rules: Sequence[Rule] = (),
        *,
        hooks: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (140, 45),
        session: str = "warden-main",
        accepted: Sequence[str] = FIRST_RUN_DIALOGS,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.version, self.session, self.size = version, session, size
        self.binary = require(version)
        self.model = ScriptedModel(rules)
        self.tmux = TmuxServer(root)
        self.project = root / "project"
        self._log = root / "hooks.jsonl"
        self._environment = dict(environment or {})
        self._write_project()
        self._write_settings({"hooks": self._recording_hooks(root) if hooks is None else hooks, **(settings or {})})
        self._accept_first_run_dialogs(accepted)

    def __enter__(self) -> RealClaude:
        self.model.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.tmux.__exit__(kind, error, at)
        self.model.__exit__(kind, error, at)

    def launch(self, *arguments: str) -> None:
        """Starts it without waiting for the prompt line."""
        argv = [str(self.binary), *arguments]
        self.tmux.new_session(self.session, argv, env=self.environment, size=self.size, cwd=self.project)

    def start(self, *arguments: str) -> None:
        self.launch(*(arguments or ("--dangerously-skip-permissions",)))
        self.wait_idle(_START_SECONDS)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": _KEY,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "IS_SANDBOX": "1",
            **self._environment,
        }

    @property
    def adapter(self) -> Tmux:
        return Tmux(self.tmux.socket_path)

    @property
    def pane(self) -> PaneRef:
        pane = self.adapter.find_session(self.session)
        assert pane is not None, f"session {self.session} is gone"
        return pane

    def screen(self) -> Screen:
        return read_screen(self.tmux.capture(self.session, escapes=True))

    def wait_idle(self, seconds: float = 15.0) -> None:
        self.wait_for(lambda: self.screen().kind == "prompt", seconds, "an idle prompt line")

    def wait_for(self, predicate: Any, seconds: float = 10.0, what: str = "the condition") -> None:
        self.tmux.wait_for(predicate, seconds, what)

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        """The payloads that the hooks got, each with `at`, the time its hook started."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        records = [json.loads(line) for line in lines]
        return [
            {**record["payload"], "at": record["at"]}
            for record in records
            if name in (None, record["payload"]["hook_event_name"])
        ]

    def submitted(self) -> list[str]:
        return [str(event["prompt"]) for event in self.events("UserPromptSubmit")]

    def _write_project(self) -> None:
        commands = self.project / ".claude/commands/gsd"
        commands.mkdir(parents=True, exist_ok=True)
        for name in GSD_COMMANDS:
            # With a hint, as GSD's own commands have: Claude Code draws it behind the command in the input line.
            (commands / f"{name}.md").write_text(f'---\nargument-hint: "[phase]"\n---\nDo {name} $ARGUMENTS\n')

    def _write_settings(self, settings: Mapping[str, Any]) -> None:
        folder = self.tmux.home / ".claude"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(settings, indent=1))

    def _recording_hooks(self, root: Path) -> dict[str, Any]:
        recorder = root / "record.py"
        recorder.write_text(_RECORDER.format(python=sys.executable, log=str(self._log)))
        recorder.chmod(0o755)
        hook = {"type": "command", "command": str(recorder), "timeout": 30}
        return {event: [{"hooks": [hook]}] for event in HOOK_EVENTS}

    def _accept_first_run_dialogs(self, accepted: Sequence[str]) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        answers: dict[str, dict[str, Any]] = {
            "onboarding": {"hasCompletedOnboarding": True, "theme": "dark"},
            "key": {"customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []}},
            "trust": {"projects": {str(self.project): trusted}},
            "bypass": {"bypassPermissionsModeAccepted": True},
        }
        state = {key: value for name in accepted for key, value in answers[name].items()}
        (self.tmux.home / ".claude.json").write_text(json.dumps(state))
