"""Whatever the file holds, reading it ends in a registry or in named problems, and merging follows a plain model."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_engine.errors import UsageError
from gsd_engine.registry import HookSettings, Registry, RegistryError, find_problems, load_registry
from gsd_engine.registry.example import example
from gsd_engine.registry.legacy import import_file

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
hook_settings = st.fixed_dictionaries(
    {},
    optional={
        "pane_capture_lines": st.integers(1, 5000),
        "context_pressure_threshold": st.integers(1, 100),
        "autocompact_pct": st.integers(1, 100),
        "hook_mode": st.sampled_from(["async", "bidirectional"]),
        "answer_transport": st.sampled_from(["auto", "hook", "keys"]),
        "answer_wait_seconds": st.integers(1, 3600),
        "delivery_transport": st.sampled_from(["auto", "mod", "keys"]),
    },
)


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in the document that a value stands at, the root left out."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for step, inner in steps for found in [(*place, step), *places(inner, (*place, step))]]


def load_bytes(content: bytes) -> Registry | RegistryError:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "registry.json"
        file.write_bytes(content)
        try:
            return load_registry(file)
        except RegistryError as error:
            return error


def check(text: str) -> None:
    problems = find_problems(text)
    loaded = load_bytes(text.encode("utf-8", "surrogatepass"))
    assert isinstance(loaded, RegistryError) == bool(problems)
    assert all(problem.message and problem.hint for problem in problems)
    "\n".join(map(str, problems)).encode()  # can be printed


@given(st.binary(max_size=200))
def test_any_bytes_give_a_registry_or_a_registry_error(content: bytes) -> None:
    assert isinstance(load_bytes(content), Registry | RegistryError)


@given(anything)
def test_any_json_gives_a_registry_or_problems(document: Any) -> None:
    check(json.dumps(document))


@settings(max_examples=300)
@given(place=st.sampled_from(places(example())), value=anything)
def test_any_value_at_any_place_of_a_good_registry_gives_a_registry_or_problems(
    place: tuple[str | int, ...], value: Any
) -> None:
    document: Any = example()
    holder = document
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    check(json.dumps(document))


@given(place=st.sampled_from([place for place in places(example()) if isinstance(place[-1], str)]), key=st.text())
def test_a_key_that_nobody_knows_is_always_a_problem_at_its_place(place: tuple[str | int, ...], key: str) -> None:
    document: Any = example()
    holder = document
    for step in place[:-1]:
        holder = holder[step]
    unknown = f"x-{key}"
    holder[unknown] = 1
    problems = find_problems(json.dumps(document))
    assert len(problems) == 1
    assert "key" in problems[0].message


@given(root=hook_settings, own=hook_settings)
def test_merging_equals_updating_plain_dictionaries(root: dict[str, Any], own: dict[str, Any]) -> None:
    agent = {"agent_id": "a", "session_name": "s", "hook_settings": own}
    registry = load_bytes(json.dumps({"version": 1, "hook_settings": root, "agents": [agent]}).encode())
    assert isinstance(registry, Registry)
    merged = registry.settings_for(registry.agents[0])
    assert merged.model_dump() == HookSettings().model_dump() | root | own


OLDER = {
    "hook_settings": {"pane_capture_lines": 120},
    "agents": [
        {"agent_id": "warden", "tmux_session_name": "warden-main", "topic_id": 1, "system_prompt_file": "p.md"},
        {"agentId": "forge", "sessionName": "forge-main", "hookSettings": {"hook_mode": "async"}, "on_idle": "nudge"},
    ],
}


@settings(max_examples=150, deadline=None)
@given(place=st.sampled_from([(), *places(OLDER)]), value=anything)
def test_importing_anything_leaves_a_valid_registry_or_none(place: tuple[str | int, ...], value: Any) -> None:
    document: Any = {"whole": json.loads(json.dumps(OLDER))}
    route = ("whole", *place)
    holder = document
    for step in route[:-1]:
        holder = holder[step]
    holder[route[-1]] = value
    with tempfile.TemporaryDirectory() as folder:
        older, file = Path(folder) / "older.json", Path(folder) / "registry.json"
        older.write_text(json.dumps(document["whole"]))
        try:
            report = import_file(older, file)
        except UsageError:
            assert not file.exists()
        else:
            assert [agent.agent_id for agent in load_registry(file).agents] == report.added
