"""`gsd-engine serve`: one per home, for as long as there is something to do.

The lock file makes it one; a second one leaves quietly. The socket has mode 0600 in a home of mode 0700. A stop
finishes what was claimed. It leaves by itself when it has been idle for long, when its socket was set aside because
it hung, or when a client of another version asked.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from datetime import timedelta

import uvicorn

from gsd_engine.config import Config, ensure_home
from gsd_engine.dispatch import Dispatcher
from gsd_engine.effects.tmux import RecentPanes
from gsd_engine.engine import Engine
from gsd_engine.hooks.intake import BUSY_SECONDS, Intake
from gsd_engine.log import note
from gsd_engine.performers import performers
from gsd_engine.resident.address import bind
from gsd_engine.resident.app import Resident
from gsd_engine.resident.lock import serving
from gsd_engine.resident.loopback import Address, Loopback
from gsd_engine.resident.loopback_app import loopback_app
from gsd_engine.resident.watch import Watch
from gsd_engine.sessions.looking import SILENCE
from gsd_engine.store import effects, queues
from gsd_engine.store.opening import open_store
from gsd_engine.working import Worker

IDLE_SECONDS = 30 * 60.0
BETWEEN_LOOKS_SECONDS = 0.25  # for effects that other processes left; its own are nudged
HOUSEKEEPING_SECONDS = 2.0
GOODBYE_SECONDS = 3


def serve(
    config: Config, lock_fd: int | None = None, http: Address | None = None, silence: timedelta = SILENCE
) -> bool:
    """Run until it is time to leave; False where another one serves this home. `http`: listen there too, and stay."""
    ensure_home(config)
    with serving(config, lock_fd) as mine:
        if mine:
            Server(config, http, silence).run()
    return mine


class Server:
    def __init__(self, config: Config, http: Address | None = None, silence: timedelta = SILENCE) -> None:
        self.config, self.http = config, http
        self.database = open_store(config)
        self.hook_database = open_store(config, BUSY_SECONDS)
        self.engine = Engine(self.database)
        hook_engine = Engine(self.hook_database)
        owner = f"{config.host}:{os.getpid()}"
        dispatcher = Dispatcher(self.engine, performers(config, self.engine), owner=owner, host=config.host)
        self.worker = Worker(dispatcher, BETWEEN_LOOKS_SECONDS)
        self.watch = Watch(self.engine, config.host, silence, self.worker.nudge)
        intake = Intake(
            config,
            engine_for=lambda config, hook: hook_engine,
            after_step=self.worker.nudge,
            identify=RecentPanes(),
        )
        self._leaving = threading.Event()
        self.loopback = Loopback(config, lambda: loopback_app(self.resident, self._leaving.is_set))
        self.resident = Resident(
            config, self.engine, intake, self.worker.nudge, self.leave, self.loopback.open, self._leaving.is_set
        )
        self._socket_inode = 0

    def run(self) -> None:
        self._open_loopback()
        listener = self._listen()
        web = uvicorn.Server(
            uvicorn.Config(
                self.resident.app(),
                http="h11",  # it alone ends a stream without chunks where the client speaks HTTP/1.0
                log_config=None,
                access_log=False,
                lifespan="off",
                timeout_graceful_shutdown=GOODBYE_SECONDS,
            )
        )
        worker = threading.Thread(target=self.worker.run, args=(self._leaving.is_set,), name="worker")
        worker.start()
        threading.Thread(target=self._housekeeping, args=(web,), name="housekeeping", daemon=True).start()
        watch = threading.Thread(target=self.watch.run, args=(self._leaving,), name="watch")
        watch.start()
        note("resident engine started", socket=str(self.config.socket_path))
        try:
            web.run(sockets=[listener])
        finally:
            self._close(worker, watch)

    def leave(self) -> None:
        self._leaving.set()
        self.worker.nudge()

    def _open_loopback(self) -> None:
        if self.http is not None:
            self.loopback.open(self.http)
        else:
            self.loopback.reopen()

    def _close(self, *threads: threading.Thread) -> None:
        if self._owns_socket():
            self.config.socket_path.unlink(missing_ok=True)
        self.leave()
        self.loopback.close()
        for thread in threads:
            thread.join()
        self.database.close()
        self.hook_database.close()
        note("resident engine left", requests=self.resident.activity.requests, performed=self.worker.performed)

    def _listen(self) -> socket.socket:
        self.config.socket_path.unlink(missing_ok=True)  # ours to remove: we hold the lock
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        bind(listener, self.config.socket_path)
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
        if self.http is not None:
            return False  # hooks by HTTP cannot start it again
        if time.monotonic() - self.resident.activity.last_request_at < IDLE_SECONDS:
            return False
        with self.database.read() as connection:
            waiting = effects.any_open(connection, self.config.host) or queues.any_active(connection)
        return not waiting  # a queue's turn may be interrupted, and only the watch would see it
