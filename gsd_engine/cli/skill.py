"""Install or print the skill that teaches an OpenClaw agent to drive sessions through the engine."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import EngineFailureError, UsageError

SKILL_NAME = "gsd-engine"  # OpenClaw wants the folder and the front matter to carry the same name
SKILL_FILE = "SKILL.md"


@click.group()
def command() -> None:
    """Install or print the skill for the OpenClaw agent.

    Example: gsd-engine skill install ~/.openclaw/workspace/skills
    """


@command.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="PATH")
@json_option
def install(folder: Path, as_json: bool) -> None:
    """Write PATH/gsd-engine/SKILL.md, where PATH is the agent's skills folder.

    An older version of ours is replaced; a file that is another skill's is refused.

    Example: gsd-engine skill install ~/.openclaw/workspace/skills
    """
    target = folder.expanduser().absolute() / SKILL_NAME / SKILL_FILE
    try:
        outcome = _install(target, skill_text())
    except OSError as error:
        raise EngineFailureError(f"{target} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"skill": str(target), "outcome": outcome})
    else:
        click.echo(f"{outcome}: {target}")


@command.command()
def show() -> None:
    """Print the skill.

    Example: gsd-engine skill show
    """
    click.echo(skill_text(), nl=False)


def skill_text() -> str:
    return (resources.files("gsd_engine") / "skill" / SKILL_FILE).read_text(encoding="utf-8")


def front_matter(text: str) -> dict[str, str]:
    """The `key: value` lines between the first two lines of dashes; empty where there are none."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---" or "---" not in lines[1:]:
        return {}
    block = lines[1 : lines.index("---", 1)]
    pairs = (line.partition(":") for line in block if ":" in line and not line[0].isspace())
    return {key.strip(): value.strip().strip("\"'") for key, _, value in pairs}


def _install(target: Path, text: str) -> str:
    from gsd_engine.effects.atomic_write import write_atomically

    old = _existing(target)
    if old == text:
        return "unchanged"
    if old is not None and front_matter(old).get("name") != SKILL_NAME:
        raise UsageError(f"{target} belongs to another skill; choose another folder or move that file away")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, text.encode())
    return "installed" if old is None else "updated"


def _existing(target: Path) -> str | None:
    try:
        return target.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except (IsADirectoryError, NotADirectoryError):
        raise UsageError(f"{target} cannot be a file there; PATH must be the skills folder") from None
