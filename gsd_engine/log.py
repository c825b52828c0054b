"""The engine's log: JSON lines in the home, rotated. Never on a hook's output, never in anyone's way."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler

from gsd_engine.config import Config, ensure_home

MAX_BYTES = 5 * 1024 * 1024
KEPT_FILES = 4
ROOT = logging.getLogger("gsd_engine")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "pid": os.getpid(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _Private(RotatingFileHandler):
    """Made readable by the owner alone, and silent where it cannot write: a full disk must not break a hook."""

    def _open(self):  # type: ignore[no-untyped-def]  # the base class says no more
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=_private_opener)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        pass


def _private_opener(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def start_logging(config: Config) -> None:
    if ROOT.handlers:
        return
    ROOT.setLevel(logging.DEBUG)
    ROOT.propagate = False
    try:
        ensure_home(config)
        handler: logging.Handler = _Private(
            config.log_path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="replace"
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(JsonLines())
    ROOT.addHandler(handler)


def note(message: str, level: int = logging.DEBUG, **fields: object) -> None:
    ROOT.log(level, message, extra={"fields": fields})
