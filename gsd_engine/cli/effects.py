"""List what must happen outside (typing, wakes, notifications) and what became of it."""

from __future__ import annotations

from typing import Any

import click

from gsd_engine.cli.output import json_option, one_line, print_json, say


@click.command()
@click.option("--session", metavar="NAME", help="Only this tmux session, by exact name.")
@click.option("--all", "every", is_flag=True, help="Those that are done or dropped, too.")
@click.option("--limit", type=click.IntRange(1), default=40, show_default=True, help="How many, at most.")
@json_option
def command(session: str | None, every: bool, limit: int, as_json: bool) -> None:
    """List the outbox: effects that wait, are under way, failed or are in doubt; with --all every one.

    \b
    gsd-engine effects
    gsd-engine effects --all --session warden-main-4 --json
    """
    from gsd_engine.cli import looking
    from gsd_engine.store import effects

    states = None if every else ("pending", "claimed", "failed", "uncertain")
    with looking.looking() as (runtime, connection):
        wanted = looking.session_id(connection, runtime.config, session)
        rows = effects.newest(connection, wanted, states, limit)
        names = looking.names(connection)
    if as_json:
        print_json({"effects": [{**looking.as_json(row), "session": names.get(row["session_id"])} for row in rows]})
        return
    if not rows:
        say("nothing waits, and nothing failed")
    for row in rows:
        say(line(row, names.get(row["session_id"]) or "-"))


def line(row: dict[str, Any], session: str) -> str:
    from gsd_engine.cli.output import local

    what = row["kind"] + (f" {row['payload']['trigger']}" if "trigger" in row["payload"] else "")
    tries = f" {row['attempts']}x" if row["attempts"] else ""
    when = f"due {local(row['due_at'])}" if row["state"] == "pending" else local(row["settled_at"] or row["due_at"])
    reason = f"  ({one_line(row['reason'])})" if row["reason"] else ""
    return f"{row['id']:>6}  {row['state']:<9} {one_line(what):<26} {one_line(session):<16} {when}{tries}{reason}"
