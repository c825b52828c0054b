"""Who this Claude Code is to its hooks: ids that change on /clear, and payloads with exactly the recorded fields."""

from __future__ import annotations

import os
import re
import uuid
from pathlib import Path
from typing import Any

from gsd_engine.simulation.dialect import Dialect

PERMISSION_MODE = "bypassPermissions"

# Which of the shared fields an event carries besides session_id, transcript_path and cwd.
_SHARED_FIELDS: dict[str, tuple[str, ...]] = {
    "SessionStart": ("prompt_id",),
    "SessionEnd": ("prompt_id",),
    "UserPromptSubmit": ("prompt_id", "permission_mode"),
    "UserPromptExpansion": ("prompt_id", "permission_mode"),
    "PreToolUse": ("prompt_id", "permission_mode", "effort"),
    "PermissionRequest": ("prompt_id", "permission_mode", "effort"),
    "PostToolUse": ("prompt_id", "permission_mode", "effort"),
    "Stop": ("prompt_id", "permission_mode", "effort"),
    "StopFailure": ("prompt_id", "effort"),
    "Notification": ("prompt_id",),
    "PreCompact": ("prompt_id",),
    "SubagentStop": ("prompt_id", "permission_mode", "agent_id", "agent_type", "effort"),
    "PostCompact": ("prompt_id",),
}
EVENTS = tuple(_SHARED_FIELDS)


class Session:
    """The identity of the conversation; `prompt_id` is absent until something was submitted."""

    def __init__(self, dialect: Dialect, directory: Path, resumed: str | None = None) -> None:
        self.dialect = dialect
        self.directory = directory
        self.prompt_id: str | None = None
        self.session_id = resumed or str(uuid.uuid4())

    @property
    def transcript_path(self) -> Path:
        home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.directory))
        return home / "projects" / slug / f"{self.session_id}.jsonl"

    def new_prompt(self) -> None:
        self.prompt_id = str(uuid.uuid4())

    def renew(self) -> None:
        """After /clear it is another session."""
        self.session_id = str(uuid.uuid4())
        if not self.dialect.clear_keeps_prompt_id:
            self.prompt_id = None

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        shared = {
            "prompt_id": self.prompt_id,
            "permission_mode": PERMISSION_MODE,
            "agent_id": fields.pop("agent_id", None),
            "agent_type": fields.pop("agent_type", None),
            "effort": {"level": self.dialect.effort},
        }
        payload: dict[str, Any] = {
            "session_id": self.session_id,
            "transcript_path": str(self.transcript_path),
            "cwd": str(self.directory),
        }
        payload |= {name: shared[name] for name in _SHARED_FIELDS[event] if shared[name] is not None}
        return payload | {"hook_event_name": event} | fields

    def subagent_stop(self, message: str) -> dict[str, Any]:
        """/compact has its summary written by a subagent, and that one stops like any other."""
        agent_id = f"a{uuid.uuid4().hex[:16]}"
        agent_transcript = self.transcript_path.with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl"
        return self.payload(
            "SubagentStop",
            agent_id=agent_id,
            agent_type="",
            stop_hook_active=False,
            agent_transcript_path=str(agent_transcript),
            last_assistant_message=message,
            background_tasks=[],
            session_crons=[],
        )
