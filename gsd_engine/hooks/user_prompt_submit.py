"""UserPromptSubmit: a prompt was submitted, by a person, by the engine's own typing, or by Claude Code itself."""

from gsd_engine.domain.events import Event, PromptSubmitted, Who
from gsd_engine.hooks.payload import Payload
from gsd_engine.rules.provenance import typed_by_person


def read(payload: Payload, who: Who) -> Event:
    by_person = typed_by_person(payload.prompt, payload.source)
    return PromptSubmitted(who=who, prompt=payload.prompt, prompt_id=payload.prompt_id, by_person=by_person)
