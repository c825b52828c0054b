"""What a registry means: defaults, merging, lookups, and the one form of every policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gsd_engine.registry import (
    HookSettings,
    InboxGateway,
    OpenClawCliGateway,
    OpenClawGateway,
    Registry,
    RegistryError,
    find_problems,
    load_registry,
)
from gsd_engine.rules.policies import policy_for_error


def write(path: Path, **root: Any) -> Path:
    file = path / "registry.json"
    file.write_text(json.dumps({"version": 1, **root}))
    return file


def load(path: Path, **root: Any) -> Registry:
    return load_registry(write(path, **root))


def agent(**fields: Any) -> dict[str, Any]:
    return {"agent_id": "warden", "session_name": "warden-main", **fields}


def test_a_missing_file_is_an_empty_registry(tmp_path: Path) -> None:
    assert load_registry(tmp_path / "none.json").agents == ()


def test_the_built_in_settings_are_the_documented_ones() -> None:
    assert HookSettings().model_dump() == {
        "pane_capture_lines": 100,
        "context_pressure_threshold": 50,
        "autocompact_pct": 80,
        "hook_mode": "async",
        "answer_transport": "auto",
        "answer_wait_seconds": 540,
        "delivery_transport": "auto",
    }


@pytest.mark.parametrize(
    ("root", "own", "lines", "mode"),
    [
        ({}, {}, 100, "async"),
        ({"pane_capture_lines": 20}, {}, 20, "async"),
        ({}, {"pane_capture_lines": 30}, 30, "async"),
        ({"pane_capture_lines": 20, "hook_mode": "bidirectional"}, {"pane_capture_lines": 30}, 30, "bidirectional"),
        # saying the built-in value is saying it: it goes over the root's
        ({"pane_capture_lines": 20}, {"pane_capture_lines": 100}, 100, "async"),
        ({"hook_mode": "bidirectional"}, {"hook_mode": "async"}, 100, "async"),
    ],
)
def test_settings_merge_field_by_field(tmp_path: Path, root: Any, own: Any, lines: int, mode: str) -> None:
    registry = load(tmp_path, hook_settings=root, agents=[agent(hook_settings=own)])
    merged = registry.settings_for(registry.agents[0])
    assert (merged.pane_capture_lines, merged.hook_mode) == (lines, mode)


def test_an_agents_gateway_goes_over_the_roots_and_inbox_is_the_default(tmp_path: Path) -> None:
    own = agent(gateway={"kind": "openclaw-cli"})
    other = {"agent_id": "forge", "session_name": "forge-main"}
    with_root = load(tmp_path, gateway={"kind": "openclaw"}, agents=[own, other])
    assert with_root.gateway_for(with_root.agents[0]) == OpenClawCliGateway(kind="openclaw-cli", command=("openclaw",))
    assert with_root.gateway_for(with_root.agents[1]) == OpenClawGateway(
        kind="openclaw",
        url="http://127.0.0.1:18789",
        token_env="OPENCLAW_HOOK_TOKEN",
        reply_token_env="OPENCLAW_GATEWAY_TOKEN",
    )
    without = load(tmp_path, agents=[other])
    assert without.gateway_for(without.agents[0]) == InboxGateway()


def test_an_enabled_agent_is_found_before_a_disabled_one_of_its_session(tmp_path: Path) -> None:
    off = agent(agent_id="old", enabled=False)
    registry = load(tmp_path, agents=[off, agent(), {"agent_id": "x", "session_name": "x", "enabled": False}])
    assert registry.agent_for_session("warden-main", enabled_only=False) == registry.agent("warden")
    assert registry.agent_for_session("x") is None
    assert registry.agent_for_session("x", enabled_only=False) == registry.agent("x")
    assert registry.agent_for_session("warden") is None, "names are exact"


def test_the_file_is_read_fresh_every_time(tmp_path: Path) -> None:
    assert len(load(tmp_path, agents=[agent()]).agents) == 1
    assert len(load(tmp_path, agents=[]).agents) == 0


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("claude --model opus", ("claude", "--model", "opus")),
        ("'/opt/my claude/bin' -x", ("/opt/my claude/bin", "-x")),
        ("TERM=xterm claude", ("env", "TERM=xterm", "claude")),
        (["claude", "a b"], ("claude", "a b")),
        (None, None),
    ],
)
def test_a_launch_command_becomes_its_words(tmp_path: Path, written: Any, words: Any) -> None:
    assert load(tmp_path, agents=[agent(launch_command=written)]).agents[0].launch_command == words


def test_a_word_and_an_object_give_the_same_policy(tmp_path: Path) -> None:
    words = agent(on_stop="ask", on_idle="nudge", on_dead="resume", on_error="fail")
    objects = agent(
        on_stop={"action": "ask"},
        on_idle={"action": "nudge", "attempts": 1, "cooldown": 0},
        on_dead={"action": "resume", "message": None},
        on_error=[{"action": "fail"}],
    )
    assert load(tmp_path, agents=[words]).agents[0] == load(tmp_path, agents=[objects]).agents[0]


def test_policies_carry_attempts_message_cooldown_and_command(tmp_path: Path) -> None:
    gate = {"action": "gate", "command": ["make", "test"], "attempts": "forever", "cooldown": 1.5, "message": "m"}
    policy = load(tmp_path, agents=[agent(on_idle=gate)]).agents[0].on_idle
    assert policy is not None
    assert policy.model_dump(mode="json") == gate
    assert policy.has_attempts_left(10**6)


def test_attempts_run_out_after_the_given_number(tmp_path: Path) -> None:
    policy = load(tmp_path, agents=[agent(on_dead={"action": "resume", "attempts": 2})]).agents[0].on_dead
    assert policy is not None
    assert [policy.has_attempts_left(used) for used in range(4)] == [True, True, False, False]


def test_the_first_error_policy_that_covers_the_kind_applies(tmp_path: Path) -> None:
    written = [{"action": "resume", "match": "rate_limit"}, {"action": "fail", "match": "billing_error"}, "escalate"]
    policies = load(tmp_path, agents=[agent(on_error=written)]).agents[0].on_error or ()
    chosen = [policy_for_error(policies, kind) for kind in ("rate_limit", "billing_error", "overloaded", None)]
    assert [policy.action for policy in chosen if policy] == ["resume", "fail", "escalate", "escalate"]
    assert policy_for_error(policies[:1], "overloaded") is None


def test_loading_a_broken_file_says_the_first_problem_and_how_many(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"has 2 problems: agents\[0\]\.enabled: must be true or false") as raised:
        load(tmp_path, agents=[agent(enabled="yes", sesion="x")])
    assert "and 1 more" in str(raised.value)
    assert raised.value.exit_code == 1


def test_a_file_that_cannot_be_read_is_a_registry_error(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b'{"version": 1}\xff')
    (tmp_path / "circle").symlink_to("circle")
    for name in ("binary", "circle", ".", "nul\0byte"):
        with pytest.raises(RegistryError):
            load_registry(tmp_path / name)


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "registry.json"
    file.write_bytes(b'\xef\xbb\xbf{"version": 1}')
    assert load_registry(file).version == 1
    assert find_problems('\ufeff{"version": 1}') == []
