"""PreCompact: Claude Code is about to compact its context, by itself or because /compact was typed."""

from gsd_engine.domain.events import Compacting, Event, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    return Compacting(who=who, trigger=payload.trigger, prompt_id=payload.prompt_id)
