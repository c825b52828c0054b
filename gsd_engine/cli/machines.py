"""Print the state machines: every state, every transition, and why."""

from __future__ import annotations

import click

from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import NotFoundError
from gsd_engine.machines import MACHINES, Table
from gsd_engine.machines.diagram import mermaid


@click.command()
@click.argument("name", required=False)
@click.option("--mermaid", "as_mermaid", is_flag=True, help="Print Mermaid state diagrams.")
@json_option
def command(name: str | None, as_mermaid: bool, as_json: bool) -> None:
    """Print the state machines, or the one called NAME.

    \b
    gsd-engine machines delivery
    gsd-engine machines --mermaid
    """
    if name is not None and name not in MACHINES:
        raise NotFoundError(f"no machine {name!r}: there are {', '.join(MACHINES)}")
    tables = [MACHINES[name]] if name is not None else list(MACHINES.values())
    if as_json:
        print_json({"machines": [_as_dict(table) for table in tables]})
    else:
        click.echo("\n\n".join(mermaid(table) if as_mermaid else _as_text(table) for table in tables))


def _as_text(table: Table) -> str:
    lines = [table.name, *(f"  {state:<12} {gloss}" for state, gloss in table.states.items()), ""]
    for row in table.rows:
        lines.append(f"  {' | '.join(row.sources)} ─ {row.trigger} ─▶ {row.target}: {row.why}")
    return "\n".join(lines)


def _as_dict(table: Table) -> dict[str, object]:
    edges = [{"from": s, "trigger": t, "to": d, "why": w} for s, t, d, w in table.edges()]
    return {"name": table.name, "initial": table.initial, "states": dict(table.states), "transitions": edges}
