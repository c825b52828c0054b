"""How a command reaches the engine: the resident one where it runs, else an engine opened for this call."""

from __future__ import annotations

from typing import Any

from gsd_engine.config import load_config


def call(operation: str, **arguments: Any) -> dict[str, Any]:
    from gsd_engine.resident.client import ask_resident

    config = load_config()
    answer = ask_resident(config, operation, arguments) if config.resident != "off" else None
    return answer if answer is not None else _call_here(operation, arguments)


def _call_here(operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from gsd_engine.cli.runtime import opened
    from gsd_engine.operations import OPERATIONS
    from gsd_engine.resident.starting import see_to_effects

    with opened() as runtime:
        answer = OPERATIONS[operation](runtime.config, runtime.engine, **arguments)
        see_to_effects(runtime.config, runtime.database)
    return answer
