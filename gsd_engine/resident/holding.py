"""Hooks that are held: looked at now and then on the event loop, so that a thousand of them cost no thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from gsd_engine.hooks.holding import Held
from gsd_engine.hooks.reply import SILENCE, Output

BETWEEN_LOOKS_SECONDS = 0.25


async def finished(taken: Output | Held, request: Request, leaving: Callable[[], bool]) -> Output:
    """The output of a hook, at once or when the answer it is held for has come."""
    while isinstance(taken, Held):
        output = await run_in_threadpool(taken.look)
        if output is not None:
            return output
        if leaving():
            await run_in_threadpool(taken.end, "released")
            return SILENCE
        if await request.is_disconnected():  # Claude Code ends a held hook when a person presses Esc
            await run_in_threadpool(taken.end, "escaped")
            return SILENCE
        await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
    return taken
