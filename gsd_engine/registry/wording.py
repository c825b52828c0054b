"""How a problem is told: its path in the user's file, what is wrong there, and what would be right.

pydantic knows the place by its own route (tags of unions, positions of a list that the file wrote as one object);
the route is walked along the file's data here, so that the path is one the user can find.
"""

from __future__ import annotations

import difflib
import json
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gsd_engine.registry.document import Location, Problem, show_path
from gsd_engine.registry.models import GATEWAYS, Agent, HookSettings, Notify, Registry
from gsd_engine.rules.policies import DeadPolicy, ErrorPolicy, IdlePolicy, StopPolicy

# Names of older files, and where their meaning lives now.
RENAMED = {
    "tmux_session_name": "session_name",
    "tmux_session": "session_name",
    "session": "session_name",
    "id": "agent_id",
    "name": "agent_id",
    "workdir": "working_directory",
    "cwd": "working_directory",
    "claude_launch_command": "launch_command",
    "dangerously_skip_permissions": "skip_permissions",
}
_SECRET = ("token", "secret", "password", "api_key")
_MODELS: dict[str, type[BaseModel]] = {
    "agents": Agent,
    "hook_settings": HookSettings,
    "notify": Notify,
    "on_stop": StopPolicy,
    "on_idle": IdlePolicy,
    "on_dead": DeadPolicy,
    "on_error": ErrorPolicy,
}
_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "is an unknown key",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "union_tag_not_found": "has no `kind`",
    "union_tag_invalid": "has an unknown `kind`",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "tuple_type": "must be a list",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "string_type": "must be a text",
}
# Where the value adds nothing to the message, or there is none.
_VALUE_UNSAID = {"missing", "extra_forbidden", "union_tag_not_found", "string_too_short", "too_short"}
_VALUE_UNSAID |= {"session_name", "environment_name", "http_address", "command_line", "gate_command"}


def problem_from(error: ErrorDetails, data: Any) -> Problem:
    location = _in_the_file(error["loc"], data)
    kind = error["type"]
    message = _MESSAGES.get(kind) or error["msg"].replace("Input should be", "must be")
    if kind not in _VALUE_UNSAID:
        message += _instead_of(location, error["input"])
    return Problem(show_path(location), message, _hint(kind, location, data))


def _hint(kind: str, location: Location, data: Any) -> str:
    if kind == "extra_forbidden":
        return _hint_for_unknown(location, data)
    if kind == "gate_command":
        return 'for example {"action": "gate", "command": ["make", "test"]}'
    return _hint_for_value(location, data)


def _in_the_file(route: Location, data: Any) -> Location:
    """Drop what the file does not have: union tags, and steps into a word that stands for an object."""
    location: list[str | int] = []
    for number, step in enumerate(route):
        last = number == len(route) - 1
        if isinstance(data, dict) and isinstance(step, str) and (step in data or last):
            location.append(step)
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            location.append(step)
            data = data[step]
    return tuple(location)


def _instead_of(location: Location, value: Any) -> str:
    """A wrong value is shown, except where it may be a secret or would flood the screen."""
    if any(word in str(step).lower() for step in location for word in _SECRET) or isinstance(value, dict | list):
        return ""
    shown = "null" if value is None else json.dumps(value, default=str)
    return f", not {shown}" if len(shown) <= 60 else ""


def _model_at(location: Location, data: Any) -> type[BaseModel] | None:
    """The model of the object that lies at this location of the file."""
    names = [step for step in location if isinstance(step, str)]
    if not names:
        return Registry
    if names[-1] != "gateway":
        return _MODELS.get(names[-1])
    for step in location:
        data = data[step]
    kind = data.get("kind") if isinstance(data, dict) else None
    return GATEWAYS.get(kind) if isinstance(kind, str) else None


def _hint_for_unknown(location: Location, data: Any) -> str:
    key = str(location[-1])
    model = _model_at(location[:-1], data)
    known = list(model.model_fields) if model else []
    if RENAMED.get(key) in known:
        return f"now called {RENAMED[key]}; `gsd-engine registry import` takes older files over"
    if key == "token" and "token_env" in known:
        return "secrets stay out of this file: name the environment variable in token_env"
    if key in HookSettings.model_fields and "hook_settings" in known:
        return "belongs into hook_settings"
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known) or 'none'}"


def _hint_for_value(location: Location, data: Any) -> str:
    """The nearest field above the problem that has an example tells what would be right."""
    if location and location[-1] == "gateway":
        return f"kind is one of {', '.join(GATEWAYS)}"
    for end in range(len(location), 0, -1):
        model, key = _model_at(location[: end - 1], data), location[end - 1]
        field = model.model_fields.get(str(key)) if model and isinstance(key, str) else None
        if field is not None and field.examples:
            return f"{_range_of(field)}for example {json.dumps(field.examples[0])}"
    return 'for example {"version": 1, "agents": []}'


def _range_of(field: FieldInfo) -> str:
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    if low is None:
        return ""
    return f"from {low}, " if high is None else f"from {low} to {high}, "
