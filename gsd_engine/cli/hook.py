"""Take one hook event of Claude Code from standard input."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:  # what these cost is paid when a hook is taken, and not before
    from gsd_engine.hooks.holding import Held
    from gsd_engine.hooks.reply import Output

BETWEEN_LOOKS_SECONDS = 0.2


@click.command()
@click.option("--invocation", hidden=True, help="The calling process's own id: the same event twice is taken once.")
@click.argument("event", required=False)
def command(event: str | None, invocation: str | None) -> None:
    """Take one hook event from standard input. EVENT defaults to the payload's hook_event_name.

    Claude Code calls this; see 'gsd-engine hooks install'. It never fails: exit 0 or, to hold a stop, 2.

    \b
    echo '{"hook_event_name": "Stop", …}' | gsd-engine hook Stop
    """
    output = take(event, invocation)
    # Written as bytes at once: what Claude Code reads is whole or nothing.
    sys.stdout.buffer.write(output.stdout.encode())
    sys.stdout.flush()
    sys.stderr.write(output.stderr)
    raise click.exceptions.Exit(output.exit_code)


def take(event: str | None, invocation: str | None = None) -> Output:
    """The hook in this process. Even an engine that cannot be imported must not trap anyone."""
    gc.disable()  # a short life with many imports: collecting would be a tenth of it
    from gsd_engine.hooks.reply import SILENCE

    try:
        from gsd_engine.config import load_config
        from gsd_engine.hooks.holding import Held
        from gsd_engine.hooks.intake import Intake
        from gsd_engine.log import start_logging
        from gsd_engine.resident.starting import see_to_effects, start_resident

        config = load_config()
        start_logging(config)
        raw = sys.stdin.buffer.read()
        if config.resident != "off" and os.environ.get("GSD_ENGINE_DISABLE") != "1":
            start_resident(config)  # for the next time, whoever's hook this is
        output = Intake(config, after_step=see_to_effects).take(event, raw, os.environ, invocation)
        if isinstance(output, Held):
            output = _held(output)
    except Exception:
        return SILENCE
    return output


def _held(held: Held) -> Output:
    """Looked at here, since there is no resident engine. SIGTERM is how Claude Code tells that Esc was pressed."""

    def escaped(*_: object) -> None:
        held.end("escaped")
        os._exit(0)

    signal.signal(signal.SIGTERM, escaped)
    while (output := held.look()) is None:
        time.sleep(BETWEEN_LOOKS_SECONDS)
    return output
