"""PermissionRequest: a router by tool name. For AskUserQuestion the hook can carry the answer."""

from collections.abc import Callable

from gsd_engine.domain.events import AnswerWanted, Event, Observed, Who
from gsd_engine.hooks.payload import Payload


def _ask_user_question(payload: Payload, who: Who) -> Event:
    questions = payload.tool_input.get("questions")
    return AnswerWanted(who=who, questions=questions if isinstance(questions, list) else [])


TOOLS: dict[str, Callable[[Payload, Who], Event]] = {"AskUserQuestion": _ask_user_question}


def read(payload: Payload, who: Who) -> Event:
    tool = TOOLS.get(payload.tool_name)
    return tool(payload, who) if tool is not None else Observed(who=who, hook="PermissionRequest", why="other_tool")
