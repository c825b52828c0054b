"""What the agent is told about queues, in words that name what was done and what was not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gsd_engine.domain.records import Command


def progress(commands: Sequence[Command]) -> str:
    return f"{sum(c.state == 'done' for c in commands)}/{len(commands)}"


def remaining(commands: Sequence[Command]) -> str:
    return json.dumps([c.command for c in commands if c.state != "done"], ensure_ascii=False)


def queue_complete(commands: Sequence[Command]) -> str:
    lines = [f"Queue complete. {progress(commands)} commands executed."]
    for command in commands:
        lines.append(f"\n{command.position}. {command.command}")
        lines.append(command.result if command.result else "(no message)")
    return "\n".join(lines)


def queue_cancelled(commands: Sequence[Command], why: str) -> str:
    return f"Queue cancelled by {why}. Completed: {progress(commands)}. Remaining: {remaining(commands)}"


def queue_stale(commands: Sequence[Command]) -> str:
    return (
        f"Previous session had unfinished queue. Completed: {progress(commands)}. Remaining: {remaining(commands)}. "
        "Nothing was typed again."
    )


def queue_failed(commands: Sequence[Command], failed: Command, reason: str) -> str:
    return (
        f"Queue failed at command {failed.position}, {failed.command}: {reason}. "
        f"Completed: {progress(commands)}. Remaining: {remaining(commands)}. Nothing will be typed again by itself."
    )


def delivery_in_doubt(text: str, reason: str) -> str:
    return f"It is not known whether Claude Code received this text ({reason}); it was not typed again:\n{text}"


def not_delivered(text: str, reason: str) -> str:
    return f"This text was not submitted to Claude Code ({reason}):\n{text}"


def put_right(command: Command) -> str:
    return f"The receipt of {command.command} came late: it did arrive, and its queue goes on."


def response(message: str, background: Sequence[Mapping[str, Any]]) -> str:
    """Claude's message, and a word about work that goes on behind it."""
    if not background:
        return message
    names = ", ".join(str(task.get("description") or task.get("id") or task.get("type") or task) for task in background)
    return f"{message}\n\nStill running in the background: {names}"


def api_error(kind: str, message: str) -> str:
    said = f"\n{message}" if message else ""
    return f"The turn ended with an API error: {kind}. The active command, if any, is not done.{said}"


def compacting(trigger: str) -> str:
    return f"Claude Code is about to compact its context ({trigger})."


def session_lost(reason: str) -> str:
    return f"Claude Code is gone without a word ({reason})."


def startup_dialog(session: str) -> str:
    return (
        "Claude Code shows a dialog of its start and waits for a person: it is never answered by the engine. "
        f"Attach to answer it: gsd-engine session attach {session}"
    )


def not_started(first_command: str | None, reason: str) -> str:
    untyped = f" The first command was not typed: {first_command}" if first_command else ""
    return f"Claude Code was spawned and is not ready: {reason}.{untyped}"


def session_ended(reason: str) -> str:
    return f"Claude Code ended ({reason})."
