"""The skill that OpenClaw loads, and its installation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gsd_engine.cli.skill import SKILL_NAME, command, front_matter, skill_text
from gsd_engine.errors import UsageError

NOUNS = {
    "hook",
    "queue",
    "answer",
    "question",
    "signal",
    "run",
    "runbook",
    "pipeline",
    "decision",
    "loop",
    "session",
    "registry",
    "hooks",
    "inbox",
    "events",
    "history",
    "effects",
    "replay",
    "status",
    "why",
    "watch",
    "doctor",
    "db",
    "serve",
    "drain",
    "stop",
    "demo",
}
TRIGGERS = {
    "response_complete",
    "session_start",
    "idle",
    "permission",
    "question",
    "mismatch",
    "queue_complete",
    "queue_cancelled",
    "queue_stale",
    "queue_failed",
    "pre_compact",
    "stop_failure",
    "session_end",
    "delivery_uncertain",
}


def call(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def target_in(folder: Path) -> Path:
    return folder / SKILL_NAME / "SKILL.md"


def test_the_front_matter_says_what_openclaw_needs() -> None:
    found = front_matter(skill_text())
    assert found["name"] == SKILL_NAME
    assert 40 < len(found["description"]) < 300
    assert ": " not in found["description"], "a colon and a blank would end a plain YAML value"
    assert json.loads(found["metadata"]) == {"openclaw": {"requires": {"bins": ["gsd-engine"]}}}


def test_every_command_in_the_skill_has_a_known_noun() -> None:
    code = "\n".join(re.findall(r"```\n(.*?)```", skill_text(), re.DOTALL) + re.findall(r"`([^`\n]+)`", skill_text()))
    used = re.findall(r"\bgsd-engine[ ]+([a-z-]+)", code)
    assert {"queue", "answer", "question", "signal", "decision", "inbox"} <= set(used) <= NOUNS


def test_every_trigger_is_explained_once() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", skill_text(), re.MULTILINE)
    assert sorted(rows) == sorted(TRIGGERS)


def test_every_json_argument_in_the_skill_is_json() -> None:
    arguments = re.findall(r"'([\[{].*?[\]}])'", skill_text())
    assert len(arguments) >= 4
    for argument in arguments:
        json.loads(argument)


def test_the_skill_is_short_enough_to_be_read_at_every_wake() -> None:
    assert len(skill_text().splitlines()) <= 150


def test_show_prints_the_skill() -> None:
    assert call("show") == skill_text()


def test_install_makes_the_folder_and_a_second_one_changes_nothing(tmp_path: Path) -> None:
    skills = tmp_path / "not" / "there"
    assert call("install", str(skills)).startswith("installed: ")
    before = target_in(skills).stat()
    assert call("install", str(skills)).startswith("unchanged: ")
    assert target_in(skills).read_text(encoding="utf-8") == skill_text()
    assert target_in(skills).stat().st_ino == before.st_ino
    assert [entry.name for entry in target_in(skills).parent.iterdir()] == ["SKILL.md"]


def test_an_older_version_of_ours_is_replaced(tmp_path: Path) -> None:
    target_in(tmp_path).parent.mkdir()
    target_in(tmp_path).write_text('---\nname: "gsd-engine"\n---\nold')
    assert json.loads(call("install", str(tmp_path), "--json"))["outcome"] == "updated"
    assert target_in(tmp_path).read_text(encoding="utf-8") == skill_text()


@pytest.mark.parametrize("foreign", ["---\nname: other\n---\n", "# just notes\n", "---\nname: gsd-engine\n", ""])
def test_a_foreign_skill_is_refused_and_left_alone(tmp_path: Path, foreign: str) -> None:
    target_in(tmp_path).parent.mkdir()
    target_in(tmp_path).write_text(foreign)
    with pytest.raises(UsageError, match="another skill"):
        call("install", str(tmp_path))
    assert target_in(tmp_path).read_text() == foreign


def test_a_file_in_place_of_the_skills_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skills").write_text("")
    with pytest.raises(UsageError, match="PATH must be the skills folder"):
        call("install", str(tmp_path / "skills"))


def test_every_subcommand_shows_an_example() -> None:
    assert isinstance(command, click.Group)
    for name in command.commands:
        assert f"Example: gsd-engine skill {name}" in " ".join(call(name, "--help").split())
