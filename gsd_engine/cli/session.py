"""Spawn, list, show, attach, kill, recover and check tmux sessions with Claude Code."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from gsd_engine.cli.calling import call
from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import EngineFailureError, NotFoundError

READY_SECONDS = 20.0
name_argument = click.argument("session")


@click.group()
def command() -> None:
    """Sessions: Claude Code in tmux, one per agent."""


@command.command()
@click.argument("agent")
@click.option("--workdir", metavar="DIR", help="The project's folder, instead of the agent's working_directory.")
@click.option("--first-command", metavar="TEXT", help="Queued once Claude Code waits at its prompt.")
@click.option("--resume", metavar="ID", help="Go on with this Claude session.")
@click.option("--wait", type=float, default=READY_SECONDS, show_default=True, help="Seconds to watch it come up.")
@json_option
def spawn(
    agent: str, workdir: str | None, first_command: str | None, resume: str | None, wait: float, as_json: bool
) -> None:
    """Start Claude Code for AGENT in its tmux session.

    A dialog that Claude Code opens at its start (trust, bypass warning) is reported and left to you.

    \b
    gsd-engine session spawn warden --first-command '/gsd:plan-phase 3'
    """
    folder = os.path.abspath(os.path.expanduser(workdir)) if workdir else None  # noqa: PTH100, PTH111 - as a shell would
    found = call(
        "session.spawn", agent=agent, workdir=folder, first_command=first_command, resume=resume, socket=_own_server()
    )
    _print_started(found, wait, as_json)


@command.command()
@name_argument
@click.option("--wait", type=float, default=READY_SECONDS, show_default=True, help="Seconds to watch it come up.")
@json_option
def recover(session: str, wait: float, as_json: bool) -> None:
    """Start Claude Code again in a session that ended or was lost, with the conversation it had.

    \b
    gsd-engine session recover warden-main
    """
    _print_started(call("session.recover", session=session, socket=_own_server()), wait, as_json)


def _print_started(found: dict[str, Any], wait: float, as_json: bool) -> None:
    name = found["session"]["name"]
    shown = _watch_it_come_up(name, wait)
    found = {**call("session.show", session=name), **{k: v for k, v in found.items() if k != "session"}, "shows": shown}
    if as_json:
        print_json(found)
    else:
        resumed = f", resumed {found['resumed']}" if found.get("resumed") else ""
        click.echo(f"{name}: {found['session']['state']}{resumed}, the screen shows {shown}")
    if shown == "startup_dialog":
        click.echo(f"Claude Code asks before it starts; answer it: gsd-engine session attach {name}", err=True)
    elif shown == "gone":
        raise EngineFailureError(f"session {name} ended at once: try its launch_command by hand")


def _watch_it_come_up(name: str, seconds: float) -> str:
    """What the screen shows once it is decided: a prompt, a dialog, or nothing any more."""
    deadline = time.monotonic() + seconds
    while True:
        shown = str(call("session.look", session=name)["shows"])
        if shown in ("prompt", "startup_dialog", "gone") or time.monotonic() >= deadline:
            return shown
        time.sleep(0.2)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every session that was heard of."""
    found = call("session.list")
    if as_json:
        print_json(found)
    else:
        _print_lines(found["sessions"])


@command.command()
@name_argument
@json_option
def show(session: str, as_json: bool) -> None:
    """Show one session: what its hooks said, and what its screen shows."""
    found = {**call("session.show", session=session), **call("session.look", session=session)}
    if as_json:
        print_json(found)
        return
    for name, value in found["session"].items():
        click.echo(f"{name:<18} {value if value is not None else '-'}")
    click.echo(f"{'screen':<18} {found['shows']}")


@command.command()
@name_argument
@json_option
def kill(session: str, as_json: bool) -> None:
    """End a tmux session and Claude Code in it. Its queue becomes stale, an open question is abandoned."""
    found = call("session.kill", session=session, socket=_own_server())
    if as_json:
        print_json(found)
    else:
        click.echo(
            f"{session}: {found['session']['state']}" + ("" if found["killed"] else ", tmux had no such session")
        )


@command.command()
@click.argument("session", required=False)
@json_option
def check(session: str | None, as_json: bool) -> None:
    """Look whether Claude Code is still there, in SESSION or in all. One that is gone without a word is *lost*."""
    found = call("session.check", session=session)
    if as_json:
        print_json(found)
    else:
        _print_lines(found["sessions"])


@command.command()
@name_argument
def attach(session: str) -> None:
    """Attach this terminal to a session; from within tmux, switch to it."""
    known = call("session.show", session=session)["session"]
    server = ["-S", known["socket"]] if known["socket"] else []
    inside = _own_server() is not None and _own_server() == known["socket"]
    try:
        os.execvp("tmux", ["tmux", *server, "switch-client" if inside else "attach-session", "-t", f"={session}"])  # noqa: S606 - no shell is wanted
    except FileNotFoundError:
        raise NotFoundError("tmux is not installed, or not on the PATH") from None


def _print_lines(sessions: list[dict[str, Any]]) -> None:
    for s in sessions:
        queue = f"queue {s['queue']}" if s["queue"] is not None else "-"
        click.echo(f"{s['name']:<24} {s['state']:<9} {s['agent_id'] or '-':<16} {queue:<10} {s['last_event_at']}")


def _own_server() -> str | None:
    """The tmux server this is called in: where a session of no known place is started."""
    return os.environ.get("TMUX", "").rsplit(",", 2)[0] or None
