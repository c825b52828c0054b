"""The sheet on which a decision is written: every change it wants, in order, checked against the machines.

Nothing here touches the store. `fire` is the only way to a new state, and it asks the machine's table.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from gsd_engine.domain.decision import Change, Insert, Move, Patch, Scheduled, Verdict
from gsd_engine.domain.effects import Effect
from gsd_engine.domain.records import EffectRow, Record
from gsd_engine.domain.replies import LET_GO, Reply
from gsd_engine.machines import MACHINES

R = TypeVar("R", bound=Record)


class Draft:
    def __init__(self, now: datetime) -> None:
        self.now = now
        self._changes: list[Change] = []
        self._effects: list[Scheduled] = []
        self._last_new_id = 0
        self._reply: Reply = LET_GO

    def add(self, record: R, reason: str | None = None) -> R:
        """A new row; the negative id stands for the one the store will give it."""
        self._last_new_id -= 1
        record = replace(record, id=self._last_new_id)
        self._changes.append(Insert(record, reason))
        return record

    def fire(self, record: R, trigger: str, reason: str | None = None, **changes: Any) -> R:
        assert record.machine is not None
        state: str = record.state  # type: ignore[attr-defined]  # every record with a machine has one
        target = MACHINES[record.machine].target(state, trigger, record.id)
        if hasattr(record, "reason"):
            changes["reason"] = reason  # the column says why the row is in the state it is in
        self._changes.append(Move(record, trigger, target, changes, reason))
        return replace(record, **{"state": target, **changes})

    def patch(self, record: R, **changes: Any) -> R:
        changes = {name: value for name, value in changes.items() if getattr(record, name) != value}
        if changes:
            self._changes.append(Patch(record, changes))
        return replace(record, **changes)

    def want(self, effect: Effect, after: timedelta = timedelta()) -> None:
        self._effects.append(Scheduled(effect, self.now + after))

    def drop(self, effect: EffectRow, reason: str) -> None:
        self.fire(effect, "drop", reason, settled_at=self.now)

    def reply(self, reply: Reply) -> None:
        """What the hook is told; without a word from anyone it is let go."""
        self._reply = reply

    def verdict(self, path: str) -> Verdict:
        return Verdict(path, self._reply, tuple(self._changes), tuple(self._effects))
