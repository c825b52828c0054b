"""Run the resident engine."""

from __future__ import annotations

from datetime import timedelta

import click


@click.command()
@click.option(
    "--http",
    metavar="ADDRESS",
    help="Listen there too, for hooks by HTTP and the page. Loopback only.",
)
@click.option("--silence", type=float, metavar="SECONDS", help="Look at sessions that are silent this long (90).")
@click.option("--lock-fd", type=int, hidden=True, help="A descriptor that already holds the lock.")
def command(http: str | None, silence: float | None, lock_fd: int | None) -> None:
    """Run the resident engine in the foreground: one per home; a second one leaves quietly.

    The first hook starts it by itself. To keep it running, give this command to systemd or tmux.

    \b
    gsd-engine serve
    gsd-engine serve --http 127.0.0.1:8765
    """
    from gsd_engine.config import load_config
    from gsd_engine.log import start_logging
    from gsd_engine.resident.loopback import parse_address
    from gsd_engine.resident.server import serve
    from gsd_engine.sessions.looking import SILENCE

    config = load_config()
    address = parse_address(http) if http is not None else None
    start_logging(config)
    if serve(config, lock_fd, address, timedelta(seconds=silence) if silence else SILENCE):
        return
    click.echo(f"another engine serves {config.home} already", err=True)
    if address is not None:
        from gsd_engine.resident.client import ask_for_loopback

        click.echo(f"it listens on {ask_for_loopback(config, str(address))}", err=True)
