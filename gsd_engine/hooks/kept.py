"""Payloads that could not become events, one file each in the home: nothing is lost, and `doctor` shows it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from gsd_engine.config import Config, ensure_home

ENVIRONMENT = ("TMUX", "TMUX_PANE")


def keep(config: Config, hook: str, raw: bytes, environ: Mapping[str, str], why: str, now: datetime) -> Path | None:
    """None where even that is impossible (a full disk, a read-only home): a hook must not break over it."""
    record = {
        "hook": hook,
        "why": why,
        "at": now.isoformat(),
        "environment": {name: environ[name] for name in ENVIRONMENT if name in environ},
        "payload": raw.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode(),
    }
    name = f"{now:%Y%m%dT%H%M%S%f}-{os.getpid()}.json"
    try:
        ensure_home(config)
        config.kept_payloads.mkdir(mode=0o700, exist_ok=True)
        path = config.kept_payloads / name
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(record, file, ensure_ascii=False)
    except OSError:
        return None
    return path


def kept(config: Config) -> list[dict[str, Any]]:
    found = []
    for path in sorted(config.kept_payloads.glob("*.json")):
        try:
            found.append({"file": str(path), **json.loads(path.read_text("utf-8"))})
        except (OSError, ValueError):
            found.append({"file": str(path), "why": "unreadable"})
    return found
