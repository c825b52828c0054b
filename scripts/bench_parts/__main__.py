"""Every part is a module with `run(rounds) -> Table`; this runs those that are asked for and prints what they found."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sqlite3
import sys
from pathlib import Path

from table import Table

PARTS = ("step", "hooks", "throughput", "growth", "memory")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Ratios within one run; times are this machine's."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=40, help="interleaved rounds of each measurement")
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON, too")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    print(f"{platform.machine()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}\n", flush=True)
    tables: list[Table] = []
    for name in given.parts or PARTS:
        table: Table = importlib.import_module(name).run(given.rounds)
        print(table.text() + "\n", flush=True)
        tables.append(table)
    if given.json:
        Path(given.json).write_text(json.dumps({table.title: table.rows for table in tables}, indent=2), "utf-8")
    missed = [
        f"{table.title}: {row['what']} is {row['value']}, wanted {row['wanted']}"
        for table in tables
        for row in table.missed()
    ]
    print("\n".join(missed) or "every figure is within what is wanted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
