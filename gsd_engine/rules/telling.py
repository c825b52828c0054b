"""Sentences in which every changing word is a fact: a column of a row, said as it is.

A clause is a template whose blanks are filled with facts alone, so that what is said can be held against the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from string import Formatter
from typing import Any

from gsd_engine.domain import records
from gsd_engine.rules.texts import fold

LONGEST_WORDS = 64

TABLES: dict[type[records.Record], str] = {
    records.Session: "sessions",
    records.Queue: "queues",
    records.Command: "commands",
    records.Delivery: "deliveries",
    records.Question: "questions",
    records.PendingAnswer: "pending_answers",
    records.Loop: "loops",
    records.LoopFrame: "loop_frames",
    records.AgentRun: "agent_runs",
    records.Pipeline: "pipelines",
    records.PipelineStep: "pipeline_steps",
    records.Decision: "decisions",
    records.EffectRow: "effects",
}

ShowTime = Callable[[datetime, datetime], str]
"""(the moment, now) to what a person or a program reads."""


@dataclass(frozen=True)
class Fact:
    """One value of one row. `column` may go into a JSON column: payload.trigger."""

    table: str
    id: int
    column: str
    value: Any


@dataclass(frozen=True)
class Clause:
    text: str
    facts: tuple[Fact, ...] = ()


def fact(record: records.Record, column: str) -> Fact:
    value: Any = record
    for number, part in enumerate(column.split(".")):
        value = getattr(value, part) if number == 0 else (value or {}).get(part)
    return Fact(TABLES[type(record)], record.id, column, value)


class Teller:
    """Fills templates; knows how times are shown."""

    def __init__(self, now: datetime, show_time: ShowTime) -> None:
        self.now, self.show_time = now, show_time

    def say(self, template: str, **facts: Fact) -> Clause:
        said = {name for _, name, _, _ in Formatter().parse(template) if name}
        shown = {name: self.shown(facts[name].value) for name in said}
        return Clause(template.format(**shown), tuple(facts[name] for name in facts if name in said))

    def shown(self, value: Any) -> str:
        if isinstance(value, datetime):
            return self.show_time(value, self.now)
        return shortened(str(value))


def shortened(text: str, longest: int = LONGEST_WORDS) -> str:
    """On one line, and no longer than a line can bear."""
    folded = fold(text)
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def local_time(at: datetime, now: datetime) -> str:
    """The time on this machine's wall; with the date where it is not today's."""
    here, today = at.astimezone(), now.astimezone()
    return f"{here:%H:%M}" if here.date() == today.date() else f"{here:%b %d %H:%M}"


def utc_time(at: datetime, now: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
