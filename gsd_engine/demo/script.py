"""The play: what the simulated Claude answers, and how the engine's store looks when it is over."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

SESSION = "demo"
FIRST_PROMPT = "Please finish phase 2."
LOOP_PROMPT = "Work through the plan of phase 3."
SIGNAL = "<loop-done>COMPLETE</loop-done>"

_QUESTION = {
    "question": "How shall phase 3 store its plan?",
    "header": "Store",
    "multiSelect": False,
    "options": [
        {"label": "SQLite (Recommended)", "description": "One file, no server"},
        {"label": "Plain files", "description": "Readable with any editor"},
    ],
}


def queues(operations: Container[str]) -> list[list[str]]:
    """What the agent queues, one queue after the other."""
    return [["/clear", "/gsd:plan-phase 3"], *([[LOOP_PROMPT]] if "loop.start" in operations else [])]


def model_script(operations: Container[str]) -> dict[str, Any]:
    planned = "Phase 3 is planned: four tasks, stored as you chose."
    plan = {"say": "One thing is open before I can plan.", "ask": {"questions": [_QUESTION]}}
    return {
        "commands": ["gsd:plan-phase"],
        "seconds": 0.5,
        "rules": [
            {"match": FIRST_PROMPT, "say": "Phase 2 is finished.\n\nNext: `/clear`, then `/gsd:plan-phase 3`."},
            {"match": "/gsd:plan-phase 3", **(plan if "answer" in operations else {"say": planned})},
            {"match": "TOOL_RESULT", "say": planned},
            {"match": LOOP_PROMPT, "say": "Task 1 of 4 is done."},
            {"match": "[ITERATION 1/", "say": "Tasks 2 and 3 are done."},
            {"match": "[ITERATION 2/", "say": f"Task 4 is done, and so is phase 3.\n\n{SIGNAL}"},
        ],
    }
