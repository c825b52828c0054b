"""Replacing a file so that every reader sees the old one or the new one, whole, and a crash leaves one of them.

Symlinks are followed and stay links; an existing file keeps its mode and, where permitted, its owner.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, new_mode: int = 0o644) -> None:
    """Write beside the real file, flush to the disk, rename. `new_mode` is for a file that is not there yet."""
    target = path.resolve()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _take_over_rights(file.fileno(), target, new_mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _take_over_rights(descriptor: int, target: Path, new_mode: int) -> None:
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(descriptor, new_mode)
        return
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, old.st_mode & 0o7777)


def _flush_folder(folder: Path) -> None:
    """A rename is on the disk only once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
