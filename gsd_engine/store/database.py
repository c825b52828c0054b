"""The database: how it is opened, and what a transaction is. The only module that knows the dialect.

SQLite, measured: only `isolation_level=None` with an explicit BEGIN IMMEDIATE before the first read loses no update
under several writers. WAL with synchronous FULL: what was acknowledged survives a power cut. The checkpoint is left to
one place (`checkpoint`), since SQLite before 3.51.3 can damage a WAL that two connections reset at the same instant.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from gsd_engine.config import Config, ensure_home
from gsd_engine.errors import StoreError
from gsd_engine.store.schema import prepare_for_postgresql

BUSY_SECONDS = 30.0
"""How long a writer waits for its turn. Hooks pass less: nobody waits that long for a hook."""

CHECKPOINT_BYTES = 4 * 1024 * 1024


class Database:
    def __init__(self, config: Config, busy_seconds: float = BUSY_SECONDS) -> None:
        self.config = config
        self.is_sqlite = config.database_url.startswith("sqlite")
        if self.is_sqlite:
            ensure_home(config)
            self._make_private()
        self.engine = self._open(busy_seconds)

    def _open(self, busy_seconds: float) -> Engine:
        if not self.is_sqlite:
            prepare_for_postgresql()
            return create_engine(self.config.database_url, isolation_level="READ COMMITTED")
        engine = create_engine(
            self.config.database_url, connect_args={"timeout": busy_seconds, "check_same_thread": False}
        )
        event.listen(engine, "connect", _prepare_sqlite)
        return engine

    def _make_private(self) -> None:
        """Created before SQLite would create it with the umask's mode; -wal and -shm inherit it."""
        path = self.config.sqlite_path
        if path is None:
            return
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
        elif path.stat().st_mode & 0o077:
            path.chmod(0o600)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction. On SQLite it holds the write lock from before its first read."""
        with self._translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent look that blocks nobody."""
        with self._translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """One transaction that may replace tables, which SQLite's own recipe does with foreign keys off.

        With them on, dropping a table that others refer to fails as soon as it has rows; without the legacy renaming,
        so does giving its copy the name that a view uses. The caller checks the references before it ends.
        """
        with self._translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.detach()  # not back into the pool: its pragmas end with it
                connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
                connection.exec_driver_sql("PRAGMA legacy_alter_table=ON")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            raise StoreError(f"database {self.describe()}: {_first_line(error)}") from error
        except DBAPIError as error:
            raise StoreError(f"database {self.describe()}: {_first_line(error)}") from error

    def has_table(self, connection: Connection, name: str) -> bool:
        """Asked of the catalogue itself: SQLAlchemy's inspector would be one more import for every hook."""
        catalogue = "sqlite_master WHERE type = 'table' AND name" if self.is_sqlite else "pg_tables WHERE tablename"
        return connection.execute(text(f"SELECT 1 FROM {catalogue} = :name"), {"name": name}).first() is not None  # noqa: S608

    def describe(self) -> str:
        return str(self.config.sqlite_path or self.engine.url.render_as_string(hide_password=True))

    def checkpoint(self) -> bool:
        """Fold the write-ahead log into the database when it has grown, in one process at a time."""
        path = self.config.sqlite_path
        wal = Path(f"{path}-wal")
        if path is None or not wal.exists() or wal.stat().st_size < CHECKPOINT_BYTES:
            return False
        with (self.config.home / "checkpoint.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            with self._translated(), self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            return True

    def close(self) -> None:
        self.engine.dispose()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "wal_autocheckpoint=0",
        "trusted_schema=OFF",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
