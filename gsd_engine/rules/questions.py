"""Questions in the form an agent reads: what is asked, what can be chosen, and how to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsd_engine.rules.categories import category


def readable_questions(session: str, questions: Sequence[Mapping[str, Any]], command: str | None) -> str:
    lines = ["## AskUserQuestion from Claude Code", "", f"**Session:** {session}"]
    if command is not None:
        lines.append(f"**Running command:** {command}")
    for number, question in enumerate(questions, start=1):
        lines += ["", *_question(number, question)]
    return "\n".join(lines)


def mismatch(wrong: Sequence[tuple[str, str, str]], tool_use_id: str) -> str:
    """What was meant and what Claude received instead, question by question."""
    lines = ["## AskUserQuestion Verification — MISMATCH"]
    for question, intended, received in wrong:
        lines += ["", f"**Question:** {question}", f"**You intended:** {intended}"]
        lines.append(f"**Claude Code received:** {received}")
    return "\n".join([*lines, "", f"**tool_use_id:** {tool_use_id}"])


def _question(number: int, question: Mapping[str, Any]) -> list[str]:
    kind = "multi-select" if question.get("multiSelect") else "single-select"
    title = question.get("header") or question.get("question")
    lines = [f"### Question {number}: {title} ({kind})", str(question.get("question", ""))]
    lines.append(f"Kind: {category(question)}")
    options = question.get("options")
    for index, option in enumerate(options if isinstance(options, list) else []):
        if not isinstance(option, Mapping):
            continue
        description = f" — {option['description']}" if option.get("description") else ""
        lines.append(f"  {index}. {option.get('label', '')}{description}")
    return lines
