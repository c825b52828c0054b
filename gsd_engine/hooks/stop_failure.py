"""StopFailure: the turn ended with an API error; no Stop follows."""

from gsd_engine.domain.events import Event, StopFailed, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    return StopFailed(who=who, error=payload.error, message=payload.last_assistant_message, prompt_id=payload.prompt_id)
