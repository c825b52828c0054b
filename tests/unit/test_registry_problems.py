"""Every kind of problem is found, at its own path, with a hint; and all of them at once."""

from __future__ import annotations

import json
import subprocess
import uuid
from typing import Any

import pytest

from gsd_engine.registry import Problem, find_problems


def problems_of(agent: dict[str, Any] | None = None, **root: Any) -> dict[str, Problem]:
    document = {"version": 1, **root}
    if agent is not None:
        document["agents"] = [{"agent_id": "warden", "session_name": "warden-main", **agent}]
    return {problem.path: problem for problem in find_problems(json.dumps(document))}


@pytest.mark.parametrize(
    ("root", "path", "message", "hint"),
    [
        ({"version": 2}, "version", "must be the number 1, not 2", "for example 1"),
        ({"version": True}, "version", "must be the number 1, not true", ""),
        ({"version": 1.0}, "version", "must be the number 1, not 1.0", ""),
        ({"agnets": []}, "agnets", "unknown key", "did you mean agents?"),
        ({"zzz": 1}, "zzz", "unknown key", "known here: version, gateway"),
        ({"a b": 1}, '["a b"]', "unknown key", ""),
        ({"agents": {}}, "agents", "must be a list", '"agent_id"'),
        ({"agents": [3]}, "agents[0]", "must be an object, not 3", '"agent_id"'),
        ({"agents": [{"agent_id": "x"}]}, "agents[0].session_name", "is missing", '"warden-main"'),
        ({"agents": [{"session_name": "x"}]}, "agents[0].agent_id", "is missing", '"warden"'),
        ({"notify": {"command": []}}, "notify.command", "must not be empty", "notify-send"),
        ({"notify": {"command": "notify-send"}}, "notify.command", "must be a list", "notify-send"),
        ({"notify": {"command": ["a", 3]}}, "notify.command[1]", "must be a text, not 3", ""),
        ({"notify": {"comand": ["a"]}}, "notify.comand", "unknown key", "did you mean command?"),
        ({"hook_settings": []}, "hook_settings", "must be an object", ""),
    ],
)
def test_a_problem_of_the_root_is_named(root: dict[str, Any], path: str, message: str, hint: str) -> None:
    problem = problems_of(**root)[path]
    assert message in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("pane_capture_lines", 0, "greater than or equal to 1"),
        ("pane_capture_lines", "100", "whole number"),
        ("pane_capture_lines", True, "whole number"),
        ("pane_capture_lines", 1.5, "whole number"),
        ("pane_capture_lines", None, "whole number"),
        ("context_pressure_threshold", 0, "greater"),
        ("context_pressure_threshold", 101, "less"),
        ("autocompact_pct", 0, "greater"),
        ("autocompact_pct", 101, "less"),
        ("hook_mode", "sync", "'async' or 'bidirectional'"),
        ("answer_transport", "mod", "'auto', 'hook' or 'keys'"),
        ("delivery_transport", "hook", "'auto', 'mod' or 'keys'"),
        ("answer_wait_seconds", 0, "greater"),
        ("answer_wait_seconds", 3601, "less"),
    ],
)
def test_a_hook_setting_out_of_its_range_is_a_problem_on_the_root_and_on_an_agent(
    key: str, value: Any, message: str
) -> None:
    on_root = problems_of(hook_settings={key: value})[f"hook_settings.{key}"]
    on_agent = problems_of(agent={"hook_settings": {key: value}})[f"agents[0].hook_settings.{key}"]
    assert message in on_root.message
    assert (on_root.message, on_root.hint) == (on_agent.message, on_agent.hint)
    assert "for example" in on_root.hint


def test_the_hint_of_a_number_tells_its_range() -> None:
    assert problems_of(hook_settings={"autocompact_pct": 0})["hook_settings.autocompact_pct"].hint == (
        "from 1 to 100, for example 80"
    )


@pytest.mark.parametrize(
    ("agent", "path", "message", "hint"),
    [
        ({"agent_id": ""}, "agent_id", "must not be empty", ""),
        ({"agent_id": 5}, "agent_id", "must be a text, not 5", ""),
        ({"enabled": 1}, "enabled", "true or false, not 1", ""),
        ({"session_name": ""}, "session_name", "must not be empty", "warden-main"),
        ({"session_name": "a:b"}, "session_name", "tmux cannot have", "warden-main"),
        ({"session_name": "a.b"}, "session_name", "tmux cannot have", ""),
        ({"session_name": "a\\b"}, "session_name", "tmux cannot have", ""),
        ({"session_name": "a\tb"}, "session_name", "tmux cannot have", ""),
        ({"launch_command": "claude 'x"}, "launch_command", "unclosed quote", "claude"),
        ({"launch_command": ""}, "launch_command", "must not be empty", "claude"),
        ({"launch_command": 3}, "launch_command", "must be a list", "claude"),
        ({"tmux_session_name": "x"}, "tmux_session_name", "unknown key", "now called session_name"),
        ({"pane_capture_lines": 5}, "pane_capture_lines", "unknown key", "belongs into hook_settings"),
        ({"sytem_prompt": "x"}, "sytem_prompt", "unknown key", "did you mean system_prompt?"),
        ({"hook_settings": {"hook_mod": 1}}, "hook_settings.hook_mod", "unknown key", "did you mean hook_mode?"),
        ({"gateway": {}}, "gateway", "has no `kind`", "openclaw, openclaw-cli, command, inbox"),
        ({"gateway": {"kind": "http"}}, "gateway", "unknown `kind`", "openclaw, openclaw-cli, command, inbox"),
        ({"gateway": "inbox"}, "gateway", "must be an object", "kind is one of"),
        ({"gateway": {"kind": "command"}}, "gateway.command", "is missing", "/path/to/program"),
        ({"gateway": {"kind": "command", "command": []}}, "gateway.command", "must not be empty", ""),
        ({"gateway": {"kind": "command", "command": ["x", 1]}}, "gateway.command[1]", "must be a text", "program"),
        ({"gateway": {"kind": "inbox", "url": "x"}}, "gateway.url", "unknown key", "known here: kind"),
        ({"gateway": {"kind": "openclaw", "url": "localhost"}}, "gateway.url", "http://", "127.0.0.1"),
        ({"gateway": {"kind": "openclaw", "url": "http://[::1"}}, "gateway.url", "http://", ""),
        ({"gateway": {"kind": "openclaw", "url": "http://h:99999"}}, "gateway.url", "http://", ""),
        ({"gateway": {"kind": "openclaw", "ulr": "x"}}, "gateway.ulr", "unknown key", "did you mean url?"),
        ({"on_stop": "nudge"}, "on_stop", "'signal', 'idle', 'escalate' or 'ask', not \"nudge\"", "escalate"),
        ({"on_stop": {"message": "x"}}, "on_stop.action", "is missing", "escalate"),
        ({"on_stop": {"action": "ask", "attempts": 2}}, "on_stop.attempts", "unknown key", "action, message"),
        ({"on_idle": "resume"}, "on_idle", "'nudge'", ""),
        ({"on_idle": "gate"}, "on_idle", "a gate runs a command", '"command": ["make", "test"]'),
        ({"on_idle": {"action": "gate"}}, "on_idle.command", "a gate runs a command", '["make", "test"]'),
        ({"on_idle": {"action": "nudge", "command": ["x"]}}, "on_idle.command", "only for", ""),
        ({"on_idle": {"action": "nudge", "attempts": 0}}, "on_idle.attempts", 'from 1, or "forever"', ""),
        ({"on_idle": {"action": "nudge", "attempts": True}}, "on_idle.attempts", 'from 1, or "forever"', ""),
        ({"on_idle": {"action": "nudge", "attempts": "ever"}}, "on_idle.attempts", 'or "forever"', ""),
        ({"on_idle": {"action": "nudge", "cooldown": -1}}, "on_idle.cooldown", "greater", "from 0"),
        ({"on_idle": ["nudge"]}, "on_idle", "must be an object", "nudge"),
        ({"on_dead": "nudge"}, "on_dead", "'done'", "resume"),
        ({"on_dead": {"action": "done", "match": "x"}}, "on_dead.match", "unknown key", ""),
        ({"on_error": "done"}, "on_error", "'fail', 'resume' or 'escalate'", ""),
        ({"on_error": []}, "on_error", "must not be empty", ""),
        ({"on_error": ["nudge"]}, "on_error[0]", "'fail'", ""),
        ({"gateway": {"kind": "command", "command": [1]}}, "gateway.command[0]", "must be a text", ""),
        ({"on_error": ["fail", "nudge"]}, "on_error[1]", "'fail'", ""),
        ({"on_error": [{"action": "fail", "match": ""}]}, "on_error[0].match", "must not be empty", "rate_limit"),
        ({"on_error": {"action": "fail", "attempts": -1}}, "on_error.attempts", "whole number from 1", ""),
    ],
)
def test_a_problem_of_an_agent_is_named(agent: dict[str, Any], path: str, message: str, hint: str) -> None:
    found = problems_of(agent=agent)
    assert list(found) == [f"agents[0].{path}"], "that one and no other"
    problem = found[f"agents[0].{path}"]
    assert message in problem.message
    assert hint in problem.hint


def test_a_token_in_the_file_is_refused_and_never_repeated() -> None:
    gateway = {"kind": "openclaw", "token": "s3cret-1", "token_env": "s3cret-2", "url": "http://u:s3cret-3@h"}
    found = problems_of(gateway=gateway)
    assert set(found) == {"gateway.token", "gateway.token_env", "gateway.url"}
    assert "token_env" in found["gateway.token"].hint
    assert "s3cret" not in "".join(map(str, found.values()))
    number = problems_of(gateway={"kind": "openclaw", "reply_token_env": 471147114711})
    assert "4711" not in str(number["gateway.reply_token_env"])


def test_an_agent_id_and_an_enabled_session_belong_to_one_agent() -> None:
    agents = [
        {"agent_id": "a", "session_name": "s"},
        {"agent_id": "a", "session_name": "t"},
        {"agent_id": "b", "session_name": "s"},
        {"agent_id": "c", "session_name": "s", "enabled": False},
    ]
    found = problems_of(agents=agents)
    assert list(found) == ["agents[1].agent_id", "agents[2].session_name"]
    assert "agents[0]" in found["agents[2].session_name"].message


def test_problems_across_agents_are_found_beside_others() -> None:
    agents = [{"agent_id": "a", "session_name": "s", "x": 1}, {"agent_id": "a", "session_name": "s"}]
    assert set(problems_of(version=3, agents=agents)) == {
        "version",
        "agents[0].x",
        "agents[1].agent_id",
        "agents[1].session_name",
    }


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("", "", "is empty"),
        ("null", "", "must be an object"),
        ("[]", "", "must be an object"),
        ("{}", "version", "is missing"),
        ('{"version": 1,}', "", "is not JSON at line 1, column 15"),
        ('{"version": NaN}', "", "NaN is not a JSON number"),
        ('{"version": 1, "version": 1}', "version", "written more than once"),
        (
            '{"version": 1, "hook_settings": {"hook_mode": "async", "hook_mode": "async"}}',
            "hook_settings.hook_mode",
            "written more than once",
        ),
        ('{"version": "\\ud800"}', "version", "half a character"),
        ('{"\\ud800": 1}', '["\\ud800"]', "half a character"),
        ("[" * 100_000, "", "nested too deeply"),
        ('{"a":' * 40 + "1" + "}" * 40, ".".join("a" * 16), "nested too deeply"),
        ("9" * 5000, "", "is not usable JSON"),
        ('{"version": 1e999}', "version", "must be the number 1"),
    ],
)
def test_a_text_that_is_no_proper_json_is_a_problem(text: str, path: str, message: str) -> None:
    found = {problem.path: problem for problem in find_problems(text)}
    assert message in found[path].message
    assert found[path].hint


def test_tmux_keeps_the_names_that_are_accepted_and_changes_those_that_are_not() -> None:
    tmux = ["tmux", "-L", f"registry-{uuid.uuid4().hex}", "-f", "/dev/null"]
    good, bad = ["plain", " sp ", "ü", "=eq", "$1", "@at", "a/b", "a;b"], ["a.b", "a:b", "a\\b", "a\tb"]
    try:
        for name in good + bad:
            subprocess.run([*tmux, "new-session", "-d", "-s", name, "sleep 60"], check=False, capture_output=True)
        listed = subprocess.run(
            [*tmux, "-u", "ls", "-F", "#{session_name}"], capture_output=True, text=True, check=True
        )
        kept = set(listed.stdout.splitlines())
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)
    assert [name for name in good if name not in kept or problems_of(agent={"session_name": name})] == []
    assert [name for name in bad if name in kept or not problems_of(agent={"session_name": name})] == []
