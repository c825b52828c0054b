"""Notification: Claude Code has been idle for a minute, or shows a permission dialog."""

from gsd_engine.domain.events import Event, Observed, PermissionPrompted, WentIdle, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    if payload.notification_type == "idle_prompt":
        return WentIdle(who=who, prompt_id=payload.prompt_id)
    if payload.notification_type == "permission_prompt":
        return PermissionPrompted(who=who, message=payload.message)
    return Observed(who=who, hook="Notification", why=payload.notification_type or "no_type")
