"""Prompt files: what the agent is asked to do about each trigger, read when it is said.

A file's `{{name}}` is filled in. A name that nobody gives is an error where `strict` asks for it (the tests), and left
out at run time: a prompt with a gap is better than no wake.
"""

from __future__ import annotations

import logging
import re
from importlib.resources import files

log = logging.getLogger(__name__)

_VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")

_FILES = {
    "response_complete": "stop.md",
    "session_start": "stop.md",
    "idle": "idle.md",
    "permission": "permission.md",
    "question": "question.md",
    "mismatch": "mismatch.md",
    "queue_complete": "queue_complete.md",
    "queue_cancelled": "queue_cancelled.md",
    "queue_stale": "queue_stale.md",
    "queue_failed": "queue_failed.md",
    "pre_compact": "pre_compact.md",
    "stop_failure": "stop_failure.md",
    "session_end": "session_end.md",
    "delivery_uncertain": "delivery_uncertain.md",
}
TRIGGERS = tuple(_FILES)


def prompt_for(trigger: str, *, strict: bool = False, **variables: str) -> str:
    try:
        text = (files("gsd_engine") / "prompts" / _FILES[trigger]).read_text("utf-8")
    except (KeyError, OSError):
        if strict:
            raise
        log.warning("no prompt for trigger %s", trigger)
        return ""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in variables and not strict:
            log.warning("prompt for %s wants %s, which nobody gave", trigger, name)
            return ""
        return variables[name]

    return _VARIABLE.sub(value, text).strip()
