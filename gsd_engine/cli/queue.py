"""Start, show, list and cancel queues of commands."""

from __future__ import annotations

import json
from typing import Any

import click

from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import NotFoundError, UsageError
from gsd_engine.rules.texts import checked_commands

session_option = click.option("--session", metavar="NAME", help="The tmux session, by exact name.")


@click.group()
def command() -> None:
    """Queues: commands that are typed one after the other, each when the one before it is done."""


@command.command()
@session_option
@click.option("--replace", is_flag=True, help="Cancel the active queue of the session first.")
@json_option
@click.argument("commands")
def start(session: str | None, replace: bool, as_json: bool, commands: str) -> None:
    """Start a queue. COMMANDS is a JSON list of texts to type.

    \b
    gsd-engine queue start --session warden-main-4 '["/clear", "/gsd:plan-phase 3"]'
    gsd-engine queue start '{"session": "warden-main-4", "commands": ["/clear"]}'
    """
    from gsd_engine.cli.runtime import opened
    from gsd_engine.context import session_by_name
    from gsd_engine.domain.events import QueueRequested
    from gsd_engine.drain import start_drain_if_needed

    name, texts = _read(session, commands)
    with opened() as runtime:
        who = session_by_name(runtime.config, runtime.database, name)
        runtime.engine.step(QueueRequested(who=who, commands=texts, replace=replace))
        start_drain_if_needed(runtime.config, runtime.database)
        _print_newest(runtime, name, as_json)


def _read(session: str | None, text: str) -> tuple[str, list[str]]:
    """Both spellings: a list with --session, or one object with both."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"COMMANDS is not JSON ({error}); write a list such as '[\"/clear\"]'") from error
    if isinstance(given, dict):
        unknown = set(given) - {"session", "commands"}
        if unknown:
            raise UsageError(f"unknown key {sorted(unknown)[0]!r}; the object has 'session' and 'commands'")
        session, given = given.get("session", session), given.get("commands")
    if not isinstance(given, list):
        raise UsageError('COMMANDS is a JSON list of texts, such as \'["/clear", "/gsd:plan-phase 3"]\'')
    if not isinstance(session, str) or not session:
        raise UsageError('say which session: --session NAME, or "session" in the JSON object')
    return session, checked_commands(given)


@command.command()
@click.option("--session", metavar="NAME", required=True, help="The tmux session, by exact name.")
@json_option
def show(session: str, as_json: bool) -> None:
    """Show the newest queue of a session."""
    from gsd_engine.cli.runtime import opened
    from gsd_engine.context import session_by_name

    with opened() as runtime:
        session_by_name(runtime.config, runtime.database, session)
        _print_newest(runtime, session, as_json)


@command.command("list")
@session_option
@json_option
def list_(session: str | None, as_json: bool) -> None:
    """List queues, oldest first."""
    from gsd_engine.cli.queue_report import queue_reports
    from gsd_engine.cli.runtime import opened

    with opened() as runtime:
        reports = queue_reports(runtime.database, session)
    if as_json:
        print_json({"queues": reports})
        return
    for report in reports:
        done = sum(c["state"] == "done" for c in report["commands"])
        click.echo(f"{report['id']:>5}  {report['session']:<24} {report['state']:<10} {done}/{len(report['commands'])}")


@command.command()
@click.option("--session", metavar="NAME", required=True, help="The tmux session, by exact name.")
@json_option
def cancel(session: str, as_json: bool) -> None:
    """Cancel the active queue of a session. What has been typed stays typed; nothing more is."""
    from gsd_engine.cli.runtime import opened
    from gsd_engine.context import session_by_name
    from gsd_engine.domain.events import QueueCancelRequested
    from gsd_engine.drain import start_drain_if_needed

    with opened() as runtime:
        who = session_by_name(runtime.config, runtime.database, session)
        runtime.engine.step(QueueCancelRequested(who=who))
        start_drain_if_needed(runtime.config, runtime.database)
        _print_newest(runtime, session, as_json)


def _print_newest(runtime: Any, session: str, as_json: bool) -> None:
    from gsd_engine.cli.queue_report import newest_report, report_lines

    report = newest_report(runtime.database, runtime.config.host, session)
    if as_json:
        print_json({"queue": report})
    elif report is None:
        raise NotFoundError(f"session {session} has never had a queue")
    else:
        click.echo("\n".join(report_lines(report)))
