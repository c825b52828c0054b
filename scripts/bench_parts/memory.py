"""The resident engine's memory while events come and come."""

from __future__ import annotations

import psutil
from rig import Rig
from table import Table
from throughput import EVENTS, _measure

FIRST, ALL = 10_000, 100_000


def run(rounds: int) -> Table:
    table = Table("Memory of the resident engine")
    with Rig() as rig:
        client = rig.client()
        engine = psutil.Process(rig.home.wait_for_engine())
        sent, early = 0, 0.0
        while sent < ALL:
            _measure(client, 4)
            sent += EVENTS
            if sent >= FIRST and not early:
                early = engine.memory_info().rss / 1e6
        late = engine.memory_info().rss / 1e6
        assert rig.home.events("Stopped") >= ALL
    table.add(f"after {FIRST:,} events", early, "MB")
    table.add(f"after {ALL:,} events", late, "MB")
    table.add("growth over the last 90,000", (late / early - 1) * 100, "%", at_most=10)
    return table
