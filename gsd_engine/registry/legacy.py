"""Taking over the files of before: `agent-registry.json` and `recovery-registry.json`.

Nothing is guessed and nothing is dropped silently: what has a place in today's registry goes there, what has none or
does not fit is named with its path. What the registry says already is kept.

    recovery-registry.json  global_status_*, hook_settings, agents[] with tmux_session_name, claude_launch_command, …
    agent-registry.json     agents[] with today's names
Both also with agents as an object keyed by id, and with camelCase names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gsd_engine.errors import NotFoundError, UsageError
from gsd_engine.registry.document import parse_document, read_text, show_path
from gsd_engine.registry.edit import Document, editing, render
from gsd_engine.registry.models import Agent, HookSettings
from gsd_engine.registry.validate import find_problems
from gsd_engine.registry.wording import RENAMED

_NOTHING: tuple[Any, ...] = (None, "")
_ROOT_KEYS = ("gateway", "notify")
# An entry is worth nothing without these, so that a problem there leaves the whole agent out.
_REQUIRED = ("agent_id", "session_name")


@dataclass
class ImportReport:
    """What came of it: agents added, agents kept as they were, and what was not taken over (with its reason)."""

    added: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    not_taken: list[str] = field(default_factory=list)
    has_gateway: bool = False


def import_file(source: Path, registry_path: Path) -> ImportReport:
    older = _read(source)
    report = ImportReport()
    with editing(registry_path) as document:
        _take_root(document, older, report)
        for place, agent in _agents_of(older, report):
            _take_agent(document, place, agent, source, report)
        report.has_gateway = bool(document.get("gateway"))
    return report


def _read(source: Path) -> Document:
    text = read_text(source)
    if text is None:
        raise NotFoundError(f"no file {source}")
    data, problems = parse_document(text)
    if isinstance(data, list):
        return {"agents": data}
    if not isinstance(data, dict):
        raise UsageError(f"{source} is not an older registry: {problems[0] if problems else 'it holds no object'}")
    return data


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()


def _is_comment(key: str) -> bool:
    return key.startswith(("_comment", "//", "$schema"))


def _known(place: str, older: Document, names: dict[str, str], report: ImportReport) -> Document:
    """The entries that have a place today, under today's names; the rest is reported.

    Today's own names go first: beside an `agent_id`, a `name` is only what the agent was called on screens.
    """
    taken: Document = {}
    for key, value in sorted(older.items(), key=lambda item: names.get(_snake_case(item[0])) != _snake_case(item[0])):
        today = names.get(_snake_case(key))
        if today is None and not _is_comment(key):
            report.not_taken.append(f"{place}{show_path((key,))}: unknown here")
        elif today in taken:
            report.not_taken.append(f"{place}{show_path((key,))}: {today} was given already")
        elif today is not None and value not in _NOTHING:
            taken[today] = value
    return taken


def _take_root(document: Document, older: Document, report: ImportReport) -> None:
    names = {key: key for key in (*_ROOT_KEYS, "hook_settings", "agents", "version")}
    taken = _known("", older, names, report)
    for key in _ROOT_KEYS:
        if key in taken and document.get(key) is None:
            document[key] = taken[key]
    _drop_misfits(document, document, "", "", report)
    settings = _settings("hook_settings.", taken.get("hook_settings"), report)
    fitting = {**settings, **document.get("hook_settings", {})}
    if fitting:
        document["hook_settings"] = fitting


def _settings(place: str, older: Any, report: ImportReport) -> Document:
    """Each setting on its own: one that does not fit takes no other with it."""
    if not isinstance(older, dict):
        report.not_taken += [] if older is None else [f"{place[:-1]}: not an object"]
        return {}
    taken = _known(place, older, {key: key for key in HookSettings.model_fields}, report)
    fitting: Document = {}
    for key, value in taken.items():
        problems = find_problems(render({"version": 1, "hook_settings": {key: value}}))
        report.not_taken += [f"{place}{key}: {problem.message}" for problem in problems]
        fitting.update({} if problems else {key: value})
    return fitting


def _agents_of(older: Document, report: ImportReport) -> list[tuple[str, Document]]:
    agents: Any = next((value for key, value in older.items() if _snake_case(key) == "agents"), [])
    if not isinstance(agents, dict | list):
        report.not_taken.append("agents: neither a list nor an object")
        return []
    steps: list[tuple[str | int, Any]] = list(agents.items() if isinstance(agents, dict) else enumerate(agents))
    found: list[tuple[str, Document]] = []
    for step, agent in steps:
        place = show_path(("agents", step))
        if isinstance(agent, dict):
            found.append((f"{place}.", {"agent_id": step, **agent} if isinstance(step, str) else agent))
        else:
            report.not_taken.append(f"{place}: not an object")
    return found


def _take_agent(document: Document, place: str, older: Document, source: Path, report: ImportReport) -> None:
    names = {**RENAMED, **{key: key for key in Agent.model_fields}}
    entry = _known(place, older, names, report)
    agents = document.setdefault("agents", [])
    if any(agent.get("agent_id") == entry.get("agent_id") for agent in agents):
        report.kept.append(str(entry.get("agent_id")))
        return
    entry["hook_settings"] = _settings(f"{place}hook_settings.", entry.get("hook_settings"), report)
    _find_prompt_file(entry, source, place, report)
    agents.append(entry)
    _drop_misfits(document, entry, f"agents[{len(agents) - 1}].", place, report)
    if all(key in entry for key in _REQUIRED):
        report.added.append(entry["agent_id"])
    else:
        agents.pop()


def _find_prompt_file(entry: Document, source: Path, place: str, report: ImportReport) -> None:
    """Older files name it relative to their project, whose `config` folder they lie in."""
    name = entry.get("system_prompt_file")
    if not isinstance(name, str):
        return
    candidates = [folder / name for folder in (source.absolute().parent, source.absolute().parent.parent)]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        del entry["system_prompt_file"]
        report.not_taken.append(f"{place}system_prompt_file: there is no file {name}")
    else:
        entry["system_prompt_file"] = str(found.resolve())


def _drop_misfits(document: Document, entry: Document, here: str, place: str, report: ImportReport) -> None:
    """Take out of an entry that lies `here` what does not validate, key by key, and say so."""
    for problem in find_problems(render(document)):
        if problem.path.startswith(here):
            key = re.split(r"[.\[]", problem.path[len(here) :])[0]
            report.not_taken.append(f"{place}{key}: {problem.message}")
            entry.pop(key, None)
