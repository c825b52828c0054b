"""What must happen in the outside world. Written as rows by a decision, performed after its commit.

`repeatable` is the rule for after a crash: True, and it is simply done again (with the same idempotency key where the
other side knows such a thing); False, and it becomes *uncertain*, because doing it twice is worse than asking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, ClassVar


@dataclass(frozen=True, kw_only=True)
class Effect:
    repeatable: ClassVar[bool] = True
    lease: ClassVar[timedelta] = timedelta(seconds=120)  # longer than its performer can take

    @property
    def kind(self) -> str:
        return type(self).__name__

    def payload(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class TypeText(Effect):
    """Put a delivery's text into its pane."""

    repeatable = False
    delivery_id: int


@dataclass(frozen=True, kw_only=True)
class AwaitReceipt(Effect):
    """A deadline: look what became of a delivery that went out."""

    delivery_id: int


@dataclass(frozen=True, kw_only=True)
class AwaitStart(Effect):
    """Look whether a spawned Claude Code waits at its prompt; a dialog in its way is told, never answered."""

    first_command: str | None = None
    told: bool = False  # about the dialog


@dataclass(frozen=True, kw_only=True)
class Wake(Effect):
    """Tell the agent. Here is what was known when it was decided; pane, pressure and prompts are read when sent."""

    lease = timedelta(minutes=12)  # OpenClaw's command line returns only after the agent's whole turn
    trigger: str
    state: str
    content: str = ""
    suggested_commands: Sequence[str] = ()
    show_pane: bool = False


@dataclass(frozen=True, kw_only=True)
class Notify(Effect):
    """Call a person."""

    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AwaitHook(Effect):
    """A deadline: an answer that waits for the open hook to take it. If none does, it may go by keys."""

    answer_id: int
    then_keys: bool


@dataclass(frozen=True, kw_only=True)
class KeyAnswer(Effect):
    """Key an answer into the menu on the screen."""

    repeatable = False
    answer_id: int


EFFECTS: dict[str, type[Effect]] = {
    effect.__name__: effect for effect in (TypeText, AwaitReceipt, AwaitStart, Wake, Notify, AwaitHook, KeyAnswer)
}


def effect_from_row(kind: str, payload: Mapping[str, Any]) -> Effect:
    return EFFECTS[kind](**payload)
