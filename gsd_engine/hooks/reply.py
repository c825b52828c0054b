"""How Claude Code wants to be answered: exit codes and JSON, known here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gsd_engine.domain.replies import Answer, Block, Deny, LetGo, Reply


@dataclass(frozen=True)
class Output:
    """What the hook's process writes and how it ends. Silence and 0 is what never traps anyone."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


SILENCE = Output()


def output_for(reply: Reply, tool_input: Mapping[str, Any]) -> Output:
    if isinstance(reply, LetGo):
        return SILENCE
    if isinstance(reply, Block):
        return _block(reply)
    if isinstance(reply, Answer):
        updated = {**tool_input, "answers": dict(reply.answers)}
        if reply.annotations:
            updated["annotations"] = dict(reply.annotations)
        return _permission({"behavior": "allow", "updatedInput": updated})
    if isinstance(reply, Deny):
        return _permission({"behavior": "deny", "message": reply.message})
    return SILENCE


def _block(block: Block) -> Output:
    decision = json.dumps({"decision": "block", "reason": block.reason}, ensure_ascii=False)
    if not block.loud:
        return Output(stdout=decision)
    # Exit 2 and the reason on stderr as well: older versions of Claude Code read only that.
    return Output(stdout=decision, stderr=block.reason, exit_code=2)


def _permission(decision: Mapping[str, Any]) -> Output:
    specific = {"hookEventName": "PermissionRequest", "decision": decision}
    return Output(stdout=json.dumps({"hookSpecificOutput": specific}, ensure_ascii=False))
