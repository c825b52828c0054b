"""What an agent's file may say about stopping, idling, dying and failing. All of it, in one form.

A policy is written as a word (`"nudge"`) or as an object (`{"action": "nudge", "attempts": 3}`), in the registry and
in runbooks alike, and read into the one object form here. Nothing here acts: rules ask a policy what it says.

    on_stop   Claude wants to stop            signal | idle | escalate | ask
    on_idle   the session waits for input     nudge | done | fail | escalate | gate
    on_dead   the session ended or was lost   done | resume | fail | escalate
    on_error  the turn failed                 fail | resume | escalate, perhaps only for one kind of error
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

StopAction = Literal["signal", "idle", "escalate", "ask"]
IdleAction = Literal["nudge", "done", "fail", "escalate", "gate"]
DeadAction = Literal["done", "resume", "fail", "escalate"]
ErrorAction = Literal["fail", "resume", "escalate"]


def _not_an_empty_list(value: Any) -> Any:
    """Looked at before the items: pydantic would call a list empty when its only item is wrong."""
    if value == []:
        raise PydanticCustomError("too_short", "must not be empty")
    return value


# JSON and TOML have lists, not tuples; what is in them is still checked strictly.
FILLED_LIST = (Field(strict=False, json_schema_extra={"minItems": 1}), BeforeValidator(_not_an_empty_list))
Word = Annotated[str, Field(min_length=1, strict=True)]
Words = Annotated[tuple[Word, ...], *FILLED_LIST]


def _attempts_in_range(value: Any) -> Any:
    """Say it once: a union would complain once for each of its members."""
    if value == "forever" or (type(value) is int and value >= 1):
        return value
    raise PydanticCustomError("attempts", 'must be a whole number from 1, or "forever"')


Attempts = Annotated[int | Literal["forever"], BeforeValidator(_attempts_in_range)]


class StrictModel(BaseModel):
    """Wrong types and unknown keys are errors; what was read never changes."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class StopPolicy(StrictModel):
    """What happens when Claude wants to stop while it carries an agent run."""

    action: StopAction = Field(description="What to do at Stop.", examples=["escalate"])
    message: str | None = Field(
        default=None, description="Said to Claude instead of the built-in words.", examples=["Go on."]
    )


class RepeatedPolicy(StrictModel):
    """What all policies share that may be tried more than once before a person is asked."""

    attempts: Attempts = Field(default=1, description='How often, from 1, or "forever"; then escalate.', examples=[3])
    message: str | None = Field(
        default=None, description="Said instead of the built-in words.", examples=["Please go on."]
    )
    cooldown: float = Field(
        default=0, ge=0, allow_inf_nan=False, description="Seconds between two attempts, at least.", examples=[30]
    )

    def has_attempts_left(self, used: int) -> bool:
        return self.attempts == "forever" or used < self.attempts


class IdlePolicy(RepeatedPolicy):
    """What happens when the session waits for input. A gate runs a program and takes exit 0 for done."""

    action: IdleAction = Field(description="What to do at idle.", examples=["nudge"])
    command: Words | None = Field(
        default=None, validate_default=True, description="The program a gate runs.", examples=[["make", "test"]]
    )

    @field_validator("command")
    @classmethod
    def _command_belongs_to_gate(cls, command: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...] | None:
        action = info.data.get("action")
        if action == "gate" and command is None:
            raise PydanticCustomError("gate_command", "is missing: a gate runs a command")
        if action not in (None, "gate") and command is not None:
            raise PydanticCustomError("gate_command", 'is only for the action "gate"')
        return command


class DeadPolicy(RepeatedPolicy):
    """What happens when the session ended or its pane is gone."""

    action: DeadAction = Field(description="What to do when the session is gone.", examples=["resume"])


class ErrorPolicy(RepeatedPolicy):
    """What happens when a turn ends in an error of Claude's service."""

    action: ErrorAction = Field(description="What to do after an error.", examples=["escalate"])
    match: Word | None = Field(default=None, description="Only for this kind of error.", examples=["rate_limit"])

    def covers(self, error_kind: str | None) -> bool:
        return self.match is None or self.match == error_kind


def policy_for_error(policies: Sequence[ErrorPolicy], error_kind: str | None) -> ErrorPolicy | None:
    """The first that covers the error: order in the file is order of preference."""
    return next((policy for policy in policies if policy.covers(error_kind)), None)


def _from_word(value: Any) -> Any:
    return {"action": value} if isinstance(value, str) else value


def _from_one(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


# The forms a file may use. Fields declared with these hold the one object form.
OnStop = Annotated[StopPolicy, BeforeValidator(_from_word, json_schema_input_type=StopAction | StopPolicy)]
OnIdle = Annotated[IdlePolicy, BeforeValidator(_from_word, json_schema_input_type=IdleAction | IdlePolicy)]
OnDead = Annotated[DeadPolicy, BeforeValidator(_from_word, json_schema_input_type=DeadAction | DeadPolicy)]
_OneError = Annotated[ErrorPolicy, BeforeValidator(_from_word, json_schema_input_type=ErrorAction | ErrorPolicy)]
OnError = Annotated[
    tuple[_OneError, ...],
    *FILLED_LIST,
    BeforeValidator(_from_one, json_schema_input_type=ErrorAction | ErrorPolicy | list[ErrorAction | ErrorPolicy]),
]
