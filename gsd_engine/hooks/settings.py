"""Which hooks Claude Code must call, and how they are merged into its settings: all of it over plain dicts.

A settings file holds `hooks: {EVENT: [group, …]}`, a group holds `matcher` and `hooks: [hook, …]`. A hook is ours
when its command says so, wherever it stands; every other hook, group and key belongs to someone else and leaves
these functions as it came. settings_text.py turns them into text and back, settings_file.py keeps the file.
"""

from __future__ import annotations

import copy
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Any

from gsd_engine.errors import UsageError

Settings = dict[str, Any]
Group = dict[str, Any]

QUESTION_TOOL = "AskUserQuestion"


@dataclass(frozen=True)
class HookEntry:
    """One event the engine listens to. `timeout` is in seconds: Claude Code ends the hook after that."""

    event: str
    timeout: int
    matcher: str | None = None


HOOK_ENTRIES: tuple[HookEntry, ...] = (
    HookEntry("SessionStart", 30),
    # A person waits for this one at the keyboard.
    HookEntry("UserPromptSubmit", 10),
    # Claude Code's own limit: in bidirectional mode the hook waits for the agent's reply, else it is over in no time.
    HookEntry("Stop", 600),
    HookEntry("StopFailure", 30),
    # The matcher keeps every other tool call from starting a process.
    HookEntry("PreToolUse", 30, QUESTION_TOOL),
    # Held open for the agent's answer: `answer_wait_seconds` (540) and a minute to hand the answer over.
    HookEntry("PermissionRequest", 600, QUESTION_TOOL),
    HookEntry("PostToolUse", 30, QUESTION_TOOL),
    HookEntry("Notification", 30),
    HookEntry("PreCompact", 30),
    # Without a timeout of its own, all SessionEnd hooks together get 1.5 s.
    HookEntry("SessionEnd", 5),
)


class HookState(StrEnum):
    """What a settings file says about one event."""

    INSTALLED = "installed"  # there once, exactly as this version writes it
    MISSING = "missing"  # not there
    OUTDATED = "outdated"  # there, but as another version, interpreter, matcher or timeout would have it
    DOUBLED = "doubled"  # there more than once: the engine would see the event more than once


def hook_command(event: str) -> tuple[str, list[str]]:
    """The program and arguments that Claude Code starts for an event, without a shell (exec form, from 2.1.139)."""
    return interpreter(), ["-m", "gsd_engine", "hook", event]


def interpreter() -> str:
    """This Python by its absolute path: a virtualenv's own (its packages hang on it), never a version manager's shim.

    A shim finds the real interpreter anew at every start, which costs more than the rest of a hook.
    """
    path = Path(sys.executable).absolute()
    if sys.executable and "shims" not in path.parts:
        return str(path)
    return str(Path(sys.prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}"))


def our_hook(entry: HookEntry) -> dict[str, Any]:
    command, args = hook_command(entry.event)
    return {"type": "command", "command": command, "args": args, "timeout": entry.timeout}


def is_ours(hook: dict[str, Any]) -> bool:
    """Told by the command alone, in any form an install of ours, older or newer, has written or may write."""
    words = _words(hook)
    for position, word in enumerate(words):
        rest = words[position + 1 :]
        if word == "-m" and rest[:2] == ["gsd_engine", "hook"]:
            return True
        if position == 0 and PurePath(word).name == "gsd-engine" and rest[:1] == ["hook"]:
            return True
        if _is_client_file(word) and rest[:1] and rest[0].isalpha():
            return True
    return False


def installed(settings: Settings) -> Settings:
    """The settings with every hook of ours in place once; what was right already stays where it is."""
    check_shape(settings)
    result = copy.deepcopy(settings)
    wanted = {entry.event: entry for entry in HOOK_ENTRIES}
    for event in list(result.get("hooks", {})):
        if event not in wanted:
            _remove_from(result["hooks"], event)
    for entry in HOOK_ENTRIES:
        if _state(result, entry) is not HookState.INSTALLED:
            _put(result.setdefault("hooks", {}), entry)
    return result


def uninstalled(settings: Settings) -> Settings:
    """The settings without our hooks, and without the groups and keys that held nothing else."""
    check_shape(settings)
    result = copy.deepcopy(settings)
    removed = [_remove_from(result["hooks"], event) for event in list(result.get("hooks", {}))]
    if any(removed) and not result["hooks"]:
        del result["hooks"]
    return result


def states(settings: Settings) -> dict[str, HookState]:
    """The state of every event we need, and of every other event that still has a hook of ours."""
    check_shape(settings)
    found = {entry.event: _state(settings, entry) for entry in HOOK_ENTRIES}
    leftovers = (event for event, groups in settings.get("hooks", {}).items() if any(_ours(groups)))
    return found | {event: HookState.OUTDATED for event in leftovers if event not in found}


def all_hooks_disabled(settings: Settings) -> bool:
    return settings.get("disableAllHooks") is True


def check_shape(settings: Settings) -> None:
    """Refuse what Claude Code itself could not read: merging into it would be guessing."""
    hooks = settings.get("hooks", {})
    _expect(hooks, dict, "hooks", "an object")
    for event, groups in hooks.items():
        _expect(groups, list, f"hooks.{event}", "a list")
        for number, group in enumerate(groups):
            where = f"hooks.{event}[{number}]"
            _expect(group, dict, where, "an object")
            _expect(group.get("hooks"), list, f"{where}.hooks", "a list")
            for position, hook in enumerate(group["hooks"]):
                _expect(hook, dict, f"{where}.hooks[{position}]", "an object")


def _expect(value: object, kind: type, where: str, wanted: str) -> None:
    if not isinstance(value, kind):
        raise UsageError(f"'{where}' must be {wanted}")


def _words(hook: dict[str, Any]) -> list[str]:
    command, args = hook.get("command"), hook.get("args")
    if hook.get("type") != "command" or not isinstance(command, str):
        return []
    if isinstance(args, list):
        return [command, *(str(word) for word in args)]
    try:
        return shlex.split(command)
    except ValueError:  # a shell line with open quotes is nothing we wrote
        return []


def _is_client_file(word: str) -> bool:
    """A Python file inside this package, whichever folder the package is installed in."""
    path = PurePath(os.path.normpath(word))
    return path.suffix == ".py" and "gsd_engine" in path.parts


def _ours(groups: list[Group]) -> Iterator[tuple[Group, dict[str, Any]]]:
    return ((group, hook) for group in groups for hook in group["hooks"] if is_ours(hook))


def _state(settings: Settings, entry: HookEntry) -> HookState:
    found = list(_ours(settings.get("hooks", {}).get(entry.event, [])))
    if not found:
        return HookState.MISSING
    if len(found) > 1:
        return HookState.DOUBLED
    group, hook = found[0]
    right = _matcher(group) == entry.matcher and hook == our_hook(entry)
    return HookState.INSTALLED if right else HookState.OUTDATED


def _matcher(group: Group) -> str | None:
    """Absent, empty and `*` all mean: every call."""
    matcher: str | None = group.get("matcher")
    return None if matcher in ("", "*") else matcher


def _put(hooks: dict[str, list[Group]], entry: HookEntry) -> None:
    """Our group goes last, in place of any of ours; the event keeps its place among the keys."""
    groups = _without_ours(hooks.get(entry.event, []))
    matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
    hooks[entry.event] = [*groups, {**matcher, "hooks": [our_hook(entry)]}]


def _remove_from(hooks: dict[str, list[Group]], event: str) -> bool:
    """Whether there was anything of ours; an event that is empty because of it goes, one that was empty stays."""
    if not any(_ours(hooks[event])):
        return False
    hooks[event] = _without_ours(hooks[event])
    if not hooks[event]:
        del hooks[event]
    return True


def _without_ours(groups: list[Group]) -> list[Group]:
    kept = []
    for group in groups:
        foreign = [hook for hook in group["hooks"] if not is_ours(hook)]
        if foreign or not group["hooks"]:
            kept.append({**group, "hooks": foreign})
    return kept
