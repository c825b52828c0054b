"""What the store says about the play: queries that anyone can put to the views of any gsd-engine database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

QUERIES: dict[str, str] = {
    "What was queued, and what came of it": """
        SELECT queue, position, command, state, delivery, substr(completed_at, 12, 12) AS completed,
               substr(replace(result, char(10), ' '), 1, 40) AS result
          FROM v_queue_report ORDER BY queue, position""",
    "Were the answers received as they were meant": """
        SELECT transport, asked, verified, mismatched, taken_over FROM v_answer_accuracy""",
    "The turning points": """
        SELECT substr(at, 12, 12) AS at, name, "from", "to", substr(detail, 1, 40) AS detail
          FROM v_timeline WHERE what IN ('session', 'queue', 'question', 'pending_answer', 'loop')
         ORDER BY event, step""",
    "What is still open": "SELECT what, state, substr(detail, 1, 40) AS detail FROM v_open_work",
}


def audit(database: Path) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as store:
        for title, sql in QUERIES.items():
            cursor = store.execute(sql)
            rows = [["" if value is None else str(value) for value in row] for row in cursor]
            yield f"\n{title}"
            if not rows:
                yield "  nothing"
                continue
            names = [column[0] for column in cursor.description]
            yield from _table(names, rows)


def _table(names: list[str], rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[number]) for row in [names, *rows]) for number in range(len(names))]
    for row in [names, ["─" * width for width in widths], *rows]:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
