"""PreToolUse: a router by tool name. Another tool is one more line in `TOOLS`."""

from collections.abc import Callable

from gsd_engine.domain.events import Event, Observed, QuestionAsked, Who
from gsd_engine.hooks.payload import Payload


def _ask_user_question(payload: Payload, who: Who) -> Event:
    questions = payload.tool_input.get("questions")
    if payload.tool_use_id is None or not isinstance(questions, list) or not questions:
        return Observed(who=who, hook="PreToolUse", why="no_question")
    return QuestionAsked(who=who, tool_use_id=payload.tool_use_id, questions=questions, prompt_id=payload.prompt_id)


TOOLS: dict[str, Callable[[Payload, Who], Event]] = {"AskUserQuestion": _ask_user_question}


def read(payload: Payload, who: Who) -> Event:
    tool = TOOLS.get(payload.tool_name)
    return tool(payload, who) if tool is not None else Observed(who=who, hook="PreToolUse", why="other_tool")
