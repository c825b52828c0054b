"""Revisions of the database: which one it has, which one the engine knows, and the way between.

The migrations lie beside the package in a checkout and inside it in an installed engine.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import gsd_engine
from gsd_engine.errors import StoreError
from gsd_engine.store.database import Database
from gsd_engine.store.opening import stored_revision


def scripts_folder() -> Path:
    package = Path(gsd_engine.__file__).parent
    inside, beside = package / "migrations", package.parent / "migrations"
    return inside if inside.is_dir() else beside


def _alembic(scripts: Path | None) -> AlembicConfig:
    config = AlembicConfig()
    config.set_main_option("script_location", str(scripts or scripts_folder()))
    return config


def _known_revisions(config: AlembicConfig) -> list[str]:
    return [revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()]


def upgrade(database: Database, revision: str = "head", scripts: Path | None = None) -> None:
    """One transaction, so that an upgrade that fails leaves the database as it was."""
    _run(database, command.upgrade, revision, _alembic(scripts))


def downgrade(database: Database, revision: str, scripts: Path | None = None) -> None:
    _run(database, command.downgrade, revision, _alembic(scripts))


def _run(database: Database, step: Callable[[AlembicConfig, str], None], revision: str, config: AlembicConfig) -> None:
    present = stored_revision(database)
    if present is not None and present not in _known_revisions(config):
        raise StoreError(f"the database has revision {present}, which this engine does not know: upgrade gsd-engine")
    with database.migrating() as connection:
        config.attributes["connection"] = connection
        step(config, revision)
        if database.is_sqlite and (orphans := _orphans(connection)):
            raise StoreError(f"the migration would leave orphans and was undone: {orphans[0]}")


def backup(database: Database, now: datetime) -> Path:
    """A consistent copy beside the database, made by SQLite itself while others go on writing."""
    path = database.config.sqlite_path
    if path is None:
        raise StoreError("a backup of PostgreSQL is made with pg_dump")
    target = path.with_name(f"{path.stem}-{now:%Y%m%dT%H%M%S%f}Z.db")
    target.touch(mode=0o600, exist_ok=False)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    shutil.copymode(path, target)
    return target


def integrity_problems(database: Database) -> list[str]:
    if not database.is_sqlite:
        return []
    with database.engine.connect() as connection:
        found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
        return [line for line in found if line != "ok"] + _orphans(connection)


def _orphans(connection: Connection) -> list[str]:
    return [
        f"{row[0]} row {row[1]} refers to a missing row of {row[2]}"
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check")
    ]
