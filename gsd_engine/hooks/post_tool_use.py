"""PostToolUse: a router by tool name. For AskUserQuestion it tells what Claude received."""

from collections.abc import Callable

from gsd_engine.domain.events import Event, Observed, QuestionAnswered, Who
from gsd_engine.hooks.payload import Payload


def _ask_user_question(payload: Payload, who: Who) -> Event:
    if payload.tool_use_id is None:
        return Observed(who=who, hook="PostToolUse", why="no_question")
    answers, annotations = payload.tool_response.get("answers"), payload.tool_response.get("annotations")
    return QuestionAnswered(
        who=who,
        tool_use_id=payload.tool_use_id,
        answers=answers if isinstance(answers, dict) else {},
        annotations=annotations if isinstance(annotations, dict) else {},
    )


TOOLS: dict[str, Callable[[Payload, Who], Event]] = {"AskUserQuestion": _ask_user_question}


def read(payload: Payload, who: Who) -> Event:
    tool = TOOLS.get(payload.tool_name)
    return tool(payload, who) if tool is not None else Observed(who=who, hook="PostToolUse", why="other_tool")
