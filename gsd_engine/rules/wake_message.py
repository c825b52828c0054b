"""The wake message: plain text in sections, metadata first, content second, instructions last; empty ones left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class WakeMessage:
    agent_id: str
    session: str
    claude_session_id: str
    timestamp: datetime
    trigger: str
    state: str
    pressure: str
    content: str = ""
    pane: str = ""
    suggested_commands: Sequence[str] = ()
    instructions: str = ""


def render(message: WakeMessage) -> str:
    sections = (
        ("SESSION IDENTITY", _identity(message)),
        ("TRIGGER", f"trigger: {message.trigger}"),
        ("STATE", f"state: {message.state}"),
        ("CONTEXT PRESSURE", message.pressure),
        ("CONTENT", message.content),
        ("PANE CONTENT", message.pane),
        ("SUGGESTED COMMANDS", "\n".join(message.suggested_commands)),
        ("AVAILABLE ACTIONS", available_actions(message.session, message.trigger)),
        ("INSTRUCTIONS", message.instructions),
    )
    return "\n\n".join(f"[{title}]\n{text.strip()}" for title, text in sections if text.strip()) + "\n"


def _identity(message: WakeMessage) -> str:
    at = message.timestamp.isoformat(timespec="seconds").replace("+00:00", "Z")
    return (
        f"agent_id: {message.agent_id}\n"
        f"tmux_session_name: {message.session}\n"
        f"session_id: {message.claude_session_id}\n"
        f"timestamp: {at}"
    )


def available_actions(session: str, trigger: str) -> str:
    """The exact calls that make sense now."""
    name = _quoted(session)
    if trigger in ("question", "mismatch"):
        calls = [
            f"""gsd-engine answer --session {name} '[{{"action": "select", "optionIndex": 0}}]'""",
            f"gsd-engine question show --session {name}",
        ]
    elif trigger == "session_end":
        calls = [f"gsd-engine session recover {name}", f"gsd-engine queue show --session {name}"]
    else:
        calls = [
            f"""gsd-engine queue start --session {name} '["/clear", "/gsd:plan-phase 3"]'""",
            f"gsd-engine queue show --session {name}",
        ]
    return "\n".join(calls)


def _quoted(name: str) -> str:
    safe = all(c.isalnum() or c in "-_./@%+=" for c in name)
    return name if safe and name else "'" + name.replace("'", "'\"'\"'") + "'"
