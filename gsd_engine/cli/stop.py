"""Stop the resident engine; what it has begun is finished first."""

from __future__ import annotations

import time

import click


@click.command()
@click.option("--timeout", type=float, default=60.0, metavar="SECONDS", help="How long to wait for its end.")
def command(timeout: float) -> None:
    """Stop the resident engine; what it has begun is finished first.

    \b
    gsd-engine stop
    """
    from gsd_engine.config import load_config
    from gsd_engine.errors import EngineFailureError
    from gsd_engine.resident.client import send
    from gsd_engine.resident.starting import is_locked

    config = load_config()
    deadline = time.monotonic() + timeout
    _, body = send(config, "POST", "/stop", {})
    while body is None:
        if not is_locked(config):
            click.echo("no resident engine is running")
            return
        if time.monotonic() > deadline:
            raise EngineFailureError("an engine holds the lock and does not answer; the next hook will replace it")
        time.sleep(0.05)  # it is just starting, or leaving
        _, body = send(config, "POST", "/stop", {})
    while is_locked(config):
        if time.monotonic() > deadline:
            raise EngineFailureError(f"the engine (pid {body['stopping']}) is still finishing its work")
        time.sleep(0.05)
    click.echo(f"stopped (pid {body['stopping']})")
