"""A home with a resident engine and two sessions: `alpha` is managed, `beta` is not. Nothing is ever typed.

The pane of `alpha` shows a person's draft, so that a queue can be driven by hand-made receipts and stops.
"""

from __future__ import annotations

import importlib.util
import json
import os
import posix
import sys
import tempfile
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from tests.support.resident import ROOT, EngineHome

DRAFT = "printf '\\n%s\\n❯ a draft\\n%s\\n' ──────────────────── ────────────────────; sleep 100000"


class Rig:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gsd-bench-")
        self.home = EngineHome(Path(self._folder.name))
        self._number = 0

    def __enter__(self) -> Rig:
        self.home.session("alpha", ["sh", "-c", DRAFT])
        self.home.session("beta")
        self.home.hook("SessionStart", {"source": "startup"})
        self.home.wait_for_engine()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.home.__exit__(kind, error, at)
        self._folder.cleanup()

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def stop(self, message: str = "", session: str = "alpha", **payload: Any) -> None:
        number = self.next_number()
        found = {"prompt_id": f"p{number}", "last_assistant_message": message and f"{message} {number}", **payload}
        done = self.home.hook("Stop", found, session=session)
        assert (done.returncode, done.stderr) == (0, b""), done

    def start_queue(self, length: int) -> None:
        commands = json.dumps([f"/gsd:command {n + 1}" for n in range(length)])
        self.home.cli("queue", "start", "--session", "alpha", "--replace", commands)

    def client(self) -> ModuleType:
        """scripts/hook.py as a module, with the environment of a hook in `alpha`: a client without its start-up."""
        os.environ.update(self.home.environment("alpha"))
        posix.environ.update({os.fsencode(name): os.fsencode(value) for name, value in os.environ.items()})
        spec = importlib.util.spec_from_file_location("hook_client", ROOT / "scripts" / "hook.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def python_that_does_nothing() -> list[str]:
    return [sys.executable, "-I", "-S", "-c", "pass"]
