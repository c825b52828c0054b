"""Opening the store: a new home gets a new database, one of another revision is refused with what to do."""

from __future__ import annotations

from sqlalchemy import text

from gsd_engine.config import Config
from gsd_engine.errors import StoreError
from gsd_engine.store.database import BUSY_SECONDS, Database

HEAD = "0001"
"""The revision this engine works with. A constant, since importing Alembic costs more than a hook may take; tested."""


def open_store(config: Config, busy_seconds: float = BUSY_SECONDS) -> Database:
    database = Database(config, busy_seconds)
    revision = stored_revision(database)
    if revision is None:
        from gsd_engine.store import migrations

        migrations.upgrade(database)
    elif revision != HEAD:
        raise StoreError(
            f"database {database.describe()} has revision {revision}, this engine works with {HEAD}: "
            "run 'gsd-engine db upgrade', or the engine that made it"
        )
    return database


def stored_revision(database: Database) -> str | None:
    with database.read() as connection:
        if not database.has_table(connection, "alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
