"""Figures in rows: what was measured, the value, and what is wanted of it where something is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any


@dataclass
class Table:
    title: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, what: str, value: float, unit: str, *, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        wanted = f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}" if at_least is not None else ""
        met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        self.rows.append({"what": what, "value": round(value, 2), "unit": unit, "wanted": wanted, "met": met})

    def missed(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if not row["met"]]

    def text(self) -> str:
        lines = [f"## {self.title}"]
        for row in self.rows:
            mark = "" if row["met"] else "  <-- missed"
            wanted = f"(wanted {row['wanted']})" if row["wanted"] else ""
            lines.append(f"{row['what']:<58}{row['value']:>10.2f} {row['unit']:<12}{wanted}{mark}")
        return "\n".join(lines)


def interleaved(rounds: int, measurements: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median milliseconds of each, measured in turns: what disturbs the machine disturbs all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in measurements}
    for _ in range(rounds):
        for name, call in measurements.items():
            began = perf_counter()
            call()
            times[name].append((perf_counter() - began) * 1000)
    return {name: median(values) for name, values in times.items()}


def percentile(values: Sequence[float], percent: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]
