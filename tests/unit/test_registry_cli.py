"""`gsd-engine registry …`: what it prints, what it writes, and how it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gsd_engine.cli.registry import GATEWAY_KINDS, command
from gsd_engine.errors import EngineError
from gsd_engine.registry import HookSettings, Registry, find_problems, load_registry
from gsd_engine.registry.models import GATEWAYS, Agent, OpenClawGateway

Call = Callable[..., Result]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "registry.json"


@pytest.fixture
def call(file: Path) -> Call:
    def run(*arguments: str) -> Result:
        result = CliRunner(env={"GSD_ENGINE_REGISTRY": str(file)}).invoke(command, list(arguments))
        if isinstance(result.exception, EngineError):
            result.exit_code = result.exception.exit_code
        return result

    return run


def write(file: Path, content: Any) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_the_example_is_valid_and_shows_every_key_and_every_default(call: Call) -> None:
    text = call("example").output
    assert find_problems(text) == []
    shown = json.loads(text)
    assert set(shown) == set(Registry.model_fields)
    assert shown["hook_settings"] == HookSettings().model_dump()
    assert set(shown["gateway"]) == set(OpenClawGateway.model_fields)
    assert [agent["agent_id"] for agent in shown["agents"]] == ["gideon", "warden", "forge"]
    assert all(set(agent) == set(Agent.model_fields) for agent in shown["agents"])
    assert len({json.dumps(agent["hook_settings"]) for agent in shown["agents"]}) == 3


def test_the_schema_names_every_key_and_closes_every_object(call: Call) -> None:
    schema = json.loads(call("schema").output)
    assert set(schema["properties"]) == set(Registry.model_fields)
    assert set(schema["$defs"]["Agent"]["properties"]) == set(Agent.model_fields)
    objects = [part for part in (schema, *schema["$defs"].values()) if part.get("type") == "object"]
    assert len(objects) > 8
    assert all(part["additionalProperties"] is False for part in objects)
    assert schema["properties"]["version"]["const"] == 1


def test_the_command_line_offers_exactly_the_known_gateways() -> None:
    assert set(GATEWAY_KINDS) == set(GATEWAYS)


def test_validate_says_ok_and_how_many_agents(call: Call, file: Path) -> None:
    write(file, call("example").output)
    assert (call("validate").output, call("validate").exit_code) == ("OK: 3 agents\n", 0)
    as_json = json.loads(call("validate", "--json").output)
    assert as_json == {"path": str(file), "ok": True, "agents": 3, "problems": []}


def test_validate_prints_every_problem_and_fails(call: Call, tmp_path: Path) -> None:
    broken = write(tmp_path / "home" / "broken.json", {"version": 1, "agnets": 1, "hook_settings": {"hook_mode": "x"}})
    result = call("validate", str(broken))
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "hook_settings.hook_mode: must be 'async' or 'bidirectional', not \"x\" (for example \"async\")",
        "agnets: is an unknown key (did you mean agents?)",
    ]
    as_json = json.loads(call("validate", str(broken), "--json").output)
    assert [problem["path"] for problem in as_json["problems"]] == ["hook_settings.hook_mode", "agnets"]


def test_validate_of_bytes_that_are_no_text_is_a_problem_not_a_crash(call: Call, file: Path) -> None:
    write(file, "").write_bytes(b"\xff\xfe")
    result = call("validate")
    assert result.exit_code == 1
    assert "not UTF-8" in result.output


def test_validate_without_a_file_is_not_found(call: Call) -> None:
    assert call("validate").exit_code == 3


def test_add_makes_the_file_with_every_setting_written_out(call: Call, file: Path) -> None:
    result = call("add", "warden", "--session", "warden-main", "--workdir", "/srv/w", "--gateway-kind", "inbox")
    assert result.exit_code == 0, result.exception
    assert json.loads(file.read_text()) == {
        "version": 1,
        "agents": [
            {
                "agent_id": "warden",
                "enabled": True,
                "session_name": "warden-main",
                "working_directory": "/srv/w",
                "gateway": {"kind": "inbox"},
                "hook_settings": HookSettings().model_dump(),
            }
        ],
    }
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["registry.json"], "no temporary file stays"


def test_add_keeps_the_file_and_takes_its_settings_for_the_new_agents_defaults(call: Call, file: Path) -> None:
    write(file, {"notify": {"command": ["beep"]}, "version": 1, "hook_settings": {"pane_capture_lines": 7}})
    assert call("add", "a", "--session", "s", "--disabled").exit_code == 0
    document = json.loads(file.read_text())
    assert list(document) == ["notify", "version", "hook_settings", "agents"]
    assert document["agents"][0]["hook_settings"]["pane_capture_lines"] == 7
    assert document["agents"][0]["enabled"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        ("a", "--session", "other"),
        ("b", "--session", "s"),
        ("b", "--session", "x.y"),
        ("", "--session", "x"),
        ("b", "--session", "x", "--gateway-kind", "command"),
        ("b", "--session", "x", "--gateway-url", "http://h"),
        ("b", "--session", "x", "--gateway-kind", "carrier-pigeon"),
        ("b",),
    ],
)
def test_add_refuses_what_does_not_fit_and_changes_nothing(call: Call, file: Path, arguments: tuple[str, ...]) -> None:
    assert call("add", "a", "--session", "s").exit_code == 0
    before = file.read_bytes()
    assert call("add", *arguments).exit_code == 2
    assert file.read_bytes() == before


def test_a_second_agent_of_a_session_may_be_added_disabled(call: Call, file: Path) -> None:
    call("add", "a", "--session", "s")
    assert call("add", "b", "--session", "s", "--disabled").exit_code == 0
    assert len(load_registry(file).agents) == 2


def test_add_does_not_touch_a_broken_file(call: Call, file: Path) -> None:
    write(file, '{"version": 1, "agents": [}')
    assert call("add", "a", "--session", "s").exit_code == 1
    assert file.read_text() == '{"version": 1, "agents": [}'


def test_add_follows_a_link_and_keeps_the_mode(call: Call, file: Path, tmp_path: Path) -> None:
    real = write(tmp_path / "elsewhere" / "real.json", {"version": 1})
    real.chmod(0o640)
    file.parent.mkdir()
    file.symlink_to(real)
    assert call("add", "a", "--session", "s").exit_code == 0
    assert file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert [agent.agent_id for agent in load_registry(real).agents] == ["a"]


def test_add_where_nothing_can_be_written_fails_in_one_line(call: Call, file: Path) -> None:
    file.parent.write_text("a file where a folder is needed")
    result = call("add", "a", "--session", "s")
    assert result.exit_code == 1
    assert str(file) in str(result.exception)


def test_agents_added_at_the_same_time_are_all_there(file: Path) -> None:
    program = "import sys; from gsd_engine.cli.registry import command; command(sys.argv[1:])"
    environment = {"GSD_ENGINE_REGISTRY": str(file), "HOME": str(file.parent)}
    names = [f"agent-{number}" for number in range(6)]
    adding = [
        subprocess.Popen([sys.executable, "-c", program, "add", name, "--session", name], env=environment)
        for name in names
    ]
    assert [process.wait(timeout=60) for process in adding] == [0] * len(names)
    assert sorted(agent.agent_id for agent in load_registry(file).agents) == names


RECOVERY = {
    "global_status_openclaw_session_id": "x",
    "_comment_hook_settings": "defaults",
    "hook_settings": {"pane_capture_lines": 120, "autocompact_pct": "50", "colour": 1},
    "agents": [
        {
            "agent_id": "warden",
            "enabled": True,
            "auto_wake": True,
            "topic_id": 1,
            "openclaw_session_id": "11111111-2222-3333-4444-555555555555",
            "working_directory": "/srv/warden",
            "tmux_session_name": "warden-main",
            "claude_resume_target": "",
            "claude_launch_command": "claude --dangerously-skip-permissions",
            "system_prompt": "",
            "hook_settings": {"hook_mode": "bidirectional"},
        },
        {"agent_id": "lost", "enabled": True},
        "nonsense",
    ],
}


def test_import_takes_a_recovery_registry_over_and_names_the_rest(call: Call, file: Path, tmp_path: Path) -> None:
    older = write(tmp_path / "old" / "recovery-registry.json", RECOVERY)
    result = call("import", str(older))
    assert result.exit_code == 0, result.exception
    registry = load_registry(file)
    (agent,) = registry.agents
    assert (agent.agent_id, agent.session_name, agent.working_directory) == ("warden", "warden-main", "/srv/warden")
    assert agent.launch_command == ("claude", "--dangerously-skip-permissions")
    assert registry.settings_for(agent).pane_capture_lines == 120
    assert registry.settings_for(agent).hook_mode == "bidirectional"
    assert registry.settings_for(agent).autocompact_pct == 80
    left_out = [line.split(": ")[1] for line in result.output.splitlines() if line.startswith("not taken over: ")]
    assert left_out == [
        "global_status_openclaw_session_id",
        "hook_settings.colour",
        "hook_settings.autocompact_pct",
        "agents[2]",
        "agents[0].auto_wake",
        "agents[0].topic_id",
        "agents[0].claude_resume_target",
        "agents[1].session_name",
    ]
    assert "No gateway is set" in result.output


def test_import_takes_agents_by_id_in_camel_case_and_finds_the_prompt_file(
    call: Call, file: Path, tmp_path: Path
) -> None:
    prompt = write(tmp_path / "config" / "prompt.md", "Be brief.")
    agents = {
        "forge": {
            "sessionName": "forge-main",
            "workingDirectory": "/srv/forge",
            "skipPermissions": True,
            "systemPromptFile": "config/prompt.md",
            "hookSettings": {"paneCaptureLines": 5},
            "name": "The Forge",
        },
        "gone": {"session_name": "gone", "system_prompt_file": "config/none.md"},
    }
    older = write(tmp_path / "config" / "agent-registry.json", {"agents": agents})
    result = call("import", str(older), "--json")
    report = json.loads(result.output)
    assert report["added"] == ["forge", "gone"]
    assert [what.split(":")[0] for what in report["not_taken"]] == [
        "agents.forge.name",
        "agents.gone.system_prompt_file",
    ]
    forge, gone = load_registry(file).agents
    assert (forge.session_name, forge.skip_permissions) == ("forge-main", True)
    assert forge.system_prompt_file == str(prompt)
    assert forge.hook_settings.pane_capture_lines == 5
    assert gone.system_prompt_file is None


def test_import_keeps_what_is_there_and_a_second_import_changes_nothing(call: Call, file: Path, tmp_path: Path) -> None:
    write(
        file,
        {
            "version": 1,
            "hook_settings": {"pane_capture_lines": 9},
            "agents": [{"agent_id": "warden", "session_name": "mine"}],
        },
    )
    older = write(tmp_path / "old" / "recovery-registry.json", RECOVERY)
    assert "kept as it is: warden" in call("import", str(older)).output
    registry = load_registry(file)
    assert registry.agents[0].session_name == "mine"
    assert registry.hook_settings.pane_capture_lines == 9
    once = file.read_bytes()
    call("import", str(older))
    assert file.read_bytes() == once


def test_an_older_agent_of_a_session_that_is_taken_is_left_out(call: Call, file: Path, tmp_path: Path) -> None:
    write(file, {"version": 1, "agents": [{"agent_id": "a", "session_name": "s"}]})
    older = write(tmp_path / "old.json", [{"id": "b", "session": "s"}, {"id": "c", "session": "t", "on_stop": "jump"}])
    result = call("import", str(older))
    assert "not taken over: agents[0].session_name: 's' is taken by agents[0] already" in result.output
    assert "not taken over: agents[1].on_stop: must be" in result.output
    assert [agent.agent_id for agent in load_registry(file).agents] == ["a", "c"]


@pytest.mark.parametrize(("content", "exit_code"), [("{", 2), ("3", 2), ("", 2), (None, 3)])
def test_a_file_that_is_no_registry_cannot_be_imported(
    call: Call, file: Path, tmp_path: Path, content: str | None, exit_code: int
) -> None:
    older = tmp_path / "old.json"
    if content is not None:
        write(older, content)
    assert call("import", str(older)).exit_code == exit_code
    assert not file.exists()
