"""Performs what is in the outbox, in a process of its own, until nothing is due for a while.

Where no resident engine runs, every hook and command that may have left an effect starts one detached. One per home
works at a time; a second one waits a moment, in case the first is just leaving, and then trusts it to see the work.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from gsd_engine.config import Config, ensure_home
from gsd_engine.dispatch import Dispatcher
from gsd_engine.engine import Engine
from gsd_engine.log import note
from gsd_engine.performers import performers
from gsd_engine.store.opening import open_store
from gsd_engine.working import Worker

BETWEEN_LOOKS_SECONDS = 0.05
HANDOVER_SECONDS = 3.0
PATIENCE = timedelta(seconds=90)
"""A deadline further away than this is not waited for; the next hook starts a drain again."""


def drain(config: Config, wait: bool = True) -> int:
    """Work the outbox off; returns how many effects were performed. `wait`: for deadlines that are near, too."""
    ensure_home(config)
    with _only_one(config) as mine:
        if not mine:
            return 0
        database = open_store(config)
        engine = Engine(database)
        owner = f"{config.host}:{os.getpid()}"
        try:
            return _work(Dispatcher(engine, performers(config, engine), owner=owner, host=config.host), wait)
        finally:
            database.close()


def _work(dispatcher: Dispatcher, wait: bool) -> int:
    worker = Worker(dispatcher)
    patience = PATIENCE if wait else timedelta()
    worker.run(leave=lambda: worker.is_idle(patience))
    dispatcher.engine.database.checkpoint()
    note("drained", performed=worker.performed)
    return worker.performed


@contextmanager
def _only_one(config: Config) -> Iterator[bool]:
    deadline = time.monotonic() + HANDOVER_SECONDS
    with (config.home / "drain.lock").open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    yield False
                    return
                time.sleep(BETWEEN_LOOKS_SECONDS)
                continue
            yield True
            return
