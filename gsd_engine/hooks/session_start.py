"""SessionStart: Claude Code was started, resumed, cleared or compacted; `source` says which."""

from gsd_engine.domain.events import Event, SessionStarted, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    return SessionStarted(who=who, how=payload.source or "startup")
