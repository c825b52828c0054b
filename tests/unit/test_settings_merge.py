"""Merging our hooks into settings that belong to someone else."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.errors import UsageError
from gsd_engine.hooks import settings as merge
from gsd_engine.hooks.settings import HOOK_ENTRIES, HookState, installed, is_ours, states, uninstalled
from gsd_engine.hooks.settings_text import parse, rewrite

EVENTS = [entry.event for entry in HOOK_ENTRIES]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
foreign_hooks = st.fixed_dictionaries(
    {"type": st.sampled_from(["command", "http", "prompt"])},
    optional={
        "command": st.sampled_from(["notify-send done", "/usr/bin/env", "gsd-engine-report hook", "echo 'open", ""]),
        "args": st.lists(st.sampled_from(["-m", "hook", "other", "gsd_engine.py"]), max_size=3),
        "timeout": st.integers(1, 900),
        "future": json_values,
    },
)
our_older_hooks = st.sampled_from(
    [
        {"type": "command", "command": "/old/venv/bin/python", "args": ["-m", "gsd_engine", "hook", "Stop"]},
        {"type": "command", "command": "/usr/bin/python3 -m gsd_engine hook Stop"},
        {"type": "command", "command": "/opt/bin/gsd-engine", "args": ["hook", "Stop"], "timeout": 1},
        {"type": "command", "command": "python3", "args": ["-I", "-S", "/x/gsd_engine/hooks/client.py", "Stop"]},
    ]
)


def groups(hooks: st.SearchStrategy[Any], min_hooks: int) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"hooks": st.lists(hooks, min_size=min_hooks, max_size=3)},
        optional={"matcher": st.sampled_from(["", "*", "Bash", "AskUserQuestion"]), "future": json_values},
    )


def settings_with(hooks: st.SearchStrategy[Any], min_groups: int = 1) -> st.SearchStrategy[Any]:
    names = st.sampled_from([*EVENTS, "SubagentStop", "ConfigChange"])
    events = st.dictionaries(names, st.lists(groups(hooks, 0), min_size=min_groups, max_size=3), min_size=min_groups)
    others = st.dictionaries(st.text().filter(lambda key: key != "hooks"), json_values, max_size=4)
    return st.builds(lambda rest, found: rest | found, others, st.just({}) | events.map(lambda found: {"hooks": found}))


foreign_settings = settings_with(foreign_hooks)
mixed_settings = settings_with(foreign_hooks | our_older_hooks, min_groups=0)


def foreign_part(settings: dict[str, Any]) -> list[Any]:
    """Every foreign hook with its event and the rest of its group, in order."""
    return [
        (event, {**group, "hooks": []}, hook)
        for event, found in settings.get("hooks", {}).items()
        for group in found
        for hook in group["hooks"]
        if not is_ours(hook)
    ]


@given(foreign_settings)
def test_install_then_uninstall_gives_back_an_equal_value_in_the_same_order(settings: dict[str, Any]) -> None:
    assert json.dumps(uninstalled(installed(settings))) == json.dumps(settings)


@given(foreign_settings)
def test_uninstall_leaves_settings_without_our_hooks_alone(settings: dict[str, Any]) -> None:
    assert uninstalled(settings) == settings


@given(mixed_settings)
def test_install_makes_every_event_installed_whatever_was_there(settings: dict[str, Any]) -> None:
    assert set(states(installed(settings)).values()) == {HookState.INSTALLED}


@given(mixed_settings)
def test_install_twice_is_install_once(settings: dict[str, Any]) -> None:
    once = installed(settings)
    assert json.dumps(installed(once)) == json.dumps(once)


@given(mixed_settings)
def test_no_foreign_hook_and_no_foreign_key_is_ever_changed(settings: dict[str, Any]) -> None:
    before = copy.deepcopy(settings)
    for result in (installed(settings), uninstalled(settings)):
        assert foreign_part(result) == foreign_part(before)
        assert [key for key in result if key != "hooks"] == [key for key in before if key != "hooks"]
        assert all(result[key] == before[key] for key in result if key != "hooks")
    assert settings == before, "the argument itself was changed"


@given(mixed_settings)
def test_uninstall_leaves_nothing_of_ours(settings: dict[str, Any]) -> None:
    assert set(states(uninstalled(settings)).values()) == {HookState.MISSING}


@given(
    foreign_settings,
    st.sampled_from(["  ", "    ", "\t", None]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_a_file_gets_its_very_text_back_whatever_its_style(
    settings: dict[str, Any], indent: str | None, newline: str, ending: str
) -> None:
    settings = {"first": 1, **settings}
    text = (json.dumps(settings, indent=indent) + ending).replace("\n", newline)
    merged = rewrite(text, installed(settings))
    assert json.dumps(parse(merged)) == json.dumps(installed(settings))
    assert rewrite(merged, uninstalled(parse(merged))) == text


@given(mixed_settings, st.sampled_from(["  ", None]))
def test_rewritten_text_has_exactly_the_new_value(settings: dict[str, Any], indent: str | None) -> None:
    text = json.dumps(settings, indent=indent)
    for new in (installed(settings), uninstalled(settings)):
        assert json.dumps(parse(rewrite(text, new))) == json.dumps(new)


def test_hand_made_layout_outside_our_hooks_is_kept() -> None:
    kept = [
        '["a",   "b"]',
        '"caf\\u00e9": 1.50e2',
        '{"matcher": "", "hooks": [ {"type": "command", "command": "date"} ]}',
        '{"matcher":"","hooks":[{"type":"command","command":"date"}]}',
    ]
    text = '{{\n  "allow": {}, {},\n  "hooks": {{\n    "Stop": [{}, {}]\n  }}\n}}'.format(*kept)
    merged = rewrite(text, installed(parse(text)))
    assert [part for part in kept if merged.count(part) != 1] == []


def test_the_hooks_are_those_of_the_specification() -> None:
    hooks = installed({})["hooks"]
    asked = {"PreToolUse", "PermissionRequest", "PostToolUse"}
    assert set(hooks) == asked | {
        *("SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "Notification", "PreCompact", "SessionEnd")
    }
    assert {event for event, found in hooks.items() if found[0].get("matcher") == "AskUserQuestion"} == asked
    assert all("matcher" not in found[0] for event, found in hooks.items() if event not in asked)


def test_a_hook_is_started_without_a_shell_by_an_absolute_interpreter() -> None:
    (group,) = installed({})["hooks"]["SessionEnd"]
    command, args = merge.hook_command("SessionEnd")
    assert group["hooks"] == [{"type": "command", "command": command, "args": args, "timeout": 5}]
    assert Path(command).is_absolute()
    assert args[-1] == "SessionEnd"


def test_the_interpreter_is_the_one_of_the_virtualenv_and_not_what_it_links_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/u/project/.venv/bin/python")
    assert merge.interpreter() == "/home/u/project/.venv/bin/python"


def test_a_shim_is_replaced_by_the_interpreter_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/u/.pyenv/shims/python3")
    monkeypatch.setattr(sys, "prefix", "/home/u/.pyenv/versions/3.11.7")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert merge.interpreter() == f"/home/u/.pyenv/versions/3.11.7/bin/python{version}"


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("python", ["-m", "other", "hook", "Stop"]),
        ("gsd-engine", ["queue", "list"]),
        ("/home/u/gsd_engine/notes.py", None),
        ("echo gsd-engine hook Stop", None),
        ("bash", ["-c", "gsd-engine hook Stop | tee log"]),
    ],
)
def test_a_command_that_only_resembles_ours_is_foreign(command: str, args: list[str] | None) -> None:
    hook: dict[str, Any] = {"type": "command", "command": command}
    assert not is_ours(hook | ({} if args is None else {"args": args}))


def test_states_tell_missing_outdated_and_doubled_apart() -> None:
    settings = installed({})
    del settings["hooks"]["Stop"]
    settings["hooks"]["PreCompact"][0]["hooks"][0]["timeout"] = 1
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Bash"
    settings["hooks"]["Notification"] *= 2
    settings["hooks"]["SubagentStop"] = settings["hooks"]["SessionEnd"]
    found = {event: state for event, state in states(settings).items() if state is not HookState.INSTALLED}
    assert found == {
        "Stop": HookState.MISSING,
        "PreCompact": HookState.OUTDATED,
        "PreToolUse": HookState.OUTDATED,
        "Notification": HookState.DOUBLED,
        "SubagentStop": HookState.OUTDATED,
    }


def test_our_hook_that_shares_a_group_leaves_it_without_taking_the_neighbour_along() -> None:
    settings = installed({})
    neighbour = {"type": "command", "command": "date"}
    settings["hooks"]["Stop"][0]["hooks"].append(neighbour)
    assert uninstalled(settings) == {"hooks": {"Stop": [{"hooks": [neighbour]}]}}


@pytest.mark.parametrize(
    ("hooks", "where"),
    [
        ([], "'hooks'"),
        (None, "'hooks'"),
        ({"Stop": {}}, "'hooks.Stop'"),
        ({"Other": ["x"]}, r"'hooks.Other\[0\]'"),
        ({"Stop": [{"matcher": ""}]}, r"'hooks.Stop\[0\].hooks'"),
        ({"Stop": [{"hooks": [1]}]}, r"'hooks.Stop\[0\].hooks\[0\]'"),
    ],
)
def test_hooks_of_a_wrong_shape_are_refused_with_their_place(hooks: object, where: str) -> None:
    for function in (installed, uninstalled, states):
        with pytest.raises(UsageError, match=where):
            function({"hooks": hooks})
