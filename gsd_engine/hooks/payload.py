"""A hook's payload as Claude Code sends it, read so that no version of it can hurt.

Unknown fields are ignored, missing ones take defaults, and a field of an unexpected kind counts as missing: what is
wrong with one field must not cost the event. Text is made safe to store (no lone surrogates, no NUL).
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, field_validator


class Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    hook_event_name: str = ""
    session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    agent_id: str | None = None
    model: str | None = None
    source: str | None = None
    prompt: str = ""
    stop_hook_active: bool = False
    last_assistant_message: str = ""
    background_tasks: list[Any] = []
    session_crons: list[Any] = []
    error: str = "unknown"
    tool_name: str = ""
    tool_use_id: str | None = None
    tool_input: dict[str, Any] = {}
    tool_response: dict[str, Any] = {}
    notification_type: str = ""
    message: str = ""
    trigger: str = "auto"
    reason: str = "other"

    @field_validator("*", mode="wrap")
    @classmethod
    def _forgive(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: Any) -> Any:
        try:
            return handler(storable(value))
        except ValidationError:
            return cls.model_fields[info.field_name].get_default()


def storable(value: Any) -> Any:
    """The same value with text that every store takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\x00", "�")
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value
