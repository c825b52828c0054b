"""A registry to start from: three agents that differ, and every default written out."""

from __future__ import annotations

from typing import Any

from gsd_engine.registry.models import HookSettings, OpenClawCliGateway, OpenClawGateway


def example() -> dict[str, Any]:
    """Valid as it is; the built-in defaults come from the models, so that they cannot drift."""
    return {
        "version": 1,
        "gateway": OpenClawGateway(kind="openclaw").model_dump(),
        "hook_settings": HookSettings().model_dump(),
        "notify": {"command": ["notify-send", "gsd-engine"]},
        "agents": [_gideon(), _warden(), _forge()],
    }


def _agent(agent_id: str, number: int, settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "agent_id": agent_id,
        "enabled": True,
        "session_name": f"{agent_id}-main",
        "working_directory": f"/srv/projects/{agent_id}",
        "openclaw_session_id": f"00000000-0000-0000-0000-{number:012d}",
        "system_prompt": None,
        "system_prompt_file": None,
        "skip_permissions": False,
        "launch_command": "claude",
        "gateway": None,
        "hook_settings": HookSettings(**settings).model_dump(),
        "on_stop": "escalate",
        "on_idle": None,
        "on_dead": None,
        "on_error": None,
        **more,
    }


def _gideon() -> dict[str, Any]:
    """The overseer: waits for its agent at every stop and keeps a long view of the pane."""
    settings = {"hook_mode": "bidirectional", "pane_capture_lines": 150}
    return _agent("gideon", 1, settings, system_prompt="Prefer /gsd:quick for small tasks.")


def _warden() -> dict[str, Any]:
    """Long phases: warns and compacts early, is nudged when it idles, taken up again when it dies."""
    return _agent(
        "warden",
        2,
        {"context_pressure_threshold": 40, "autocompact_pct": 70},
        on_stop={"action": "idle", "message": None},
        on_idle={"action": "nudge", "attempts": 3, "message": "Go on, or signal that you are done.", "cooldown": 60},
        on_dead={"action": "resume", "attempts": 1, "message": None, "cooldown": 0},
        on_error=[
            {"match": "rate_limit", "action": "resume", "attempts": "forever", "message": None, "cooldown": 900},
            {"match": None, "action": "escalate", "attempts": 1, "message": None, "cooldown": 0},
        ],
    )


def _forge() -> dict[str, Any]:
    """Builds until its gate passes; woken through the openclaw program, answered by keys."""
    return _agent(
        "forge",
        3,
        {"answer_transport": "keys", "delivery_transport": "keys", "answer_wait_seconds": 300},
        gateway=OpenClawCliGateway(kind="openclaw-cli").model_dump(mode="json"),
        on_idle={"action": "gate", "command": ["make", "test"], "attempts": 5, "message": None, "cooldown": 30},
    )
