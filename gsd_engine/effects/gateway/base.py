"""What every gateway promises: one call is one attempt, and its outcome says whether another can help.

A gateway never waits between attempts, never counts them and never raises for trouble on the other side: it
returns `Delivered`, `TryAgain` or `GaveUp`. The dispatcher counts, waits (`delay_before`) and records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

# Seconds to wait after the 1st and the 2nd failed attempt; a 3rd failure is the last (SPEC 9).
DELAYS = (2.0, 4.0)
REASON_LIMIT = 300


@dataclass(frozen=True)
class Wake:
    """What is to be said, and to whom."""

    message: str
    agent_id: str
    session: str
    trigger: str
    event_id: int
    idempotency_key: str
    openclaw_session_id: str | None = None


@dataclass(frozen=True)
class Delivered:
    """The other side has taken the message; `detail` is its own name for that, e.g. a run id."""

    detail: str = ""


@dataclass(frozen=True)
class TryAgain:
    """It failed in a way that may pass; `after` is how many seconds the other side asked us to wait."""

    reason: str
    after: float | None = None


@dataclass(frozen=True)
class GaveUp:
    """It failed in a way that another attempt cannot mend."""

    reason: str


Outcome = Delivered | TryAgain | GaveUp


class Gateway(Protocol):
    """A way to wake the agent."""

    kind: str

    def wake(self, wake: Wake) -> Outcome:
        """One attempt to hand the message over."""
        ...

    def ask(self, wake: Wake, seconds: float) -> str | None:
        """The agent's answer within that time; None is no answer, for whatever cause. Never raises."""
        ...

    def check(self) -> str | None:
        """None: usable. Else one line that says what is wrong and what to do."""
        ...


def delay_before(attempt: int) -> float | None:
    """Seconds to wait once `attempt` attempts (1, 2, …) have failed; None: give up."""
    return DELAYS[attempt - 1] if 1 <= attempt <= len(DELAYS) else None


def session_key(wake: Wake) -> str:
    """The agent's conversation about one tmux session.

    OpenClaw admits only keys with a prefix that its owner allowed (`hook:`), so a bare id is given one; an id with a
    colon is a key already.
    """
    own = wake.openclaw_session_id or wake.session
    return own if wake.openclaw_session_id and ":" in own else f"hook:claude:{own}"


def one_line(text: str, secrets: Iterable[str | None] = ()) -> str:
    """Foreign text made fit for a log line: no secrets, no control characters, not long."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "[secret]")
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return folded if len(folded) <= REASON_LIMIT else folded[: REASON_LIMIT - 1] + "…"
