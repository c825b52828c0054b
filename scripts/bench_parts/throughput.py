"""Events a second from parallel clients over the socket, and the latency of each, with synchronous FULL."""

from __future__ import annotations

import json
import time
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from types import ModuleType

from rig import Rig
from table import Table, percentile

EVENTS = 2400


def run(rounds: int) -> Table:
    table = Table("Throughput: clients over the Unix socket, one commit an event")
    with Rig() as rig:
        client = rig.client()
        for clients in (1, 4, 8):
            before = rig.home.events("Stopped")
            times, seconds = _measure(client, clients)
            lost = before + EVENTS - rig.home.events("Stopped")
            wanted = 300 if clients == 8 else None
            table.add(f"{clients} client{'s' * (clients > 1)}", EVENTS / seconds, "events/s", at_least=wanted)
            table.add("  latency, median", percentile(times, 50), "ms")
            table.add("  latency, 99th percentile", percentile(times, 99), "ms")
            table.add("  events lost", lost, "events", at_most=0)
    return table


def _measure(client: ModuleType, clients: int) -> tuple[list[float], float]:
    context = get_context("fork")
    barrier = context.Barrier(clients)
    with context.Pool(clients, _prepare, (client, barrier)) as pool:
        jobs = pool.map(_send, [EVENTS // clients] * clients, chunksize=1)
    spent = max(end for _, _, end in jobs) - min(begin for _, begin, _ in jobs)
    return [time for times, _, _ in jobs for time in times], spent


_client: ModuleType
_barrier: Barrier


def _prepare(client: ModuleType, barrier: Barrier) -> None:
    global _client, _barrier
    _client, _barrier = client, barrier


def _send(events: int) -> tuple[list[float], float, float]:
    payload = json.dumps({"hook_event_name": "Stop", "session_id": "claude-1", "stop_hook_active": True}).encode()
    _barrier.wait()
    times, begin = [], time.perf_counter()
    for number in range(events):
        began = time.perf_counter()
        answer = _client.ask_engine("Stop", payload, f"{id(times)}-{begin}-{number}")
        assert answer == (0, b"", b""), answer
        times.append((time.perf_counter() - began) * 1000)
    return times, begin, time.perf_counter()
