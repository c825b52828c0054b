"""What the resident engine answers on its loopback port, behind the guard: hooks by HTTP."""

from __future__ import annotations

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gsd_engine.resident.app import Resident
from gsd_engine.resident.http_hooks import take_hook


def loopback_app(resident: Resident, leaving: Callable[[], bool]) -> Starlette:
    async def hook(request: Request) -> Response:
        resident.activity.count()
        return await take_hook(resident.intake, request, resident.leaving)

    return Starlette(routes=[Route("/hooks/{event}", hook, methods=["POST"])])
