"""Changing the registry: always a whole, valid file on disk, and never two editors at once.

The user's own file is kept as it was read (order, keys), with the change put in; what would not validate is not
written. The new text goes into a file beside the old one and takes its place in one step.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gsd_engine.errors import EngineFailureError, UsageError
from gsd_engine.registry.document import parse_document, read_text
from gsd_engine.registry.models import HookSettings
from gsd_engine.registry.validate import find_problems, load_registry

Document = dict[str, Any]


def add_agent(path: Path, entry: Document) -> Document:
    """Adds one agent, with every hook setting written out; the entry as it now stands in the file."""
    with editing(path) as document:
        # What the root says is the default here: written-out built-in values would silently outweigh it.
        defaults = {**HookSettings().model_dump(), **document.get("hook_settings", {})}
        full = {**entry, "hook_settings": {**defaults, **entry.get("hook_settings", {})}}
        document.setdefault("agents", []).append(full)
    return full


@contextlib.contextmanager
def editing(path: Path) -> Iterator[Document]:
    """The document to change. Written at the end if it changed and is valid; refused as wrong use if it is not."""
    try:
        target = path.resolve()
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _only_editor(target.parent):
            document = _current(target)
            before = render(document)
            yield document
            _write_if_changed(target, before, document)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EngineFailureError(f"cannot change {path}: {reason}") from error


def render(document: Document) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _current(target: Path) -> Document:
    load_registry(target)  # refuses a broken file
    text = read_text(target)
    document: Document = {"version": 1, "agents": []} if text is None else parse_document(text)[0]
    return document


def _write_if_changed(target: Path, before: str, document: Document) -> None:
    text = render(document)
    if text == before:
        return
    problems = find_problems(text)
    if problems:
        raise UsageError(f"not written: {problems[0]}")
    _replace(target, text)


@contextlib.contextmanager
def _only_editor(folder: Path) -> Iterator[None]:
    """Lock the folder: the file itself is replaced, and a lock on it would stay with the old one."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(target: Path, text: str) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
