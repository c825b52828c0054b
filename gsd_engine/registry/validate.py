"""Every problem of a registry at once, and loading one that has none.

A file is good when `find_problems` finds nothing, and only then does `load_registry` return it: one judge for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gsd_engine.registry.document import Problem, RegistryError, parse_document, read_text, show_path
from gsd_engine.registry.models import Registry
from gsd_engine.registry.wording import problem_from

__all__ = ["Problem", "RegistryError", "examine", "find_problems", "load_registry"]


def load_registry(path: Path) -> Registry:
    """The registry as it is on disk now. A fresh home has none, and that is an empty one."""
    text = read_text(path)
    if text is None:
        return Registry(version=1)
    registry, problems = examine(text)
    if registry is None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise RegistryError(f"{path} has {_count(problems)}: {problems[0]}{more}; see `gsd-engine registry validate`")
    return registry


def find_problems(text: str) -> list[Problem]:
    return examine(text)[1]


def examine(text: str) -> tuple[Registry | None, list[Problem]]:
    """Either a registry and no problem, or no registry and at least one."""
    data, problems = parse_document(text)
    if data is None:
        return None, problems or [Problem("", "must be an object", 'for example {"version": 1, "agents": []}')]
    registry: Registry | None = None
    try:
        registry = Registry.model_validate(data)
    except ValidationError as error:
        problems += [problem_from(detail, data) for detail in error.errors(include_url=False)]
    problems += _across_agents(data)
    distinct = list(dict.fromkeys(problems))
    return (None if distinct else registry), distinct


def _count(problems: list[Problem]) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def _across_agents(data: Any) -> Iterator[Problem]:
    """Looks at the plain data, so that these are found in a file that has other problems too."""
    agents = data.get("agents") if isinstance(data, dict) else None
    if not isinstance(agents, list):
        return
    listed = [(number, agent) for number, agent in enumerate(agents) if isinstance(agent, dict)]
    ids = [(number, agent.get("agent_id")) for number, agent in listed]
    yield from _repeats(ids, "agent_id", "every agent needs its own id")
    sessions = [(number, agent.get("session_name")) for number, agent in listed if agent.get("enabled", True) is True]
    yield from _repeats(sessions, "session_name", "only one enabled agent may drive a session")


def _repeats(values: list[tuple[int, Any]], key: str, hint: str) -> Iterator[Problem]:
    first_at: dict[str, int] = {}
    for number, value in values:
        if not isinstance(value, str):
            continue
        first = first_at.setdefault(value, number)
        if first != number:
            message = f"{value!r} is taken by agents[{first}] already"
            yield Problem(show_path(("agents", number, key)), message, hint)
