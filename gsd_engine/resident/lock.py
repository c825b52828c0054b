"""The lock that makes the resident engine one per home. The file names its holder."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from gsd_engine.config import Config
from gsd_engine.log import note
from gsd_engine.resident.starting import hung_socket

REPLACE_SECONDS = 5.0


@contextmanager
def serving(config: Config, inherited: int | None = None) -> Iterator[bool]:
    """True while this process holds the lock; `inherited` is a descriptor on which the parent took it for us."""
    with os.fdopen(inherited, "a+") if inherited is not None else config.lock_path.open("a+") as lock:
        if not _take(lock) and not (_end_hung_one(config, lock) and _take(lock)):
            yield False
            return
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        yield True


def _take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_hung_one(config: Config, lock: IO[str]) -> bool:
    """A client that waited in vain set the socket aside: whoever holds the lock hangs, and is ended, by its id."""
    hung = hung_socket(config)
    lock.seek(0)
    held_by = lock.read().strip()
    if hung is None or not held_by.isdigit():
        return False
    note("replacing a hung resident engine", pid=int(held_by))
    for end in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(int(held_by), end)
        deadline = time.monotonic() + REPLACE_SECONDS
        while time.monotonic() < deadline:
            if hung_socket(config) is None:
                return False  # another one was faster and has taken its place
            if _take(lock):
                Path(hung).unlink(missing_ok=True)
                return True
            time.sleep(0.05)
    return False
