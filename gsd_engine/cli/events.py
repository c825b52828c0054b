"""List what happened, event by event, and follow it live."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from gsd_engine.cli.output import json_option, one_line, print_json, print_json_line, say

if TYPE_CHECKING:
    from gsd_engine.cli.runtime import Runtime

BETWEEN_LOOKS_SECONDS = 0.2


@click.command()
@click.option("--session", metavar="NAME", help="Only this tmux session, by exact name.")
@click.option("--limit", type=click.IntRange(1), default=40, show_default=True, help="How many, at most.")
@click.option("--payload", is_flag=True, help="Show what was received, too.")
@click.option("--follow", is_flag=True, help="Go on with new ones as they come, until interrupted.")
@json_option
def command(session: str | None, limit: int, payload: bool, follow: bool, as_json: bool) -> None:
    """List the newest events, oldest first: hooks, requests, and reports of the engine's own doing.

    The number in front is what 'gsd-engine replay' takes. With --follow, --json prints one object per line.

    \b
    gsd-engine events --session warden-main-4
    gsd-engine events --follow --json
    """
    from gsd_engine.cli.runtime import opened

    with opened() as runtime:
        rows = _newest(runtime, session, limit)
        if as_json and not follow:
            print_json({"events": rows})
            return
        for row in rows:
            _print(row, as_json, payload)
        last = rows[-1]["id"] if rows else 0
        while follow:
            for row in _since(runtime, session, last):
                _print(row, as_json, payload)
                last = row["id"]
            time.sleep(BETWEEN_LOOKS_SECONDS)


def _newest(runtime: Runtime, session: str | None, limit: int) -> list[dict[str, Any]]:
    from gsd_engine.cli.looking import session_id
    from gsd_engine.store import events

    with runtime.database.read() as connection:
        wanted = session_id(connection, runtime.config, session)
        return [_entry(row) for row in events.newest(connection, wanted, limit)]


def _since(runtime: Runtime, session: str | None, after: int) -> list[dict[str, Any]]:
    from gsd_engine.cli.looking import session_id
    from gsd_engine.store import events

    with runtime.database.read() as connection:
        return [
            _entry(row)
            for row in events.newest(connection, session_id(connection, runtime.config, session), after=after)
        ]


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    from gsd_engine.overview import utc
    from gsd_engine.store.situations import hook_name

    return {
        "id": row["id"],
        "at": utc(row["received_at"]),
        "session": row["session"],
        "source": row["source"],
        "name": hook_name(row["kind"], row["payload"]) if row["source"] == "hook" else row["kind"],
        "kind": row["kind"],
        "path": row["decision_path"],
        "key": row["key"],
        "payload": row["payload"],
    }


def _print(row: dict[str, Any], as_json: bool, payload: bool) -> None:
    if as_json:
        print_json_line(row)
        return
    say(event_line(row))
    if payload:
        say(f"        {one_line(row['payload'])}")


def event_line(row: dict[str, Any]) -> str:
    from datetime import datetime

    from gsd_engine.cli.output import local

    at = local(datetime.fromisoformat(row["at"]))
    return (
        f"{row['id']:>6}  {at}  {one_line(row['session'] or '-'):<16} {row['name']:<17} {one_line(row['path'] or '')}"
    )
