"""Writes the parts of README.md that are made from the code: between `<!-- made: NAME -->` and `<!-- /made -->`.

python scripts/readme.py           writes them
python scripts/readme.py --check   says whether they are fresh (exit 1 where not)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gsd_engine.cli import COMMANDS
from gsd_engine.machines import MACHINES
from gsd_engine.machines.diagram import mermaid

README = Path(__file__).parent.parent / "README.md"
PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- /made -->)", re.DOTALL)


def machines() -> str:
    parts = []
    for name, table in MACHINES.items():
        parts += [f"<details><summary>{name}</summary>\n", "```mermaid", mermaid(table), "```", "\n</details>\n"]
    return "\n".join(parts)


def commands() -> str:
    return "\n".join(["| Command | For |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in COMMANDS.items())])


MADE = {"machines": machines, "commands": commands}


def main() -> int:
    text = README.read_text("utf-8")
    fresh = PART.sub(lambda part: f"{part[1]}{MADE[part[2]]().rstrip()}\n{part[3]}", text)
    if "--check" in sys.argv[1:]:
        if fresh != text:
            print("README.md is not fresh: run python scripts/readme.py")
        return int(fresh != text)
    README.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
