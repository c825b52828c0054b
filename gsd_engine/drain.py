"""Performs what is in the outbox, in a process of its own, until nothing is due for a while.

Where no resident engine runs, every hook and command that may have left an effect starts one detached. One per home
works at a time; a second one waits a moment, in case the first is just leaving, and then trusts it to see the work.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

from gsd_engine.config import Config, ensure_home
from gsd_engine.dispatch import Dispatcher
from gsd_engine.engine import Engine
from gsd_engine.log import note
from gsd_engine.performers import performers
from gsd_engine.store import effects
from gsd_engine.store.database import Database
from gsd_engine.store.opening import open_store

WORKERS = 4
BETWEEN_LOOKS_SECONDS = 0.05
BETWEEN_RECOVERIES_SECONDS = 5.0
HANDOVER_SECONDS = 3.0
PATIENCE = timedelta(seconds=90)
"""A deadline further away than this is not waited for; the next hook starts a drain again."""


def start_drain_if_needed(config: Config, database: Database) -> None:
    """Detached: Claude Code must not wait for it, and it must outlive the hook."""
    with database.read() as connection:
        if not effects.any_open(connection, config.host):
            return
    subprocess.Popen(
        [sys.executable, "-m", "gsd_engine", "drain"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=config.home,
        env={**os.environ, "GSD_ENGINE_HOME": str(config.home), "GSD_ENGINE_REGISTRY": str(config.registry_path)},
    )


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
    """Several at once, since a slow gateway must not keep a pane waiting."""
    performed, recovered_at = 0, float("-inf")
    with ThreadPoolExecutor(WORKERS) as pool:
        running: set[Future[bool]] = set()
        while True:
            if time.monotonic() - recovered_at > BETWEEN_RECOVERIES_SECONDS:
                dispatcher.recover()
                recovered_at = time.monotonic()
            finished = {job for job in running if job.done()}
            performed += sum(job.result() for job in finished)
            running -= finished
            if len(running) < WORKERS and dispatcher.is_due():
                running.add(pool.submit(dispatcher.run_once))
                continue
            if not running and not (wait and dispatcher.is_due(within=PATIENCE)):
                dispatcher.engine.database.checkpoint()
                note("drained", performed=performed)
                return performed
            time.sleep(BETWEEN_LOOKS_SECONDS)


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
