"""The program: keys in, one job at a time (a turn or a slash command), screen out.

Whatever is submitted while a job runs is queued and submitted afterwards, in order. Start-up is a job too.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import signal
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from gsd_engine.simulation.dialect import Dialect
from gsd_engine.simulation.editor import Editor
from gsd_engine.simulation.hooks import Hooks
from gsd_engine.simulation.keys import Key, KeyDecoder
from gsd_engine.simulation.menu import Menu, Outcome, open_menu, press
from gsd_engine.simulation.screen import (
    Block,
    View,
    answer_block,
    compose,
    local_result_block,
    prompt_block,
    result_block,
    warning_block,
    worked_block,
)
from gsd_engine.simulation.script import Script
from gsd_engine.simulation.session import Session
from gsd_engine.simulation.terminal import Terminal
from gsd_engine.simulation.transcript import Transcript
from gsd_engine.simulation.turn import Turn

IDLE_NOTICE_SECONDS = 60.0
ESCAPE_SECONDS = 0.03
REWIND_SECONDS = 0.4
TICK_SECONDS = 0.12
_VERBS = (("Brewing", "Brewed"), ("Cooking", "Cooked"), ("Churning", "Churned"), ("Working", "Worked"))
_SUMMARY = "<summary>short</summary>"


class Program:
    """The state of the running program; it is the `Stage` of its turns."""

    def __init__(self, terminal: Terminal, session: Session, hooks: Hooks, script: Script) -> None:
        self.terminal = terminal
        self.session = session
        self.hooks = hooks
        self.script = script
        self.transcript = Transcript(session)
        self.editor = Editor()
        self.decoder = KeyDecoder()
        self.blocks: list[Block] = []
        self.queued: list[tuple[str, str]] = []
        self.ghost = ""
        self.job: asyncio.Task[None] | None = None
        self.turn: Turn | None = None
        self.verb: str | None = None
        self.turn_began = 0.0
        self.menu: Menu | None = None
        self.menu_opened = 0.0
        self.menu_answer: asyncio.Future[Outcome] | None = None
        self.idle_notice: asyncio.Task[None] | None = None
        self.rewinding = False
        self.last_escape = 0.0
        self.over = asyncio.Event()

    @property
    def dialect(self) -> Dialect:
        return self.session.dialect

    async def run(self, source: str) -> None:
        """Runs until /exit or a signal that ends it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(number, self.over.set)
        loop.add_signal_handler(signal.SIGWINCH, self.redraw)
        loop.add_reader(self.terminal.input, self._readable)
        ticking = asyncio.create_task(self._tick())
        self.ghost = self.script.ghost()
        self._start(self._started(source))
        self.redraw()
        await self.over.wait()
        ticking.cancel()

    # What is on the screen

    def redraw(self) -> None:
        view = View(
            dialect=self.dialect,
            directory=str(self.session.directory),
            blocks=tuple(self.blocks),
            input_text=self.editor.shown,
            ghost=self.ghost,
            queued=tuple(shown for shown, _ in self.queued),
            working=self.verb,
            seconds=int(time.monotonic() - self.turn_began),
            menu=self.menu,
            rewinding=self.rewinding,
            ticks=int(time.monotonic() / TICK_SECONDS),
        )
        self.terminal.draw(compose(view, *self.terminal.size))

    def show(self, block: Block) -> None:
        self.blocks.append(block)
        self.redraw()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self.verb is not None:
                self.redraw()

    # Keys

    def _readable(self) -> None:
        data = self.terminal.read()
        if not data:
            self.over.set()
            return
        self._press_all(self.decoder.feed(data))
        if self.decoder.waits_for_more:
            asyncio.get_running_loop().call_later(ESCAPE_SECONDS, self._flush_escape)

    def _flush_escape(self) -> None:
        self._press_all(self.decoder.flush())

    def _press_all(self, keys: list[Key]) -> None:
        for key in keys:
            self._press(key)
        self.redraw()

    def _press(self, key: Key) -> None:
        if self.rewinding:
            self.rewinding = key.name not in {"Escape", "Enter"}
        elif self.menu is not None:
            self._press_in_menu(key)
        elif key.name == "Enter":
            self._entered()
        elif key.name in {"Escape", "Interrupt"}:
            self._escaped(key)
        elif key.name == "EndOfInput" and not self.editor.shown:
            self.submit("/exit", "/exit")
        else:
            self.editor.press(key)

    def _press_in_menu(self, key: Key) -> None:
        assert self.menu is not None
        self.menu, outcome = press(self.menu, key, time.monotonic() - self.menu_opened)
        if outcome is not None and self.menu_answer is not None and not self.menu_answer.done():
            self.menu_answer.set_result(outcome)

    def _entered(self) -> None:
        shown, text = self.editor.take()
        if text and self.job is not None:
            self.queued.append((shown, text))
        elif text:
            self.submit(shown, text)

    def _escaped(self, key: Key) -> None:
        """During a turn it interrupts; at the prompt two of them close together open Rewind, or empty the line."""
        if self.turn is not None and self.job is not None:
            self.job.cancel()
            return
        twice = time.monotonic() - self.last_escape < REWIND_SECONDS
        self.last_escape = time.monotonic()
        if key.name == "Interrupt" or (twice and self.editor.shown):
            self.editor = Editor()
        elif twice:
            self.rewinding = True

    # Jobs

    def submit(self, shown: str, text: str) -> None:
        self._forget_idle_notice()
        self.ghost = ""
        slash = re.fullmatch(r"/([\w:.-]+)(?:\s+(.*))?", text, re.DOTALL)
        if slash:
            self._start(self._slash_command(shown, text, slash[1], slash[2] or ""))
        else:
            self._start(self._take_turn(shown, Turn(self, text)))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.job = asyncio.create_task(work)
        self.job.add_done_callback(self._job_ended)

    def _job_ended(self, job: asyncio.Task[None]) -> None:
        self.job = None
        if not job.cancelled() and job.exception() is not None:
            self.show(answer_block(f"The simulation failed: {job.exception()!r}"))
        if self.queued and not self.over.is_set():
            self.submit(*self.queued.pop(0))
        self.redraw()

    async def _started(self, source: str) -> None:
        await self.hooks.fire(self.session.payload("SessionStart", source=source, model=self.dialect.model))

    async def _slash_command(self, shown: str, text: str, name: str, arguments: str) -> None:
        if name in {"clear", "compact", "exit", "quit"}:
            await {"clear": self._clear, "compact": self._compact}.get(name, self._exit)(arguments)
        elif self.script.knows_command(name):
            await self._take_turn(shown, Turn(self, text, (name, arguments)))
        else:
            self._unknown_command(name, arguments)

    def _unknown_command(self, name: str, arguments: str) -> None:
        """No hook hears of it: the screen alone tells."""
        self.show(warning_block(f"Unknown command: /{name}"))
        if arguments:
            self.show(warning_block(f"Args from unknown skill: {arguments}"))

    async def _take_turn(self, shown: str, turn: Turn) -> None:
        working, worked = random.choice(_VERBS)  # noqa: S311 - a word on the screen, not a secret
        before = len(self.blocks)
        self.turn, self.verb, self.turn_began = turn, working, time.monotonic()
        self.show(prompt_block(shown, self.dialect))
        try:
            await turn.run()
        except asyncio.CancelledError:
            self._interrupted(turn, before)
            return
        finally:
            self.turn = self.verb = None
        if turn.completed or (turn.failed and not self.dialect.says_when_done):
            self.show(worked_block(self._worked(worked)))
        if turn.completed:
            self._plan_idle_notice()

    def _worked(self, verb: str) -> str:
        clock = f" · done {time.strftime('%I:%M %p').lstrip('0')}" if self.dialect.says_when_done else ""
        return f"{verb} for {int(time.monotonic() - self.turn_began)}s{clock}"

    def _interrupted(self, turn: Turn, before: int) -> None:
        if turn.answered:
            self.transcript.user("[Request interrupted by user]")
            self.show(result_block("Interrupted · What should Claude do instead?"))
        else:
            del self.blocks[before:]
        texts = ([] if turn.answered else [turn.text]) + [text for _, text in self.queued]
        self.queued.clear()
        if texts:
            self.editor.put("\n".join(texts))

    def failed(self, kind: str, message: str) -> None:
        block = answer_block(message) if kind == "rate_limit" else result_block(message)
        self.show(block)
        if self.dialect.suggests_after_errors:
            retry = "Resend your message to try again"
            self.ghost = retry if kind == "rate_limit" else "Once fixed, resend your message"

    async def _clear(self, _arguments: str) -> None:
        self.session.new_prompt()
        await self.hooks.fire(self.session.payload("SessionEnd", reason="clear"))
        self.session.renew()
        self.transcript = Transcript(self.session)
        self.blocks = [prompt_block("/clear", self.dialect)]
        self.redraw()
        await self.hooks.fire(self.session.payload("SessionStart", source="clear"))

    async def _compact(self, instructions: str) -> None:
        session, fire = self.session, self.hooks.fire
        session.new_prompt()
        self.show(prompt_block("/compact", self.dialect))
        before = session.payload("PreCompact", trigger="manual", custom_instructions=instructions or None)
        after = session.payload("PostCompact", trigger="manual", compact_summary=_SUMMARY)
        await fire(before)
        await fire(session.subagent_stop(_SUMMARY))
        self.transcript.compact_boundary(150020)
        await fire(session.payload("SessionStart", source="compact", model=self.dialect.model))
        await fire(after)
        ran = [
            (event["hook_event_name"], hook.name) for event in (before, after) for hook in self.hooks.matching(event)
        ]
        lines = [f"{event} [{name}] completed successfully" for event, name in ran]
        self.show(local_result_block("\n".join(["Compacted (ctrl+o to see full summary)", *lines])))

    async def _exit(self, _arguments: str) -> None:
        self.session.new_prompt()
        await self.hooks.fire(self.session.payload("SessionEnd", reason="prompt_input_exit"))
        self.over.set()

    # Questions and notices

    async def ask_person(self, tool_input: dict[str, Any]) -> Outcome:
        self.menu = open_menu(tool_input, self.dialect)
        self.menu_opened = time.monotonic()
        self.menu_answer = asyncio.get_running_loop().create_future()
        self.redraw()
        return await self.menu_answer

    def close_menu(self) -> None:
        self.menu = self.menu_answer = None
        self.redraw()

    def _plan_idle_notice(self) -> None:
        self._forget_idle_notice()
        self.idle_notice = asyncio.create_task(self._notify_idle())

    def _forget_idle_notice(self) -> None:
        if self.idle_notice is not None:
            self.idle_notice.cancel()
        self.idle_notice = None

    async def _notify_idle(self) -> None:
        await asyncio.sleep(self.script.setting("idle_seconds", IDLE_NOTICE_SECONDS))
        message = "Claude is waiting for your input"
        await self.hooks.fire(self.session.payload("Notification", message=message, notification_type="idle_prompt"))


def run(settings: Path, script: Path, log: Path | None, dialect: Dialect, resumed: str | None) -> None:
    """Takes over the terminal until the program ends."""

    async def main(terminal: Terminal) -> None:
        session = Session(dialect, Path.cwd(), resumed)
        program = Program(terminal, session, Hooks(settings), Script(script, log))
        await program.run("resume" if resumed else "startup")

    with Terminal() as terminal, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(terminal))
