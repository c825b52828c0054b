"""Run the resident engine."""

from __future__ import annotations

import click


@click.command()
@click.option("--lock-fd", type=int, hidden=True, help="A descriptor that already holds the lock.")
def command(lock_fd: int | None) -> None:
    """Run the resident engine in the foreground: one per home; a second one leaves quietly.

    The first hook starts it by itself. To keep it running, give this command to systemd or tmux.

    \b
    gsd-engine serve
    """
    from gsd_engine.config import load_config
    from gsd_engine.log import start_logging
    from gsd_engine.resident.server import serve

    config = load_config()
    start_logging(config)
    if not serve(config, lock_fd):
        click.echo(f"another engine serves {config.home} already", err=True)
