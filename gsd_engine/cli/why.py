"""Say in one sentence what a session waits for, with the rows behind it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from gsd_engine.cli.output import json_option, one_line, print_json, say


@click.command()
@click.argument("session")
@json_option
def command(session: str, as_json: bool) -> None:
    """Say in one honest sentence what SESSION waits for, and show the rows that say so.

    \b
    gsd-engine why warden-main-4
    gsd-engine why warden-main-4 --json
    """
    from gsd_engine.cli.looking import is_performing
    from gsd_engine.cli.runtime import opened
    from gsd_engine.clock import system_clock
    from gsd_engine.overview import why
    from gsd_engine.rules.telling import local_time, utc_time

    with opened() as runtime:
        show_time = utc_time if as_json else local_time
        performing = is_performing(runtime.config)
        told = why(
            runtime.config, runtime.database, session, system_clock(), performing=performing, show_time=show_time
        )
    if as_json:
        print_json(told)
        return
    say(_wrapped(f"{told['session']}: {told['why']}"))
    say()
    for row in told["rows"]:
        say(f"  {row['table']:<15} {row['id']:>5}  {_values(row['values'])}")


def _values(values: dict[str, Any]) -> str:
    return "  ".join(f"{column}={_shown(value)}" for column, value in values.items())


def _shown(value: Any) -> str:
    from gsd_engine.cli.output import local

    text = one_line(str(value))
    if text.endswith("Z") and text[:4].isdigit():
        return local(datetime.fromisoformat(text))
    return text if len(text) <= 48 else text[:47] + "…"


def _wrapped(text: str) -> str:
    import shutil
    import textwrap

    width = max(40, min(100, shutil.get_terminal_size().columns))
    return textwrap.fill(one_line(text), width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
