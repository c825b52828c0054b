"""The token of the loopback listener: random, kept in the home with mode 0600, compared in constant time.

The browser gets a cookie made from it, never the token itself: browsers send cookies of 127.0.0.1 to every port of
it, and what reaches another program there must not be good for bringing hook events.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from gsd_engine.config import Config, ensure_home


def token_of(config: Config) -> str:
    """The home's token; made on first use."""
    ensure_home(config)
    try:
        found = config.token_path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _make(config.token_path)
    return found or _make(config.token_path)


def cookie_value(token: str) -> str:
    return hmac.new(token.encode(), b"the page's cookie", hashlib.sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def _make(path: Path) -> str:
    """Written whole before it has its name: two that make it at once agree on one."""
    token = secrets.token_urlsafe(32)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token + "\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip() or _replace(draft, path, token)
        return token
    finally:
        draft.unlink(missing_ok=True)


def _replace(draft: Path, path: Path, token: str) -> str:
    """An empty file, left by a full disk, is no token."""
    draft.replace(path)
    return token
