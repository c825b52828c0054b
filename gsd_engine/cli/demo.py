"""Show the whole cycle on this machine with a simulated Claude; leave nothing behind."""

from __future__ import annotations

import click


@click.command()
@click.option("--claude", is_flag=True, help="With the real Claude Code, where it is installed and logged in.")
def command(claude: bool) -> None:
    """Show the whole cycle in under a minute: a stop, a wake, a queue, a question, a loop, and the audit.

    It needs tmux and nothing else, works in a folder of its own, and ends and removes all of it. With --claude the real
    Claude Code takes part, in that folder: a few short turns of your own account.

    \b
    gsd-engine demo
    gsd-engine demo --claude
    """
    import shutil

    from gsd_engine.demo.play import play
    from gsd_engine.errors import EngineFailureError

    program = shutil.which("claude") if claude else None
    if claude and program is None:
        raise EngineFailureError("claude is not on the PATH: install Claude Code, or leave --claude out")
    play(click.echo, program)
