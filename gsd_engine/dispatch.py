"""Effects, after the commit: claim one under a lease, perform it, report what became of it to `Engine.step`.

Performers come from outside, one per kind of effect. They never raise on purpose; if one does, that is a failure of the
effect, told like any other. A dispatcher that dies leaves a claim behind; `recovery.py` finds it when its lease ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from gsd_engine.domain.effects import Effect, effect_from_row
from gsd_engine.domain.events import EffectReport
from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.results import Done, Failed, Later, Result
from gsd_engine.engine import Engine
from gsd_engine.recovery import recover
from gsd_engine.store import effects

log = logging.getLogger(__name__)

Performer = Callable[[Any, EffectRow], Result]


class Dispatcher:
    def __init__(self, engine: Engine, performers: Mapping[type[Effect], Performer], *, owner: str, host: str) -> None:
        self.engine, self.performers, self.owner, self.host = engine, performers, owner, host

    def run_once(self) -> bool:
        """Perform the next due effect; False where none is due."""
        row = self.engine.claim(self.owner, self.host)
        if row is None:
            return False
        result = self._perform(row)
        self.engine.tripwire("effect: performed")
        self.engine.step(self._report(row, result))
        return True

    def recover(self) -> int:
        return recover(self.engine, self.host)

    def drain(self) -> int:
        """Perform everything that is due now, and what that makes due."""
        self.recover()
        performed = 0
        while self.run_once():
            performed += 1
        self.engine.database.checkpoint()
        return performed

    def is_due(self, within: timedelta = timedelta()) -> bool:
        """Whether something is to be done now, or becomes due within this time."""
        with self.engine.database.read() as connection:
            when = effects.next_time(connection, self.host)
        return when is not None and when <= self.engine.clock() + within

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
        assert row.session_id is not None
        report = partial(EffectReport, who=row.session_id, effect_id=row.id, attempt=row.attempts)
        if isinstance(result, Done):
            return report(outcome="done", detail=result.detail)
        if isinstance(result, Later):
            return report(outcome="retry", reason=result.reason, retry_at=self.engine.clock() + result.after)
        return report(outcome="failed", reason=result.reason)
