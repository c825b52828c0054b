"""What kind of question it is: a hint for the agent, from the words alone, who decides for itself.

Six kinds, each with the strategy that the prompt file spells out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_DELEGATES = re.compile(r"\byou decide\b|\bclaude'?s? (?:discretion|choice)\b|\byour call\b", re.IGNORECASE)
_OPEN = re.compile(r"\bsomething else\b|\btype (?:something|what)\b|\bother\b", re.IGNORECASE)
_AFFIRMS = re.compile(r"^(?:yes|proceed|continue|go ahead|confirm|approve|ok(?:ay)?|start|looks good)\b", re.IGNORECASE)
_STYLE = re.compile(r"\b(?:naming|style|format|convention|layout|case|wording|colou?r|prefer)\b", re.IGNORECASE)


def category(question: Mapping[str, Any]) -> str:
    found = question.get("options")
    options = [option for option in found if isinstance(option, Mapping)] if isinstance(found, list) else []
    labels = [str(option.get("label", "")) for option in options]
    if question.get("multiSelect"):
        return "scope selection"
    if len(labels) <= 2 and any(_AFFIRMS.match(label.strip()) for label in labels):
        return "confirmation"
    if any(_DELEGATES.search(label) for label in labels):
        return "delegation"
    if any(_OPEN.search(label) for label in labels):
        return "open floor"
    words = f"{question.get('header', '')} {question.get('question', '')}"
    return "style preference" if _STYLE.search(words) else "architecture decision"
