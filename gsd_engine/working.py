"""Works the outbox off: several effects at once, since a slow gateway must not keep a pane waiting.

Used by the resident engine for as long as it lives and by `gsd-engine drain` until nothing is due for a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

from gsd_engine.dispatch import Dispatcher
from gsd_engine.log import ROOT

WORKERS = 6
BETWEEN_LOOKS_SECONDS = 0.05
BETWEEN_RECOVERIES_SECONDS = 5.0


class Worker:
    """`nudge` after a commit, and the outbox is looked at now; else it is looked at every so often."""

    def __init__(self, dispatcher: Dispatcher, between_looks: float = BETWEEN_LOOKS_SECONDS) -> None:
        self.dispatcher, self.between_looks = dispatcher, between_looks
        self.performed = 0
        self._nudged = threading.Event()
        self._running: set[Future[bool]] = set()
        self._recovered_at = float("-inf")

    def nudge(self, *_: object) -> None:
        self._nudged.set()

    def run(self, leave: Callable[[], bool]) -> None:
        """Until `leave` says so; what was claimed is finished first."""
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="performer") as pool:
            while not (leave() and not self._running):
                self._nudged.clear()
                if not self._turn(pool, closing=leave()):
                    self._nudged.wait(self.between_looks)

    def _turn(self, pool: ThreadPoolExecutor, closing: bool) -> bool:
        """One look; True where something was started and another look is worth it at once."""
        self._collect()
        if time.monotonic() - self._recovered_at > BETWEEN_RECOVERIES_SECONDS:
            self._recovered_at = time.monotonic()
            self.dispatcher.recover()
        if closing or len(self._running) >= WORKERS or not self.dispatcher.is_due():
            return False
        job = pool.submit(self.dispatcher.run_once)
        job.add_done_callback(self.nudge)
        self._running.add(job)
        return True

    def _collect(self) -> None:
        for job in [job for job in self._running if job.done()]:
            self._running.remove(job)
            if job.exception() is not None:
                ROOT.error("an effect could not be settled", exc_info=job.exception())
            else:
                self.performed += job.result()

    def is_idle(self, patience: timedelta = timedelta()) -> bool:
        return not self._running and not self.dispatcher.is_due(within=patience)
