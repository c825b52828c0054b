"""OpenClaw by its own command line: `openclaw agent … --json`, which waits for the agent's whole turn.

It takes no idempotency key, so a turn that may have begun is never started again: an accepted run counts as
delivered even if it failed later, and one that outlasts the timeout is given up, not repeated. In a shell that an
OpenClaw agent opened (OPENCLAW_SHELL=exec) it refuses by design; that is reported, not dodged.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gsd_engine.effects.gateway.base import Delivered, GaveUp, Outcome, TryAgain, Wake, one_line, session_key
from gsd_engine.effects.gateway.program import CannotStartError, Ran, run_program
from gsd_engine.effects.gateway.shortening import without_middle

WAKE_SECONDS = 630.0  # the program itself gives a turn 600 s
MESSAGE_LIMIT = 4 * 1024 * 1024  # larger message files are refused
REFUSAL = "would lose inter-session attribution"
UNKNOWN_AGENT = "Unknown agent id"
REFUSED = (
    "openclaw refuses to wake from a shell that an OpenClaw agent opened (OPENCLAW_SHELL=exec): "
    "start gsd-engine outside of it, or use the gateway kind openclaw"
)


class OpenClawCliGateway:
    kind = "openclaw-cli"

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], *, timeout: float = WAKE_SECONDS) -> None:
        self._command, self._environ, self._timeout = tuple(command) or ("openclaw",), environ, timeout

    def __repr__(self) -> str:
        return f"OpenClawCliGateway({self._command[0]!r})"

    def wake(self, wake: Wake) -> Outcome:
        if self._inside_agent_shell():
            return GaveUp(REFUSED)
        try:
            return self._judged(self._run(wake, self._timeout))
        except CannotStartError as trouble:
            reason = one_line(str(trouble))
            return GaveUp(reason) if trouble.hopeless else TryAgain(reason)

    def ask(self, wake: Wake, seconds: float) -> str | None:
        if self._inside_agent_shell():
            return None
        try:
            ran = self._run(wake, seconds)
        except CannotStartError:
            return None
        return reply_text(_parsed(ran.stdout)) if ran.code == 0 else None

    def check(self) -> str | None:
        if self._inside_agent_shell():
            return REFUSED
        if shutil.which(self._command[0], path=self._environ.get("PATH", os.defpath)):
            return None
        return f"{self._command[0]} is not on PATH: install OpenClaw or correct gateway.command in the registry"

    def _inside_agent_shell(self) -> bool:
        return self._environ.get("OPENCLAW_SHELL") == "exec"

    def _run(self, wake: Wake, seconds: float) -> Ran:
        with _message_file(wake.message) as path:
            whom = ["--agent", wake.agent_id, "--session-key", session_key(wake)]
            command = [*self._command, "agent", *whom, "--message-file", path, "--json"]
            return run_program(command, self._environ, "", seconds)

    def _judged(self, ran: Ran) -> Outcome:
        run_id = _parsed(ran.stdout).get("runId")
        if ran.code == 0 or run_id:
            return Delivered(one_line(str(run_id or "")))
        if ran.code is None:
            return GaveUp(f"openclaw was killed: not done after {self._timeout:g} s; the agent may still be at work")
        if REFUSAL in ran.stderr + ran.stdout:
            return GaveUp(REFUSED)
        reason = one_line(f"openclaw: exit {ran.code}: {_error_text(ran)}")
        return GaveUp(reason) if UNKNOWN_AGENT in reason else TryAgain(reason)


def reply_text(answer: Mapping[str, Any]) -> str | None:
    """The agent's words; the gateway's answer has them under `result`, an embedded run's at the top."""
    result = answer.get("result")
    payloads = (result if isinstance(result, dict) else answer).get("payloads")
    texts = [p.get("text") for p in payloads if isinstance(p, dict)] if isinstance(payloads, list) else []
    return "\n".join(text for text in texts if isinstance(text, str)).strip() or None


def _error_text(ran: Ran) -> str:
    error = _parsed(ran.stdout).get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return str(message or ran.last_line)


def _parsed(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


@contextmanager
def _message_file(message: str) -> Iterator[str]:
    """A file that only this user can read, gone afterwards."""
    fitting = without_middle(message, lambda text: len(text.encode("utf-8", "replace")) <= MESSAGE_LIMIT)
    try:
        handle, name = tempfile.mkstemp(prefix="gsd-wake-", suffix=".txt")
    except OSError as error:
        raise _no_room(error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(fitting.encode("utf-8", "replace"))
        yield name
    except OSError as error:
        raise _no_room(error) from None
    finally:
        Path(name).unlink(missing_ok=True)


def _no_room(error: OSError) -> CannotStartError:
    return CannotStartError(f"no temporary file: {error.strerror}", hopeless=False)
