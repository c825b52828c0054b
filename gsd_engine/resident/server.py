"""`gsd-engine serve`: one per home, for as long as there is something to do.

The lock file makes it one; a second one leaves quietly. The socket is made with mode 0600 in a home of mode 0700. A stop
finishes what was claimed. It leaves by itself when it has been idle for long, when its socket was set aside because
it hung, or when a client of another version asked.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

import uvicorn

from gsd_engine.config import Config, ensure_home
from gsd_engine.dispatch import Dispatcher
from gsd_engine.engine import Engine
from gsd_engine.log import note
from gsd_engine.performers import performers
from gsd_engine.resident.app import Resident
from gsd_engine.store import effects
from gsd_engine.store.opening import open_store
from gsd_engine.working import Worker

IDLE_SECONDS = 30 * 60.0
BETWEEN_LOOKS_SECONDS = 0.25  # for effects that other processes left; its own are nudged
HOUSEKEEPING_SECONDS = 2.0
REPLACE_SECONDS = 5.0


def serve(config: Config) -> bool:
    """Run until it is time to leave; False where another one serves this home."""
    ensure_home(config)
    with _lock(config) as mine:
        if not mine:
            return False
        Server(config).run()
    return True


class Server:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.database = open_store(config)
        self.engine = Engine(self.database)
        owner = f"{config.host}:{os.getpid()}"
        dispatcher = Dispatcher(self.engine, performers(config, self.engine), owner=owner, host=config.host)
        self.worker = Worker(dispatcher, BETWEEN_LOOKS_SECONDS)
        self.resident = Resident(config, self.engine, self.worker.nudge, self.leave)
        self._leaving = threading.Event()
        self._socket_inode = 0

    def run(self) -> None:
        listener = self._listen()
        web = uvicorn.Server(
            uvicorn.Config(self.resident.app(), log_config=None, access_log=False, lifespan="off", timeout_keep_alive=60)
        )
        threads = [
            threading.Thread(target=self.worker.run, args=(self._leaving.is_set,), name="worker"),
            threading.Thread(target=self._housekeeping, args=(web,), name="housekeeping", daemon=True),
        ]
        for thread in threads:
            thread.start()
        note("resident engine started", socket=str(self.config.socket_path))
        try:
            web.run(sockets=[listener])
        finally:
            self._close(threads[0])

    def leave(self) -> None:
        self._leaving.set()
        self.worker.nudge()

    def _close(self, worker: threading.Thread) -> None:
        if self._owns_socket():
            self.config.socket_path.unlink(missing_ok=True)
        self.leave()
        worker.join()
        self.database.close()
        note("resident engine left", requests=self.resident.requests, performed=self.worker.performed)

    def _listen(self) -> socket.socket:
        self.config.socket_path.unlink(missing_ok=True)  # ours to remove: we hold the lock
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(str(self.config.socket_path))
        finally:
            os.umask(before)
        listener.listen(512)
        self._socket_inode = self.config.socket_path.stat().st_ino
        return listener

    def _owns_socket(self) -> bool:
        try:
            return self.config.socket_path.stat().st_ino == self._socket_inode
        except OSError:
            return False

    def _housekeeping(self, web: uvicorn.Server) -> None:
        while not self._leaving.wait(HOUSEKEEPING_SECONDS):
            with suppress(Exception):
                self.database.checkpoint()
                if not self._owns_socket() or self._idle_for_long():
                    self.leave()
        web.should_exit = True

    def _idle_for_long(self) -> bool:
        if time.monotonic() - self.resident.last_request_at < IDLE_SECONDS:
            return False
        with self.database.read() as connection:
            return not effects.any_open(connection, self.config.host)


@contextmanager
def _lock(config: Config) -> Iterator[bool]:
    """Held for as long as this process serves; the file names it."""
    with config.lock_path.open("a+") as lock:
        if not _take(lock) and not (_replace_hung(config, lock) and _take(lock)):
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


def _replace_hung(config: Config, lock: IO[str]) -> bool:
    """A client that waited in vain set the socket aside: whoever holds the lock hangs, and is ended, by its id."""
    hung = config.socket_path.with_name(config.socket_path.name + ".hung")
    if config.socket_path.exists() or not hung.exists():
        return False
    lock.seek(0)
    held_by = lock.read().strip()
    if not held_by.isdigit():
        return False
    note("replacing a hung resident engine", pid=int(held_by))
    for end in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(int(held_by), end)
        deadline = time.monotonic() + REPLACE_SECONDS
        while time.monotonic() < deadline:
            if _take(lock):
                hung.unlink(missing_ok=True)
                return True
            time.sleep(0.05)
    return False
