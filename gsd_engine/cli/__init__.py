"""The command line: one module per noun, imported only when its noun is called.

`COMMANDS` is the whole surface. A module gives a click command (or group) called `command`; its first
docstring line is the help text shown here, so that `gsd-engine --help` imports nothing heavy.
Errors become one line on stderr and an exit code here, and nowhere else.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from gsd_engine import __version__
from gsd_engine.cli.output import one_line
from gsd_engine.errors import EngineError

COMMANDS: dict[str, str] = {
    "status": "Show all sessions at a glance, and what needs a person.",
    "why": "Say in one sentence what a session waits for, with the rows behind it.",
    "hook": "Take one hook event of Claude Code from standard input.",
    "queue": "Start, show, list and cancel queues of commands.",
    "answer": "Answer the open question of a session.",
    "question": "Show, list and count the questions that Claude asked.",
    "session": "Spawn, list, show, attach, kill, recover and check tmux sessions with Claude Code.",
    "machines": "Print the state machines: every state, every transition, and why.",
    "registry": "Check, start, extend and take over the registry of agents.",
    "hooks": "Install, remove and check the hooks in Claude Code's settings.json.",
    "skill": "Install or print the skill for the OpenClaw agent.",
    "inbox": "Read the wake messages that wait for an agent.",
    "events": "List what happened, event by event, and follow it live.",
    "history": "List every transition of every row, and why.",
    "effects": "List what must happen outside, and what became of it.",
    "demo": "Show the whole cycle on this machine with a simulated Claude; leave nothing behind.",
    "serve": "Run the resident engine.",
    "stop": "Stop the resident engine; what it has begun is finished first.",
    "drain": "Perform what is due in the outbox, then leave.",
    "db": "Upgrade, check, back up and find the database.",
}


class LazyGroup(click.Group):
    """Knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"gsd_engine.cli.{cmd_name.replace('-', '_')}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gsd-engine")
def command() -> None:
    """Stands between Claude Code in tmux and the agent that drives it.

    Exit codes: 0 done, 1 failed, 2 wrong use or refused input (nothing changed), 3 not found.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    code = run(args)
    if sys.argv[1:2] == ["hook"]:
        # Somebody waits for a hook: what was written is flushed, and the rest of the process is not tidied up.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(args: list[str] | None = None) -> int:
    try:
        result: Any = command.main(args, prog_name="gsd-engine", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code, getattr(error, "ctx", None))
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", 1)
    except EngineError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away (`… | head`): nobody is left to tell
        return 0
    return result if isinstance(result, int) else 0


def _complain(message: str, exit_code: int, ctx: click.Context | None = None) -> int:
    where = ctx.command_path if ctx is not None else "gsd-engine"
    hint = f" (see '{where} --help')" if ctx is not None else ""
    click.echo(f"{where}: {one_line(message)}{hint}", err=True)
    return exit_code
