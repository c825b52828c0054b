"""Check, start, extend and take over the registry of agents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gsd_engine.cli.output import json_option, print_json

if TYPE_CHECKING:
    from gsd_engine.registry.legacy import ImportReport

# Spelt out, so that `--help` needs no models; a test holds it against them.
GATEWAY_KINDS = ("openclaw", "openclaw-cli", "command", "inbox")


@click.group()
def command() -> None:
    """Check, start, extend and take over the registry of agents.

    The registry is one JSON file: $GSD_ENGINE_REGISTRY, else registry.json in the engine's home.

    Example: gsd-engine registry add warden --session warden-main
    """


@command.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option
def validate(path: Path | None, as_json: bool) -> int:
    """Print every problem of the registry with its path and a hint.

    Exit 0: none. Exit 1: at least one. Exit 3: there is no such file.

    Example: gsd-engine registry validate ./registry.json
    """
    from gsd_engine.errors import NotFoundError
    from gsd_engine.registry.document import Problem, RegistryError, read_text
    from gsd_engine.registry.validate import examine

    place = path or _registry_path()
    try:
        text = read_text(place)
    except RegistryError as error:
        registry, problems = None, [Problem("", str(error), "a text file with JSON in UTF-8")]
    else:
        if text is None:
            raise NotFoundError(f"no registry at {place}; `gsd-engine registry add` makes one")
        registry, problems = examine(text)
    agents = len(registry.agents) if registry else 0
    if as_json:
        shown = [problem.as_json() for problem in problems]
        print_json({"path": str(place), "ok": not problems, "agents": agents, "problems": shown})
    else:
        click.echo("\n".join(map(str, problems)) or f"OK: {_counted(agents, 'agent')}")
    return _leave(1 if problems else 0)


@command.command()
def example() -> None:
    """Print a registry to start from, with every default written out.

    Example: gsd-engine registry example > registry.json
    """
    from gsd_engine.registry.example import example as example_document

    print_json(example_document())


@command.command()
def schema() -> None:
    """Print the JSON Schema of the registry, for editors.

    Example: gsd-engine registry schema > registry.schema.json
    """
    from gsd_engine.registry.models import Registry

    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **Registry.model_json_schema()})


@command.command()
@click.argument("agent_id")
@click.option("--session", "session_name", required=True, help="The tmux session it drives, by exact name.")
@click.option("--workdir", "working_directory", help="Where its Claude Code starts.")
@click.option("--disabled", is_flag=True, help="Add it, but do not manage its session yet.")
@click.option("--openclaw-session-id", help="The OpenClaw session to wake.")
@click.option("--system-prompt", help="Appended to the default prompt.")
@click.option("--system-prompt-file", help="A file appended to the default prompt.")
@click.option("--skip-permissions", is_flag=True, help="Start Claude Code without permission prompts.")
@click.option("--launch-command", help="The command line that starts Claude Code.")
@click.option("--gateway-kind", type=click.Choice(GATEWAY_KINDS), help="A gateway of its own.")
@click.option("--gateway-url", help="For the kind openclaw.")
@click.option("--gateway-command", multiple=True, metavar="WORD", help="For the kinds with a program; once per word.")
@json_option
def add(agent_id: str, disabled: bool, as_json: bool, **fields: Any) -> None:
    """Add an agent, with every hook setting written out. Makes the file if there is none.

    Example: gsd-engine registry add warden --session warden-main --workdir ~/warden
    """
    from gsd_engine.registry.edit import add_agent

    entry = {"agent_id": agent_id, "enabled": not disabled, **_entry_from(fields)}
    path = _registry_path()
    added = add_agent(path, entry)
    if as_json:
        print_json({"path": str(path), "agent": added})
    else:
        click.echo(f"Added {agent_id} (session {added['session_name']}) to {path}")


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def import_older(file: Path, as_json: bool) -> None:
    """Take over an older agent-registry.json or recovery-registry.json.

    Agents that are in the registry already are kept as they are. What has no place is named.

    Example: gsd-engine registry import config/recovery-registry.json
    """
    from gsd_engine.registry.legacy import import_file

    path = _registry_path()
    report = import_file(file, path)
    if as_json:
        print_json({"path": str(path), **asdict(report)})
    else:
        _tell(report, path)


def _registry_path() -> Path:
    from gsd_engine.config import load_config

    return load_config().registry_path


def _leave(exit_code: int) -> int:
    """Through the context, so that the code arrives whoever called: the program, or the group alone."""
    click.get_current_context().exit(exit_code)


def _entry_from(fields: dict[str, Any]) -> dict[str, Any]:
    """What was given, in the file's form; a folder is made absolute, since hooks run anywhere."""
    parts = {"kind": "gateway_kind", "url": "gateway_url", "command": "gateway_command"}
    gateway = {part: fields.pop(option) for part, option in parts.items()}
    given = {key: value for key, value in fields.items() if value not in (None, False)}
    for key in ("working_directory", "system_prompt_file"):
        if given.get(key):
            given[key] = str(Path(given[key]).expanduser().absolute())
    if any(gateway.values()):
        given["gateway"] = {part: value for part, value in gateway.items() if value}
    return given


def _tell(report: ImportReport, path: Path) -> None:
    for agent_id in report.added:
        click.echo(f"added: {agent_id}")
    for agent_id in report.kept:
        click.echo(f"kept as it is: {agent_id}")
    for what in report.not_taken:
        click.echo(f"not taken over: {what}")
    click.echo(f"{_counted(len(report.added), 'agent')} added to {path}")
    if report.added and not report.has_gateway:
        click.echo("No gateway is set: messages wait in the inbox. See `gsd-engine registry example`.")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
