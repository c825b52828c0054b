"""A Unix socket by its path, however long: the kernel takes a hundred bytes or so, longer ones go by their folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_PATH = 100


def connect(to: socket.socket, path: Path) -> None:
    with _short(path) as name:
        to.connect(name)


def bind(to: socket.socket, path: Path) -> None:
    """Made with mode 0600: no moment passes in which another user could connect."""
    before = os.umask(0o177)
    try:
        with _short(path) as name:
            to.bind(name)
    finally:
        os.umask(before)


@contextmanager
def _short(path: Path) -> Iterator[str]:
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
