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

import gsd_engine
from gsd_engine.errors import StoreError
from gsd_engine.store.database import Database
from gsd_engine.store.opening import stored_revision


def scripts_folder() -> Path:
    package = Path(gsd_engine.__file__).parent
    inside, beside = package / "migrations", package.parent / "migrations"
    return inside if inside.is_dir() else beside


def _alembic() -> AlembicConfig:
    config = AlembicConfig()
    config.set_main_option("script_location", str(scripts_folder()))
    return config


def known_revisions() -> list[str]:
    script = ScriptDirectory.from_config(_alembic())
    return [revision.revision for revision in script.walk_revisions()]


def upgrade(database: Database, revision: str = "head") -> None:
    """One transaction, so that an upgrade that fails leaves the database as it was."""
    _run(database, command.upgrade, revision)


def downgrade(database: Database, revision: str) -> None:
    _run(database, command.downgrade, revision)


def _run(database: Database, step: Callable[[AlembicConfig, str], None], revision: str) -> None:
    present = stored_revision(database)
    if present is not None and present not in known_revisions():
        raise StoreError(f"the database has revision {present}, which this engine does not know: upgrade gsd-engine")
    config = _alembic()
    with database.write() as connection:
        config.attributes["connection"] = connection
        step(config, revision)


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
        orphans = [
            f"{row[0]} row {row[1]} refers to a missing row of {row[2]}"
            for row in connection.exec_driver_sql("PRAGMA foreign_key_check")
        ]
    return [line for line in found if line != "ok"] + orphans
