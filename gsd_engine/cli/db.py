"""Upgrade, check, back up and find the database."""

from __future__ import annotations

import click

from gsd_engine.cli.output import json_option, print_json


@click.group()
def command() -> None:
    """The store: one SQLite file in the engine's home, or the PostgreSQL of GSD_ENGINE_DATABASE_URL."""


@command.command()
def upgrade() -> None:
    """Bring the database to the revision of this engine; a backup is made first.

    \b
    gsd-engine db upgrade
    """
    from gsd_engine.clock import system_clock
    from gsd_engine.config import load_config
    from gsd_engine.store import migrations
    from gsd_engine.store.database import Database
    from gsd_engine.store.opening import HEAD, stored_revision

    database = Database(load_config())
    before = stored_revision(database)
    if before == HEAD:
        click.echo(f"{database.describe()} is at revision {HEAD} already")
        return
    if before is not None and database.is_sqlite:
        click.echo(f"backup: {migrations.backup(database, system_clock())}")
    migrations.upgrade(database)
    click.echo(f"{database.describe()}: {before or 'new'} -> {stored_revision(database)}")


@command.command()
@json_option
def check(as_json: bool) -> None:
    """Check revision and integrity; exit 1 where something is wrong."""
    from gsd_engine.config import load_config
    from gsd_engine.store import migrations
    from gsd_engine.store.database import Database
    from gsd_engine.store.opening import HEAD, stored_revision

    database = Database(load_config())
    revision = stored_revision(database)
    problems = migrations.integrity_problems(database)
    if revision != HEAD:
        problems.insert(0, f"revision {revision or 'none'}, this engine works with {HEAD}: run 'gsd-engine db upgrade'")
    if as_json:
        print_json({"database": database.describe(), "revision": revision, "problems": problems})
    else:
        click.echo("\n".join(problems) or f"OK: {database.describe()}, revision {revision}")
    if problems:
        raise click.exceptions.Exit(1)


@command.command()
def backup() -> None:
    """Copy the database while it is in use, and print where to."""
    from gsd_engine.cli.runtime import opened
    from gsd_engine.clock import system_clock
    from gsd_engine.store import migrations

    with opened() as runtime:
        click.echo(migrations.backup(runtime.database, system_clock()))


@command.command()
def path() -> None:
    """Print where the database is."""
    from gsd_engine.config import load_config

    config = load_config()
    click.echo(config.sqlite_path or config.database_url)
