"""Perform what is due in the outbox, then leave."""

from __future__ import annotations

import click


@click.command()
@click.option("--no-wait", is_flag=True, help="Do not wait for deadlines that are near.")
def command(no_wait: bool) -> None:
    """Perform what is due in the outbox, then leave. One at a time per home.

    \b
    gsd-engine drain --no-wait
    """
    from gsd_engine.config import load_config
    from gsd_engine.drain import drain
    from gsd_engine.log import start_logging

    config = load_config()
    start_logging(config)
    click.echo(f"{drain(config, wait=not no_wait)} effects performed")
