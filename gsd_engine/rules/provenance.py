"""Who submitted a prompt, as far as its payload tells. Prompts that no person typed cancel nothing."""

from __future__ import annotations

# Claude Code submits these itself, for instance when a background task ends.
_MACHINE_PREFIXES = ("<task-notification>", "<background-task", "<system-reminder>")


def typed_by_person(prompt: str, source: str | None) -> bool:
    if source is not None and source != "user":
        return False
    return not prompt.lstrip().startswith(_MACHINE_PREFIXES)
