"""The AskUserQuestion tool: PreToolUse, then the menu and the PermissionRequest hooks race, whoever is first wins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gsd_engine.simulation.hooks import HookResult, RunningHook
from gsd_engine.simulation.menu import Answered, Declined, Outcome

CLARIFY = (
    "The user wants to clarify these questions. This means they may have additional information, context or questions "
    "for you. Take their response into account and then reformulate the questions if appropriate."
)


@dataclass(frozen=True)
class Allowed:
    """A hook answered: this input, answers included, is what the tool runs with."""

    tool_input: dict[str, Any]


@dataclass(frozen=True)
class Denied:
    """A hook refused: Claude gets the message as the tool's result and goes on."""

    message: str


Verdict = Allowed | Denied


def verdict_before(results: Sequence[HookResult]) -> Verdict | None:
    """What PreToolUse decided, if anything."""
    for result in results:
        decision, changed = result.specific.get("permissionDecision"), result.specific.get("updatedInput")
        if decision == "deny":
            return Denied(str(result.specific.get("permissionDecisionReason", "")))
        if decision == "allow" and isinstance(changed, dict):
            return Allowed(changed)
        if result.block_reason is not None:
            return Denied(result.block_reason)
    return None


def verdict_of_request(result: HookResult, tool_input: Mapping[str, Any]) -> Verdict | None:
    """What one PermissionRequest hook decided; none leaves the matter to the person at the menu."""
    decision = result.specific.get("decision")
    if not isinstance(decision, dict):
        return None
    if decision.get("behavior") == "deny":
        return Denied(str(decision.get("message", "")))
    if decision.get("behavior") == "allow":
        return Allowed(dict(decision.get("updatedInput") or tool_input))
    return None


async def race(
    menu: Awaitable[Outcome], held: Sequence[RunningHook], tool_input: Mapping[str, Any]
) -> Outcome | Verdict:
    """The first answer of the two. Hooks still open are ended only when the person declined."""
    person = asyncio.ensure_future(menu)
    decided = asyncio.ensure_future(_first_verdict(held, tool_input))
    try:
        await asyncio.wait({person, decided}, return_when=asyncio.FIRST_COMPLETED)
        answer: Outcome | Verdict = person.result() if person.done() else decided.result()
    finally:
        decided.cancel()
    if isinstance(answer, Declined):
        for hook in held:
            hook.terminate()
    return answer


async def _first_verdict(held: Sequence[RunningHook], tool_input: Mapping[str, Any]) -> Verdict:
    """Waits for ever when no hook decides."""
    waiting = {hook.result for hook in held}
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            verdict = verdict_of_request(ended.result(), tool_input)
            if verdict is not None:
                return verdict
    for_ever: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
    return await for_ever


def completed_input(tool_input: Mapping[str, Any], answer: Answered | Allowed) -> dict[str, Any]:
    """The input as PostToolUse reports it: with the answers in it."""
    if isinstance(answer, Allowed):
        return {"answers": {}, **answer.tool_input}
    return {**tool_input, "answers": answer.answers, "annotations": answer.annotations}


def tool_response(completed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: completed[name] for name in ("questions", "answers", "annotations") if name in completed}


def result_text(completed: Mapping[str, Any]) -> str:
    """What Claude reads."""
    answers = completed["answers"].items()
    pairs = ", ".join(f'"{question}"="{answer}"' for question, answer in answers)
    notes = [
        f' user notes: "{remarks["notes"]}"'
        for remarks in completed.get("annotations", {}).values()
        if remarks.get("notes")
    ]
    return (
        f"User has answered your questions: {pairs}.{''.join(notes)} You can now continue with these answers in mind."
    )


def answered_lines(completed: Mapping[str, Any]) -> str:
    return "\n".join(f"· {question} → {answer}" for question, answer in completed["answers"].items())


def declined_lines(tool_input: Mapping[str, Any]) -> str:
    return "\n".join(
        f"· {question['question']} ({' / '.join(option['label'] for option in question['options'])})"
        for question in tool_input["questions"]
    )
