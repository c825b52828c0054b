"""What the resident engine answers on its socket: hooks, operations, health. All of it through the same `step`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gsd_engine import __version__
from gsd_engine.config import Config
from gsd_engine.engine import Engine
from gsd_engine.errors import EngineError
from gsd_engine.hooks.intake import Intake
from gsd_engine.operations import OPERATIONS

ENVIRONMENT_PREFIX = "env-"


class Resident:
    """The warm parts that every request shares."""

    def __init__(self, config: Config, engine: Engine, nudge: Callable[[], None], hand_over: Callable[[], None]) -> None:
        self.config, self.engine, self.nudge, self.hand_over = config, engine, nudge, hand_over
        self.intake = Intake(config, engine_for=lambda config, hook: engine, after_step=lambda config, database: nudge())
        self.started_at = self.last_request_at = time.monotonic()
        self.requests = 0

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/hook/{event}", self.hook, methods=["POST"]),
                Route("/operation/{name}", self.operation, methods=["POST"]),
                Route("/health", self.health, methods=["GET"]),
                Route("/stop", self.stop, methods=["POST"]),
            ]
        )

    async def hook(self, request: Request) -> Response:
        self._count()
        if not self._same_version(request):
            return Response(status_code=409)
        event = request.path_params["event"]
        payload = await request.body()
        invocation = request.headers.get("invocation")
        output = await run_in_threadpool(
            self.intake.take, None if event == "-" else event, payload, _environment(request), invocation
        )
        stdout, stderr = output.stdout.encode(), output.stderr.encode()
        headers = {"exit-code": str(output.exit_code), "stdout-length": str(len(stdout))}
        return Response(stdout + stderr, headers=headers)

    async def operation(self, request: Request) -> Response:
        self._count()
        if not self._same_version(request):
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
                "uptime": round(time.monotonic() - self.started_at, 3),
                "requests": self.requests,
            }
        )

    async def stop(self, request: Request) -> Response:
        self.hand_over()
        return JSONResponse({"stopping": os.getpid()})

    def _same_version(self, request: Request) -> bool:
        """A client of another version takes its event itself; this engine leaves, so that its like is started."""
        if request.headers.get("engine-version") == __version__:
            return True
        self.hand_over()
        return False

    def _count(self) -> None:
        self.requests += 1
        self.last_request_at = time.monotonic()


def _environment(request: Request) -> dict[str, str]:
    """The hook's own variables, as the client forwards them; nothing of this process's environment."""
    return {
        name[len(ENVIRONMENT_PREFIX) :].replace("-", "_").upper(): value
        for name, value in request.headers.items()
        if name.startswith(ENVIRONMENT_PREFIX)
    }
