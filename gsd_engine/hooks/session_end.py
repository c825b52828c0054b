"""SessionEnd: Claude Code ends, or only changes its session id (`clear`, `resume`)."""

from gsd_engine.domain.events import Event, SessionFinished, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    return SessionFinished(who=who, reason=payload.reason)
