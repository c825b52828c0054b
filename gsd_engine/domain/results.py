"""What a performer says of an effect it was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any


@dataclass(frozen=True)
class Done:
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Later:
    """Not now: the same effect again, after so long."""

    after: timedelta
    reason: str


@dataclass(frozen=True)
class Failed:
    """A further attempt cannot help."""

    reason: str


Result = Done | Later | Failed
