"""What the resident engine answers on its socket: hooks, operations, health. All of it through the same `step`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gsd_engine import __version__
from gsd_engine.config import Config
from gsd_engine.engine import Engine
from gsd_engine.errors import EngineError
from gsd_engine.hooks.intake import Intake
from gsd_engine.hooks.reply import Output
from gsd_engine.operations import OPERATIONS
from gsd_engine.resident.holding import finished
from gsd_engine.resident.loopback import Address, parse_address

ENVIRONMENT_PREFIX = "env-"
SIGN_OF_LIFE_SECONDS = 1.0


@dataclass
class Activity:
    """What the resident engine knows of its own use."""

    started_at: float
    last_request_at: float
    requests: int = 0

    def count(self) -> None:
        self.requests += 1
        self.last_request_at = time.monotonic()


class Resident:
    """The warm parts that every request shares."""

    def __init__(
        self,
        config: Config,
        engine: Engine,
        intake: Intake,
        nudge: Callable[[], None],
        hand_over: Callable[[], None],
        open_loopback: Callable[[Address], Address],
        leaving: Callable[[], bool],
    ) -> None:
        self.config, self.engine, self.intake = config, engine, intake
        self.nudge, self.hand_over, self.open_loopback = nudge, hand_over, open_loopback
        self.leaving = leaving
        self.activity = Activity(time.monotonic(), time.monotonic())

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/hook/{event}", self.hook, methods=["POST"]),
                Route("/operation/{name}", self.operation, methods=["POST"]),
                Route("/health", self.health, methods=["GET"]),
                Route("/stop", self.stop, methods=["POST"]),
                Route("/loopback", self.loopback, methods=["POST"]),
            ]
        )

    async def hook(self, request: Request) -> Response:
        self.activity.count()
        environ = _environment(request)
        if not self._is_ours(request, environ):
            return Response(status_code=409)
        work = asyncio.ensure_future(self._take(request, environ, await request.body()))
        done, _ = await asyncio.wait({work}, timeout=SIGN_OF_LIFE_SECONDS)
        return Response(_framed(work.result())) if done else StreamingResponse(_signs_of_life(work))

    async def _take(self, request: Request, environ: dict[str, str], payload: bytes) -> Output:
        event, invocation = request.path_params["event"], request.headers.get("invocation")
        taken = await run_in_threadpool(self.intake.take, None if event == "-" else event, payload, environ, invocation)
        return await finished(taken, request, self.leaving)

    async def operation(self, request: Request) -> Response:
        self.activity.count()
        if not self._is_ours(request, _environment(request)):
            return Response(status_code=409)
        operation = OPERATIONS.get(request.path_params["name"])
        if operation is None:
            return Response(status_code=404)
        arguments: dict[str, Any] = await request.json()
        try:
            answer = await run_in_threadpool(operation, self.config, self.engine, **arguments)
        except EngineError as error:
            return JSONResponse({"error": str(error), "exit_code": error.exit_code}, status_code=422)
        self.nudge()
        return JSONResponse(answer)

    async def health(self, request: Request) -> Response:
        return JSONResponse(
            {
                "version": __version__,
                "pid": os.getpid(),
                "home": str(self.config.home),
                "uptime": round(time.monotonic() - self.activity.started_at, 3),
                "requests": self.activity.requests,
            }
        )

    async def stop(self, request: Request) -> Response:
        self.hand_over()
        return JSONResponse({"stopping": os.getpid()})

    async def loopback(self, request: Request) -> Response:
        """Listen on loopback from now on; where, is in the answer."""
        self.activity.count()
        if not self._is_ours(request, _environment(request)):
            return Response(status_code=409)
        asked = await request.json()
        try:
            address = await run_in_threadpool(self.open_loopback, parse_address(asked["address"]))
        except EngineError as error:
            return JSONResponse({"error": str(error), "exit_code": error.exit_code}, status_code=422)
        return JSONResponse({"address": str(address)})

    def _is_ours(self, request: Request, environ: dict[str, str]) -> bool:
        """A client of another version or set-up takes its event itself; this engine leaves, so that its like comes."""
        same = request.headers.get("engine-version") == __version__ and all(
            environ.get(name, value) == value for name, value in self.config.identity().items()
        )
        if not same:
            self.hand_over()
        return same


def _framed(output: Output) -> bytes:
    """As scripts/hook.py reads it."""
    stdout, stderr = output.stdout.encode(), output.stderr.encode()
    return b"%d %d %d\n" % (output.exit_code, len(stdout), len(stderr)) + stdout + stderr


async def _signs_of_life(work: asyncio.Future[Output]) -> AsyncIterator[bytes]:
    """A blank every second while a hook is held, so that its client can tell patience from a hung engine."""
    yield b" "
    while not (await asyncio.wait({work}, timeout=SIGN_OF_LIFE_SECONDS))[0]:
        yield b" "
    yield _framed(work.result())


def _environment(request: Request) -> dict[str, str]:
    """The hook's own variables, as the client forwards them; nothing of this process's environment."""
    return {
        name[len(ENVIRONMENT_PREFIX) :].replace("-", "_").upper(): os.fsdecode(bytes.fromhex(value))
        for name, value in request.headers.items()
        if name.startswith(ENVIRONMENT_PREFIX)
    }
