"""The ways to wake the agent, one file each; `build_gateway` is the one place that knows them all.

openclaw.py      HTTP to an OpenClaw gateway          openclaw_cli.py   its command line
command.py       any program                          inbox.py          rows only
base.py          what they all promise                http_call.py, program.py, shortening.py   what they stand on
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gsd_engine.effects.gateway.base import Delivered, Gateway, GaveUp, Outcome, TryAgain, Wake, delay_before
from gsd_engine.errors import UsageError

__all__ = ["Delivered", "Gateway", "GaveUp", "Outcome", "TryAgain", "Wake", "build_gateway", "delay_before"]


def build_gateway(settings: Any, environ: Mapping[str, str], agent_id: str | None = None) -> Gateway:
    """The gateway that the registry's settings (or None: the inbox) describe; `agent_id` lets `check` look for it.

    Each file is imported when it is wanted: httpx alone costs more than everything else a hook does.
    """
    match getattr(settings, "kind", "inbox"):
        case "openclaw":
            return _openclaw(settings, environ, agent_id)
        case "openclaw-cli":
            from gsd_engine.effects.gateway.openclaw_cli import OpenClawCliGateway

            return OpenClawCliGateway(settings.command, environ)
        case "command":
            from gsd_engine.effects.gateway.command import CommandGateway

            return CommandGateway(settings.command, environ)
        case "inbox":
            from gsd_engine.effects.gateway.inbox import InboxGateway

            return InboxGateway()
        case other:
            raise UsageError(f'no gateway kind "{other}": use openclaw, openclaw-cli, command or inbox')


def _openclaw(settings: Any, environ: Mapping[str, str], agent_id: str | None) -> Gateway:
    from gsd_engine.effects.gateway.openclaw import OpenClawGateway

    return OpenClawGateway(
        settings.url,
        environ.get(settings.token_env),
        environ.get(settings.reply_token_env or ""),
        agent_id=agent_id,
        token_name=settings.token_env,
    )
