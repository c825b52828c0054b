"""Stop: Claude wants to end its turn."""

from gsd_engine.domain.events import Event, Stopped, Who
from gsd_engine.hooks.payload import Payload


def read(payload: Payload, who: Who) -> Event:
    background = [*payload.background_tasks, *payload.session_crons]
    return Stopped(
        who=who,
        prompt_id=payload.prompt_id,
        stop_hook_active=payload.stop_hook_active,
        message=payload.last_assistant_message,
        background=[task if isinstance(task, dict) else {"id": task} for task in background],
    )
