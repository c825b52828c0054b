"""One prompt, from its submission to Stop: hooks, scripted answers, tools, blocks, errors.

A turn is a task. Esc cancels it: no hook tells of that; a prompt that had no answer yet goes back to the input line.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import uuid
from typing import Any, Protocol

from gsd_engine.simulation import question
from gsd_engine.simulation.hooks import HookResult, Hooks
from gsd_engine.simulation.menu import Answered, ChatChosen, Declined, Outcome
from gsd_engine.simulation.screen import Block, answer_block, result_block, tool_block
from gsd_engine.simulation.script import Script
from gsd_engine.simulation.session import Session
from gsd_engine.simulation.transcript import Transcript

STOP_BLOCK_CAP = 8
PERMISSION_NOTICE_SECONDS = 6.0


class Stage(Protocol):
    """What a turn needs of the program around it."""

    session: Session
    hooks: Hooks
    script: Script
    transcript: Transcript

    def show(self, block: Block) -> None: ...

    async def ask_person(self, tool_input: dict[str, Any]) -> Outcome: ...

    def close_menu(self) -> None: ...

    def failed(self, kind: str, message: str) -> None: ...


class TurnDeclinedError(Exception):
    """The person declined the questions: the turn is over, and there is no Stop."""


class Turn:
    """`answered` tells whether anything came out yet; until then an interrupt leaves no trace."""

    def __init__(self, stage: Stage, text: str, command: tuple[str, str] | None = None) -> None:
        self.stage = stage
        self.text = text
        self.command = command
        self.answered = False
        self.completed = False
        self.failed = False
        self.blocks = 0
        self.last_message = ""

    async def run(self) -> None:
        self.stage.session.new_prompt()
        refusal = await self._submit()
        if refusal is not None:
            self.stage.show(result_block(f"Operation blocked by hook:\n{refusal}"))
            return
        self.stage.script.received(typed=self.text)
        try:
            await self._answer_until_stopped(self.text)
        except TurnDeclinedError:
            return

    async def _submit(self) -> str | None:
        """Fires the hooks of the submission; returns why one of them refused it."""
        session = self.stage.session
        events = [session.payload("UserPromptSubmit", prompt=self.text)]
        if self.command:
            expansion = session.payload(
                "UserPromptExpansion",
                expansion_type="slash_command",
                command_name=self.command[0],
                command_args=self.command[1],
                command_source="projectSettings",
                prompt=self.text,
            )
            events.insert(1 if session.dialect.submit_precedes_expansion else 0, expansion)
        for payload in events:
            reasons = [result.block_reason for result in await self.stage.hooks.fire(payload)]
            refusal = next((reason for reason in reasons if reason is not None), None)
            if refusal is not None:
                return refusal
        return None

    async def _answer_until_stopped(self, newest: str) -> None:
        while True:
            answer = self.stage.script.answer(newest)
            await asyncio.sleep(float(answer["seconds"]))
            self._output_begins()
            if "error" in answer:
                await self._fail(answer["error"])
                return
            result = await self._speak_and_act(answer)
            goes_on = f"TOOL_RESULT {result}" if result is not None else await self._stop()
            if goes_on is None:
                return
            newest = goes_on

    def _output_begins(self) -> None:
        if not self.answered:
            self.answered = True
            self.stage.transcript.user(self.text)

    async def _speak_and_act(self, answer: dict[str, Any]) -> str | None:
        """Shows the text and makes the tool call of an answer; returns the tool's result."""
        tool = _tool_of(answer)
        content: list[dict[str, Any]] = []
        if answer.get("say"):
            self.last_message = str(answer["say"])
            content.append({"type": "text", "text": self.last_message})
            self.stage.show(answer_block(self.last_message))
        if tool:
            content.append({"type": "tool_use", **tool})
        self.stage.transcript.assistant(content, int(answer["tokens"]), "tool_use" if tool else "end_turn")
        if tool is None:
            return None
        result = await (self._ask(tool) if tool["name"] == "AskUserQuestion" else self._execute(tool, answer["run"]))
        self.stage.transcript.tool_result(tool["id"], result)
        self.stage.script.received(tool_result=result)
        return result

    async def _execute(self, tool: dict[str, Any], argv: list[str]) -> str:
        """A Bash call; it needs no permission in this mode."""
        self.stage.show(tool_block(f"Bash({tool['input']['command']})"))
        verdict = question.verdict_before(await self._fire_tool("PreToolUse", tool, tool_use_id=tool["id"]))
        if isinstance(verdict, question.Denied):
            return verdict.message
        output = await _run_program(argv, self.stage.hooks.environment())
        self.stage.show(result_block(output or "(No output)"))
        response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        await self._fire_tool("PostToolUse", tool, tool_response=response, tool_use_id=tool["id"], duration_ms=1)
        return output

    async def _ask(self, tool: dict[str, Any]) -> str:
        before = await self._fire_tool("PreToolUse", tool, tool_use_id=tool["id"])
        answer: Outcome | question.Verdict | None = question.verdict_before(before)
        if answer is None:
            answer = await self._menu_or_hook(tool["input"])
        if isinstance(answer, Answered | question.Allowed):
            return await self._report_answers(tool, answer)
        self.stage.show(tool_block(self.stage.session.dialect.declined))
        self.stage.show(result_block(question.declined_lines(tool["input"])))
        if isinstance(answer, Declined):
            raise TurnDeclinedError
        return question.CLARIFY if isinstance(answer, ChatChosen) else answer.message

    async def _menu_or_hook(self, tool_input: dict[str, Any]) -> Outcome | question.Verdict:
        """The menu is on the screen before the hooks are started, and while they run."""
        person = asyncio.ensure_future(self.stage.ask_person(tool_input))
        await asyncio.sleep(0)
        payload = self.stage.session.payload(
            "PermissionRequest", tool_name="AskUserQuestion", tool_input={"questions": tool_input["questions"]}
        )
        notice = asyncio.create_task(self._permission_notice())
        try:
            return await question.race(person, self.stage.hooks.start(payload), tool_input)
        finally:
            person.cancel()
            notice.cancel()
            self.stage.close_menu()

    async def _permission_notice(self) -> None:
        await asyncio.sleep(self.stage.script.setting("permission_seconds", PERMISSION_NOTICE_SECONDS))
        message = "Claude Code needs your permission"
        payload = self.stage.session.payload("Notification", message=message, notification_type="permission_prompt")
        await self.stage.hooks.fire(payload)

    async def _report_answers(self, tool: dict[str, Any], answer: Answered | question.Allowed) -> str:
        completed = question.completed_input(tool["input"], answer)
        self.stage.show(tool_block(self.stage.session.dialect.answered))
        self.stage.show(result_block(question.answered_lines(completed)))
        response = question.tool_response(completed)
        done = {**tool, "input": completed}
        await self._fire_tool("PostToolUse", done, tool_response=response, tool_use_id=tool["id"], duration_ms=1)
        return question.result_text(completed)

    async def _fire_tool(self, event: str, tool: dict[str, Any], **fields: Any) -> list[HookResult]:
        payload = self.stage.session.payload(event, tool_name=tool["name"], tool_input=tool["input"], **fields)
        return await self.stage.hooks.fire(payload)

    async def _stop(self) -> str | None:
        """Ends the turn, unless a hook blocks that: then its reason is what the model reads next."""
        payload = self.stage.session.payload(
            "Stop",
            stop_hook_active=self.blocks > 0,
            last_assistant_message=self.last_message,
            background_tasks=[],
            session_crons=[],
        )
        reason = _why_go_on(await self.stage.hooks.fire(payload))
        if reason is None:
            self.completed = True
            return None
        self.blocks += 1
        return self._blocked(reason)

    def _blocked(self, reason: str) -> str | None:
        environment = self.stage.hooks.environment()
        if self.blocks > int(environment.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP") or STOP_BLOCK_CAP):
            words = f"A hook blocked the turn from ending {self.blocks} consecutive times; the turn ends anyway"
            self.stage.show(answer_block(words))
            self.completed = True
            return None
        self.stage.show(answer_block("Ran 1 stop hook (ctrl+o to expand)"))
        self.stage.show(result_block(f"Stop hook error: {reason}"))
        self.stage.transcript.user(f"Stop hook feedback:\n{reason}")
        self.stage.script.received(stop_feedback=reason)
        return reason

    async def _fail(self, error: dict[str, Any]) -> None:
        """An API error ends the turn with StopFailure and without Stop."""
        kind, message = str(error["kind"]), str(error["message"])
        self.stage.transcript.api_error(message, kind)
        self.stage.failed(kind, message)
        self.failed = True
        payload = self.stage.session.payload("StopFailure", error=kind, last_assistant_message=message)
        await self.stage.hooks.fire(payload)


def _tool_of(answer: dict[str, Any]) -> dict[str, Any] | None:
    use = {"id": f"toolu_{uuid.uuid4().hex[:20]}"}
    if "ask" in answer:
        return {**use, "name": "AskUserQuestion", "input": json.loads(json.dumps(answer["ask"]))}
    if "run" in answer:
        return {**use, "name": "Bash", "input": {"command": shlex.join(answer["run"])}}
    return None


async def _run_program(argv: list[str], environment: dict[str, str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return output.decode("utf-8", "replace").rstrip("\n")


def _why_go_on(results: list[HookResult]) -> str | None:
    reasons = [result.block_reason for result in results if result.block_reason is not None]
    reasons += [
        str(result.specific["additionalContext"]) for result in results if "additionalContext" in result.specific
    ]
    return "\n".join(reasons) if reasons else None
