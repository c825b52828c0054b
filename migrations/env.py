"""Alembic's entry. Batch mode, because SQLite changes a table by copying it; names of constraints come from the schema.

`gsd-engine db upgrade` hands its open connection in; the alembic program opens the configured database itself.
"""

from alembic import context

from gsd_engine.config import load_config
from gsd_engine.store.database import Database
from gsd_engine.store.tables import metadata


def run(connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        compare_type=True,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_offline() -> None:
    context.configure(
        url=load_config().database_url, target_metadata=metadata, literal_binds=True, render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    run_offline()
elif (given := context.config.attributes.get("connection")) is not None:
    run(given)
else:
    database = Database(load_config())
    with database.engine.connect() as connection:
        run(connection)
        connection.commit()
    database.close()
