"""What commands start from: the configuration, the store and the engine of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gsd_engine.config import Config, load_config
from gsd_engine.engine import Engine
from gsd_engine.store.database import Database
from gsd_engine.store.opening import open_store


@dataclass(frozen=True)
class Runtime:
    config: Config
    database: Database
    engine: Engine


@contextmanager
def opened() -> Iterator[Runtime]:
    config = load_config()
    database = open_store(config)
    try:
        yield Runtime(config, database, Engine(database))
    finally:
        database.close()
