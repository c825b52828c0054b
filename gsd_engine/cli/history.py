"""List every transition of every row, with its reason and the event that caused it."""

from __future__ import annotations

from typing import Any

import click

from gsd_engine.cli.output import json_option, one_line, print_json, say


@click.command()
@click.option("--session", metavar="NAME", help="Only this tmux session, by exact name.")
@click.option("--machine", metavar="NAME", help="Only this lifecycle: queue, command, delivery, question …")
@click.option("--event", type=int, metavar="ID", help="Only what this event caused.")
@click.option("--limit", type=click.IntRange(1), default=40, show_default=True, help="How many, at most.")
@json_option
def command(session: str | None, machine: str | None, event: int | None, limit: int, as_json: bool) -> None:
    """List the newest transitions, oldest first.

    \b
    gsd-engine history --session warden-main-4
    gsd-engine history --machine delivery --limit 10
    gsd-engine history --event 42
    """
    from gsd_engine.cli import looking
    from gsd_engine.errors import UsageError
    from gsd_engine.machines import MACHINES
    from gsd_engine.store import history

    if machine is not None and machine not in MACHINES:
        raise UsageError(f"no machine {machine!r}: there are {', '.join(MACHINES)}")
    with looking.looking() as (runtime, connection):
        wanted = looking.session_id(connection, runtime.config, session)
        rows = history.of_session(connection, wanted, limit, machine=machine, event=event)
        names = looking.names(connection)
    if as_json:
        print_json({"history": [{**looking.as_json(row), "session": names.get(row["session_id"])} for row in rows]})
        return
    for row in rows:
        say(line(row, names.get(row["session_id"]) or "-"))


def line(row: dict[str, Any], session: str) -> str:
    from gsd_engine.cli.output import local

    what = f"{row['machine']} {row['entity']}"
    moved = f"{row['from'] or 'new'} → {row['to']}"
    reason = f"  ({one_line(row['reason'])})" if row["reason"] else ""
    return f"{local(row['at'])}  {one_line(session):<16} {what:<18} {moved}{reason}  [event {row['event']}]"
