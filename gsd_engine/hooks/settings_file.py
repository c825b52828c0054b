"""A Claude Code settings file: changed under a lock, with a backup, atomically, and only if its value changes.

A change goes: plan without the lock (most runs end here), lock, read again, back up, replace. Whatever cannot be
read for certain is refused, so that nothing is lost.
"""

from __future__ import annotations

import contextlib
import difflib
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gsd_engine.effects.atomic_write import write_atomically
from gsd_engine.errors import EngineFailureError, UsageError
from gsd_engine.hooks.settings import Settings
from gsd_engine.hooks.settings_text import parse, rewrite

Merge = Callable[[Settings], Settings]


@dataclass(frozen=True)
class SettingsFile:
    """What was read. `text` is None where there is no file yet."""

    path: Path
    text: str | None
    settings: Settings


@dataclass(frozen=True)
class Change:
    """What was done, or with a dry run what would be."""

    path: Path
    changed: bool
    diff: str
    backup: Path | None = None


def default_settings_path(environ: Mapping[str, str]) -> Path:
    folder = environ.get("CLAUDE_CONFIG_DIR")
    return (Path(folder).expanduser() if folder else Path.home() / ".claude") / "settings.json"


def read_settings(path: Path) -> SettingsFile:
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return SettingsFile(path, None, {})
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name the settings file in it") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}; nothing was changed") from None
    except OSError as error:
        raise EngineFailureError(f"{path} cannot be read: {error.strerror}") from error
    with naming(path):
        return SettingsFile(path, text, parse(text))


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """What is wrong in a file is said with the file's name."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path}: {error}; nothing was changed") from None


def change_settings(path: Path, merge: Merge, now: datetime, *, dry_run: bool) -> Change:
    """Apply a pure change to the file. Two at once do no harm: the second sees what the first wrote."""
    planned = _plan(read_settings(path), merge)[0]
    if dry_run or not planned.changed:
        return planned
    try:
        path.resolve().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path.resolve()):
            return _carry_out(path, merge, now)
    except OSError as error:
        raise EngineFailureError(f"{path} cannot be written: {error.strerror}; it is as it was") from error


def _plan(old: SettingsFile, merge: Merge) -> tuple[Change, str]:
    with naming(old.path):
        new = merge(old.settings)
    if new == old.settings:
        return Change(old.path, changed=False, diff=""), old.text or ""
    text = rewrite(old.text, new)
    return Change(old.path, changed=True, diff=_diff(old, text)), text


def _carry_out(path: Path, merge: Merge, now: datetime) -> Change:
    old = read_settings(path)
    planned, text = _plan(old, merge)
    if not planned.changed:
        return planned
    backup = None if old.text is None else _back_up(path.resolve(), old.text.encode(), now)
    write_atomically(path, text.encode(), new_mode=0o600)
    return Change(path, changed=True, diff=planned.diff, backup=backup)


def _diff(old: SettingsFile, new: str) -> str:
    before = (old.text or "").splitlines()
    name = str(old.path)
    lines = difflib.unified_diff(before, new.splitlines(), name, f"{name} (changed)", lineterm="")
    return "\n".join(lines)


def _back_up(target: Path, content: bytes, now: datetime) -> Path:
    """A copy with the same rights, under a name that is still free."""
    stem = f"{target.name}.gsd-backup-{now:%Y%m%dT%H%M%SZ}"
    mode = target.stat().st_mode & 0o777
    for number in range(1, 1000):
        backup = target.with_name(stem if number == 1 else f"{stem}-{number}")
        with contextlib.suppress(FileExistsError):
            _write_new(backup, content, mode)
            return backup
    raise EngineFailureError(f"no free name for a backup {stem}; {target} is as it was")


def _write_new(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)  # whatever the umask says
        file.write(content)
        file.flush()
        os.fsync(descriptor)


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One writer at a time. The lock file goes away afterwards, so whoever waited on a removed one begins anew."""
    lock = target.with_name(f"{target.name}.gsd-lock")
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_still(lock, descriptor):
            break
        os.close(descriptor)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
