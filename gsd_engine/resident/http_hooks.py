"""Hook events by HTTP: what `type: "http"` hooks of Claude Code post, and how they want to be answered.

Claude Code puts variables into headers where the settings allow it:
    {"type": "http", "url": "http://127.0.0.1:8765/hooks/Stop", "timeout": 600,
     "headers": {"Authorization": "Bearer $GSD_ENGINE_TOKEN", "Tmux": "$TMUX", "Tmux-Pane": "$TMUX_PANE"},
     "allowedEnvVars": ["GSD_ENGINE_TOKEN", "TMUX", "TMUX_PANE"]}
It ignores a refused connection silently, and has no such hook for SessionStart: hooks by command lose nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from gsd_engine.hooks.intake import Intake
from gsd_engine.hooks.reply import Output
from gsd_engine.resident.holding import finished

VARIABLES = ("TMUX", "TMUX_PANE", "IDLE_LOOP_DISABLE", "GSD_ENGINE_DISABLE")


async def take_hook(intake: Intake, request: Request, leaving: Callable[[], bool]) -> Response:
    environ = {
        name: value
        for name in VARIABLES
        # a variable that is not set arrives empty, or as its own name
        if (value := request.headers.get(name.replace("_", "-"), "").strip()) and not value.startswith("$")
    }
    event, invocation = request.path_params["event"], request.headers.get("invocation")
    taken = await run_in_threadpool(intake.take, event, await request.body(), environ, invocation)
    return answer(await finished(taken, request, leaving))


def answer(output: Output) -> Response:
    """As the hook's stdout would be. A status cannot block; where exit 2 would, a decision does."""
    body = output.stdout
    if output.exit_code == 2 and not body:
        body = json.dumps({"decision": "block", "reason": output.stderr}, ensure_ascii=False)
    return Response(body, media_type="application/json") if body else Response(b"")
