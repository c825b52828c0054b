"""Pictures of the tables, for the README and for `gsd-engine machines --mermaid`."""

from __future__ import annotations

from gsd_engine.machines.table import Table


def mermaid(table: Table) -> str:
    """One arrow per pair of states, with every trigger that leads along it."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for source, trigger, target, _why in table.edges():
        arrows.setdefault((source, target), []).append(trigger)
    lines = ["stateDiagram-v2", f"    [*] --> {table.initial}"]
    lines += [f"    {source} --> {target}: {', '.join(triggers)}" for (source, target), triggers in arrows.items()]
    lines += [f"    {state} --> [*]" for state in table.final]
    return "\n".join(lines)
