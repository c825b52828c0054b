"""Show all sessions at a glance: state, what each waits for, queue, question, loop, context, decisions."""

from __future__ import annotations

import click

from gsd_engine.cli.output import json_option, print_json


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Show all sessions: state, queue, loop, context, what each waits for, and what needs a person.

    Sessions that the registry names are listed even if no hook has come from them yet. 'gsd-engine why SESSION'
    says more about one.

    \b
    gsd-engine status
    gsd-engine status --json
    """
    from rich.console import Console

    from gsd_engine.cli.glance import glance
    from gsd_engine.cli.looking import is_performing
    from gsd_engine.cli.runtime import opened
    from gsd_engine.clock import system_clock
    from gsd_engine.overview import overview
    from gsd_engine.rules.telling import local_time, utc_time

    with opened() as runtime:
        show_time = utc_time if as_json else local_time
        performing = is_performing(runtime.config)
        seen = overview(runtime.config, runtime.database, system_clock(), performing=performing, show_time=show_time)
    if as_json:
        print_json(seen)
    else:
        Console(highlight=False).print(glance(seen))
