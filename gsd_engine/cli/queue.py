"""Start, show, list and cancel queues of commands."""

from __future__ import annotations

import json
from typing import Any

import click

from gsd_engine.cli.calling import call
from gsd_engine.cli.output import json_option, print_json, say
from gsd_engine.errors import NotFoundError, UsageError
from gsd_engine.rules.texts import checked_commands

session_option = click.option("--session", metavar="NAME", required=True, help="The tmux session, by exact name.")


@click.group()
def command() -> None:
    """Queues: commands that are typed one after the other, each when the one before it is done."""


@command.command()
@click.option("--session", metavar="NAME", help="The tmux session, by exact name.")
@click.option("--replace", is_flag=True, help="Cancel the active queue of the session first.")
@json_option
@click.argument("commands")
def start(session: str | None, replace: bool, as_json: bool, commands: str) -> None:
    """Start a queue. COMMANDS is a JSON list of texts to type.

    \b
    gsd-engine queue start --session warden-main-4 '["/clear", "/gsd:plan-phase 3"]'
    gsd-engine queue start '{"session": "warden-main-4", "commands": ["/clear"]}'
    """
    name, texts = _read(session, commands)
    _print(call("queue.start", session=name, commands=texts, replace=replace), name, as_json)


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
@session_option
@json_option
def show(session: str, as_json: bool) -> None:
    """Show the newest queue of a session.

    \b
    gsd-engine queue show --session warden-main-4 --json
    """
    _print(call("queue.show", session=session), session, as_json)


@command.command()
@session_option
@json_option
def cancel(session: str, as_json: bool) -> None:
    """Cancel the active queue of a session. What has been typed stays typed; nothing more is.

    \b
    gsd-engine queue cancel --session warden-main-4
    """
    _print(call("queue.cancel", session=session), session, as_json)


@command.command("list")
@click.option("--session", metavar="NAME", help="Only queues of this session.")
@json_option
def list_(session: str | None, as_json: bool) -> None:
    """List queues, oldest first."""
    found = call("queue.list", session=session)
    if as_json:
        print_json(found)
        return
    for queue in found["queues"]:
        done = sum(c["state"] == "done" for c in queue["commands"])
        say(f"{queue['id']:>5}  {queue['session']:<24} {queue['state']:<10} {done}/{len(queue['commands'])}")


def _print(found: dict[str, Any], session: str, as_json: bool) -> None:
    if as_json:
        print_json(found)
    elif found["queue"] is None:
        raise NotFoundError(f"session {session} has never had a queue")
    else:
        say("\n".join(queue_lines(found["queue"])))


def queue_lines(queue: dict[str, Any]) -> list[str]:
    """The queue in a few lines, as an operator would want to read it."""
    done = sum(c["state"] == "done" for c in queue["commands"])
    why = f" ({queue['reason']})" if queue["reason"] else ""
    lines = [f"queue {queue['id']} of {queue['session']}: {queue['state']}{why}, {done}/{len(queue['commands'])} done"]
    for c in queue["commands"]:
        delivery = f", {c['delivery']['state']}" if c["delivery"] and c["state"] == "active" else ""
        reason = f" ({c['reason']})" if c["reason"] else ""
        lines.append(f"  {c['position']}. {c['command']:<40} {c['state']}{delivery}{reason}")
    return lines
