"""The one list of hooks the engine understands: from settings.json's event names to what happened."""

from __future__ import annotations

from collections.abc import Callable

from gsd_engine.domain.events import Event, Observed, Who
from gsd_engine.hooks import (
    notification,
    permission_request,
    post_tool_use,
    pre_compact,
    pre_tool_use,
    session_end,
    session_start,
    stop,
    stop_failure,
    user_prompt_submit,
)
from gsd_engine.hooks.payload import Payload

READERS: dict[str, Callable[[Payload, Who], Event]] = {
    "SessionStart": session_start.read,
    "UserPromptSubmit": user_prompt_submit.read,
    "Stop": stop.read,
    "StopFailure": stop_failure.read,
    "PreToolUse": pre_tool_use.read,
    "PermissionRequest": permission_request.read,
    "PostToolUse": post_tool_use.read,
    "Notification": notification.read,
    "PreCompact": pre_compact.read,
    "SessionEnd": session_end.read,
}


def read_event(hook: str, payload: Payload, who: Who) -> Event:
    if payload.agent_id is not None:
        return Observed(who=who, hook=hook, why="subagent")
    reader = READERS.get(hook)
    return reader(payload, who) if reader is not None else Observed(who=who, hook=hook, why="no_rule")
