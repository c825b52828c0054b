"""Read the wake messages that wait for an agent."""

from __future__ import annotations

import time

import click

from gsd_engine.cli.output import json_option, print_json, say
from gsd_engine.domain.records import InboxMessage


@click.command()
@click.option("--session", metavar="NAME", help="Only messages about this session.")
@click.option("--wait", is_flag=True, help="Wait until there is a message.")
@click.option("--timeout", type=float, default=None, metavar="SECONDS", help="With --wait: at most so long (exit 1).")
@click.option("--keep", is_flag=True, help="Leave the messages unread.")
@json_option
def command(session: str | None, wait: bool, timeout: float | None, keep: bool, as_json: bool) -> None:
    """Print unread wake messages and mark them as read.

    \b
    gsd-engine inbox --wait --session warden-main-4
    """
    from gsd_engine.cli.runtime import opened
    from gsd_engine.clock import system_clock
    from gsd_engine.errors import EngineFailureError
    from gsd_engine.store import inbox, sessions

    deadline = None if timeout is None else time.monotonic() + timeout
    with opened() as runtime:
        while True:
            with runtime.database.read() as connection:
                row = sessions.by_name(connection, runtime.config.host, session) if session else None
                found = [] if session and row is None else inbox.unread(connection, row.id if row else None)
            if found or not wait:
                break
            if deadline is not None and time.monotonic() >= deadline:
                raise EngineFailureError(f"no message within {timeout:g} s")
            time.sleep(0.2)
        if found and not keep:
            with runtime.database.write() as connection:
                inbox.mark_read(connection, [message.id for message in found], system_clock())
    if as_json:
        print_json({"messages": [_as_dict(message) for message in found]})
    else:
        say("\n".join(message.message for message in found), nl=False)


def _as_dict(message: InboxMessage) -> dict[str, object]:
    return {
        "id": message.id,
        "agent_id": message.agent_id,
        "trigger": message.trigger,
        "message": message.message,
        "delivered_by": message.delivered_by,
        "created_at": message.created_at.isoformat(),
    }
