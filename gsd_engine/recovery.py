"""After a crash: claims whose lease has ended are found again.

What may be repeated goes back to be performed. What may not (keys that may have gone out) becomes *uncertain*; whether
it arrived is then settled by its receipt or its deadline, never by doing it again.
"""

from __future__ import annotations

from gsd_engine.domain.events import EffectReport
from gsd_engine.engine import Engine
from gsd_engine.store import effects


def recover(engine: Engine, host: str) -> int:
    """Report every expired claim of this host as lost; returns how many there were."""
    with engine.database.read() as connection:
        expired = effects.expired(connection, host, engine.clock())
    for row in expired:
        if row.session_id is not None:
            engine.step(
                EffectReport(
                    who=row.session_id, effect_id=row.id, outcome="lost", attempt=row.attempts, reason="lease expired"
                )
            )
    return len(expired)
