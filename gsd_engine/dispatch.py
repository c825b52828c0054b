"""Effects, after the commit: claim one under a lease, perform it, report what became of it to `Engine.step`.

Performers come from outside, one per kind of effect. They never raise on purpose; if one does, that is a failure of the
effect, told like any other. A dispatcher that dies leaves a claim behind; `recovery.py` finds it when its lease ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from gsd_engine.domain.effects import Effect, effect_from_row
from gsd_engine.domain.events import EffectReport
from gsd_engine.domain.records import EffectRow
from gsd_engine.engine import Engine
from gsd_engine.recovery import recover
from gsd_engine.store import effects

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=120)
"""Longer than any performer works (typing waits up to 30 s for a draft, a gateway up to 30 s for an answer)."""


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
Performer = Callable[[Any, EffectRow], Result]


class Dispatcher:
    def __init__(
        self,
        engine: Engine,
        performers: Mapping[type[Effect], Performer],
        *,
        owner: str,
        host: str,
        lease: timedelta = LEASE,
    ) -> None:
        self.engine, self.performers, self.owner, self.host, self.lease = engine, performers, owner, host, lease

    def run_once(self) -> bool:
        """Perform the next due effect; False where none is due."""
        row = self.engine.claim(self.owner, self.host, self.lease)
        if row is None:
            return False
        result = self._perform(row)
        self.engine.tripwire("effect: performed")
        self.engine.step(self._report(row, result))
        return True

    def drain(self) -> int:
        """Perform everything that is due now, and what that makes due."""
        recover(self.engine, self.host)
        performed = 0
        while self.run_once():
            performed += 1
        self.engine.database.checkpoint()
        return performed

    def next_due(self) -> datetime | None:
        with self.engine.database.read() as connection:
            return effects.next_time(connection, self.host)

    def _perform(self, row: EffectRow) -> Result:
        effect = effect_from_row(row.kind, row.payload)
        performer = self.performers.get(type(effect))
        if performer is None:
            return Failed(f"nothing performs {row.kind}")
        try:
            return performer(effect, row)
        except Exception as error:
            log.exception("effect %s (%s) failed", row.id, row.kind)
            return Failed(f"{type(error).__name__}: {error}")

    def _report(self, row: EffectRow, result: Result) -> EffectReport:
        who = row.session_id
        assert who is not None
        if isinstance(result, Done):
            return EffectReport(who=who, effect_id=row.id, outcome="done", detail=result.detail)
        if isinstance(result, Later):
            when = self.engine.clock() + result.after
            return EffectReport(who=who, effect_id=row.id, outcome="retry", reason=result.reason, retry_at=when)
        return EffectReport(who=who, effect_id=row.id, outcome="failed", reason=result.reason)
