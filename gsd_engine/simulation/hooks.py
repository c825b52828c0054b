"""The hooks of a settings file, fired as the real program does it: all of one event at once, payload on stdin.

The file is read at every event. A hook is a process group of its own: it outlives this program, as it does the real
one, unless it is ended on purpose (Esc at a question, its timeout).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFAULT_SECONDS = 600.0
_EVENT_SECONDS = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}

# The field of the payload that an entry's matcher is compared with.
_MATCHED_FIELD = {
    "PreToolUse": "tool_name",
    "PostToolUse": "tool_name",
    "PermissionRequest": "tool_name",
    "SessionStart": "source",
    "SessionEnd": "reason",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "Notification": "notification_type",
    "StopFailure": "error",
}


@dataclass(frozen=True)
class HookResult:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> dict[str, Any]:
        """The JSON object on stdout; on exit 2 it wins over stderr."""
        if self.exit_code not in {0, 2}:
            return {}
        try:
            parsed = json.loads(self.stdout)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}

    @property
    def specific(self) -> dict[str, Any]:
        """The part of the output that is meant for its event alone."""
        specific = self.output.get("hookSpecificOutput")
        return specific if isinstance(specific, dict) else {}

    @property
    def block_reason(self) -> str | None:
        """Why the hook blocks: its JSON says so, or it exits with 2 and says why on stderr."""
        if self.output.get("decision") == "block":
            return str(self.output.get("reason") or self.stderr)
        if self.exit_code == 2 and not self.output:
            return self.stderr.strip()
        return None


@dataclass(frozen=True)
class Hook:
    """One command of the settings."""

    name: str
    argv: tuple[str, ...]
    seconds: float


class RunningHook:
    """A started hook; `result` is done when it ended."""

    def __init__(self, hook: Hook, payload: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[HookResult] = self._loop.create_future()
        self._seconds = hook.seconds
        self._payload = json.dumps(payload, ensure_ascii=False) + "\n"
        try:
            self._process = subprocess.Popen(
                hook.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=str(payload["cwd"]),
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            self.result.set_result(HookResult(127, "", str(error)))
            return
        threading.Thread(target=self._wait, daemon=True).start()

    def terminate(self) -> None:
        if not self.result.done():
            self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _wait(self) -> None:
        try:
            out, err = self._process.communicate(self._payload, timeout=self._seconds)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGTERM)
            out, err = "", "timed out"
        code = self._process.poll()
        ended = HookResult(-1 if code is None else code, out, err)
        with contextlib.suppress(RuntimeError):  # the program has ended meanwhile; nobody waits for this hook
            self._loop.call_soon_threadsafe(self._settle, ended)

    def _settle(self, ended: HookResult) -> None:
        if not self.result.done():
            self.result.set_result(ended)


class Hooks:
    """Fires the hooks that the settings name for an event."""

    def __init__(self, settings: Path) -> None:
        self._path = settings

    def environment(self) -> dict[str, str]:
        """Hooks see what this program sees, TMUX and TMUX_PANE included, and the settings' own variables."""
        extra = self._settings().get("env", {})
        return {**os.environ, **{str(name): str(value) for name, value in extra.items()}}

    def start(self, payload: Mapping[str, Any]) -> list[RunningHook]:
        environment = self.environment() | {"CLAUDE_PROJECT_DIR": str(payload["cwd"])}
        return [RunningHook(hook, payload, environment) for hook in self.matching(payload)]

    async def fire(self, payload: Mapping[str, Any]) -> list[HookResult]:
        """Waits for all of them; when the waiting is cancelled (Esc), they are ended."""
        running = self.start(payload)
        try:
            return [await hook.result for hook in running]
        except asyncio.CancelledError:
            for hook in running:
                hook.terminate()
            raise

    def matching(self, payload: Mapping[str, Any]) -> list[Hook]:
        event = str(payload["hook_event_name"])
        value = str(payload.get(_MATCHED_FIELD.get(event, ""), ""))
        return [
            _hook(event, raw)
            for entry in self._settings().get("hooks", {}).get(event, [])
            if event not in _MATCHED_FIELD or matches(str(entry.get("matcher") or ""), value)
            for raw in entry.get("hooks", [])
            if raw.get("type", "command") == "command"
        ]

    def _settings(self) -> dict[str, Any]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) and not content.get("disableAllHooks") else {}


def matches(matcher: str, value: str) -> bool:
    """Empty and * match all; plain names are compared whole, with | between them; the rest is a regular expression."""
    if matcher in {"", "*"}:
        return True
    if re.fullmatch(r"[\w|-]+", matcher):
        return value in matcher.split("|")
    return re.search(matcher, value) is not None


def _hook(event: str, raw: Mapping[str, Any]) -> Hook:
    command = str(raw["command"])
    argv = (command, *map(str, raw["args"])) if "args" in raw else ("/bin/sh", "-c", command)
    seconds = float(raw.get("timeout") or _EVENT_SECONDS.get(event, _DEFAULT_SECONDS))
    return Hook(command, argv, seconds)
