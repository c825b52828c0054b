"""The one door: every change of state, whatever caused it, is one call of `Engine.step`.

One transaction: record the event ─▶ load rows ─▶ decide (pure) ─▶ save rows, history, effects ─▶ commit. The same event
delivered twice finds its key and changes nothing. An exception leaves nothing behind. Effects are performed by
`dispatch.py`, after the commit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from gsd_engine.clock import Clock, system_clock
from gsd_engine.decide import decide
from gsd_engine.decide.draft import Draft
from gsd_engine.domain.effects import EFFECTS
from gsd_engine.domain.events import EffectReport, Event, TypingBegan
from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.replies import LET_GO, Reply
from gsd_engine.store import effects
from gsd_engine.store import events as event_store
from gsd_engine.store.database import Database
from gsd_engine.store.loading import load_session, load_world
from gsd_engine.store.saving import Saver

Tripwire = Callable[[str], None]
"""Called with the name of each point at which a crash must do no harm; tests die there."""


@dataclass(frozen=True)
class Outcome:
    event_id: int
    path: str
    reply: Reply = LET_GO
    duplicate: bool = False


class Engine:
    def __init__(
        self, database: Database, clock: Clock = system_clock, tripwire: Tripwire = lambda point: None
    ) -> None:
        self.database, self.clock, self.tripwire = database, clock, tripwire

    def step(self, event: Event, payload: str | None = None, invocation: str | None = None) -> Outcome:
        """Take one event through its transaction. `payload` is what was received, where it came from outside.

        `invocation` is a key for events that have no natural one: the id of the process that brought it.
        """
        with self.database.write() as connection:
            outcome = self._step(connection, event, payload, invocation)
            self.tripwire("step: before commit")
        self.tripwire("step: after commit")
        return outcome

    def _step(self, connection: Connection, event: Event, payload: str | None, invocation: str | None) -> Outcome:
        now = self.clock()
        key = event.key or (f"invocation:{invocation}" if invocation else None)
        session = load_session(connection, event.who, now)
        if key is not None and session.id:
            known = event_store.already_known(connection, session.id, key)
            if known is not None:
                return Outcome(known, "duplicate", duplicate=True)
        effect = effects.by_id(connection, event.effect_id) if isinstance(event, EffectReport) else None
        verdict = decide(load_world(connection, session, now, effect, _delivery_meant(event, effect)), event)
        event_id = event_store.record(
            connection,
            session_id=session.id or None,
            kind=event.name,
            source=event.source,
            key=key,
            payload=payload if payload is not None else _as_json(event),
            decision_path=verdict.path,
            received_at=now,
        )
        saver = Saver(connection, now, event_id, session.id or None)
        saver.save(tuple(verdict.changes))
        for scheduled in verdict.effects:
            saver.schedule(scheduled, session.host)
        if not session.id:
            event_store.bind(connection, event_id, saver.session_id)
        return Outcome(event_id, verdict.path, verdict.reply)

    def claim(self, owner: str, host: str) -> EffectRow | None:
        """Take the next due effect for `owner`: nobody else will perform it before the lease ends."""
        with self.database.write() as connection:
            now = self.clock()
            row = effects.next_due(connection, host, now)
            if row is None:
                return None
            draft, lease_until = Draft(now), now + EFFECTS[row.kind].lease
            claimed = draft.fire(row, "claim", claimed_by=owner, lease_until=lease_until, attempts=row.attempts + 1)
            Saver(connection, now, row.event_id, row.session_id).save(tuple(draft.verdict("claim").changes))
            self.tripwire("claim: before commit")
        self.tripwire("claim: after commit")
        return claimed


def _delivery_meant(event: Event, effect: EffectRow | None) -> int | None:
    if isinstance(event, TypingBegan):
        return event.delivery_id
    return effect.payload.get("delivery_id") if effect is not None else None


def _as_json(event: Event) -> str:
    return json.dumps(asdict(event), ensure_ascii=False, default=str)
