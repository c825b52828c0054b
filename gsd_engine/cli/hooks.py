"""Install, remove and check the hooks in Claude Code's settings.json."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gsd_engine.cli.output import json_option, print_json

if TYPE_CHECKING:
    from gsd_engine.hooks.settings import HookState, Settings
    from gsd_engine.hooks.settings_file import Change

settings_option = click.option(
    "--settings",
    "settings_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The settings file (default: settings.json in $CLAUDE_CONFIG_DIR, else in ~/.claude).",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Print the difference and change nothing.")


@click.group()
def command() -> None:
    """Install, remove and check the hooks in Claude Code's settings.json.

    Example: gsd-engine hooks install --dry-run
    """


@command.command()
@settings_option
@dry_run_option
@json_option
def install(settings_path: Path | None, dry_run: bool, as_json: bool) -> None:
    """Add our hooks; every other hook and key stays as it is.

    A second install changes nothing; one of another version or interpreter is replaced. The old file is kept
    beside it as settings.json.gsd-backup-TIME.

    Example: gsd-engine hooks install --settings project/.claude/settings.json
    """
    from gsd_engine.hooks.settings import HOOK_ENTRIES, installed

    done = _change(settings_path, installed, dry_run)
    events = len(HOOK_ENTRIES)
    _report(done, dry_run, as_json, f"hooks installed for {events} events in", "hooks are already installed in")


@command.command()
@settings_option
@dry_run_option
@json_option
def uninstall(settings_path: Path | None, dry_run: bool, as_json: bool) -> None:
    """Remove exactly our hooks, and what would be left empty by that.

    Example: gsd-engine hooks uninstall
    """
    from gsd_engine.hooks.settings import uninstalled

    done = _change(settings_path, uninstalled, dry_run)
    _report(done, dry_run, as_json, "hooks removed from", "no hooks of ours in")


@command.command()
@settings_option
@json_option
def status(settings_path: Path | None, as_json: bool) -> int:
    """Say per event: installed, missing, outdated or doubled.

    Exit code 0 when every hook is in place and hooks are enabled, else 1.

    Example: gsd-engine hooks status --json
    """
    from gsd_engine.hooks.settings import HookState, all_hooks_disabled, states
    from gsd_engine.hooks.settings_file import naming, read_settings

    path = _path(settings_path)
    settings = read_settings(path).settings
    with naming(path):
        found = states(settings)
    disabled = all_hooks_disabled(settings)
    complete = not disabled and set(found.values()) == {HookState.INSTALLED}
    _print_status(path, found, disabled, complete, as_json)
    return 0 if complete else 1


def _path(given: Path | None) -> Path:
    from gsd_engine.hooks.settings_file import default_settings_path

    return (given.expanduser() if given else default_settings_path(os.environ)).absolute()


def _change(given: Path | None, change: Callable[[Settings], Settings], dry_run: bool) -> Change:
    from gsd_engine.clock import system_clock
    from gsd_engine.hooks.settings_file import change_settings

    return change_settings(_path(given), change, system_clock(), dry_run=dry_run)


def _report(done: Change, dry_run: bool, as_json: bool, changed: str, unchanged: str) -> None:
    if as_json:
        print_json(_as_data(done, dry_run))
    elif not done.changed:
        click.echo(f"{unchanged} {done.path}: nothing to change")
    elif dry_run:
        click.echo(done.diff)
    else:
        click.echo(f"{changed} {done.path}" + (f" (backup: {done.backup})" if done.backup else ""))


def _as_data(done: Change, dry_run: bool) -> dict[str, Any]:
    return {
        "settings": str(done.path),
        "changed": done.changed,
        "dry_run": dry_run,
        "backup": str(done.backup) if done.backup else None,
        "diff": done.diff,
    }


def _print_status(path: Path, found: dict[str, HookState], disabled: bool, complete: bool, as_json: bool) -> None:
    if as_json:
        data = {"settings": str(path), "complete": complete, "disable_all_hooks": disabled}
        print_json({**data, "events": {event: str(state) for event, state in found.items()}})
        return
    click.echo(str(path))
    for event, state in found.items():
        click.echo(f"  {event:<18} {state}")
    if disabled:
        click.echo('"disableAllHooks": true is set there: Claude Code calls no hook at all until it is removed')
    elif not complete:
        click.echo("'gsd-engine hooks install' puts this right")
