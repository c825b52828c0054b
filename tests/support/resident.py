"""A home with its own tmux server, registry and hook client, as Claude Code's settings.json would call it.

    with EngineHome(tmp_path) as home:
        home.session("alpha")
        home.hook("Stop", {"last_assistant_message": "Done."}, session="alpha")

Ends the resident engine it may have started, by its own command, and its tmux server.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from gsd_engine.config import Config, load_config
from gsd_engine.resident.starting import is_locked
from tests.support.tmux_server import TmuxServer

ROOT = Path(__file__).parents[2]
CLIENT = [sys.executable, "-I", "-S", str(ROOT / "scripts" / "hook.py")]


class EngineHome:
    def __init__(
        self,
        root: Path,
        *,
        sessions: Sequence[str] = ("alpha",),
        resident: str = "auto",
        hook_settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.tmux = TmuxServer(root)
        self.folder = root / "gsd"
        self.folder.mkdir(mode=0o700, parents=True)
        self.resident = resident
        self.panes: dict[str, str] = {}
        agents = [
            {"agent_id": f"agent-{name}", "session_name": name, "working_directory": str(root)}
            for name in [*sessions, "never-started"]
        ]
        registry = {"version": 1, "hook_settings": dict(hook_settings or {}), "agents": agents}
        (self.folder / "registry.json").write_text(json.dumps(registry))
        self.config: Config = load_config({"GSD_ENGINE_HOME": str(self.folder)})

    def __enter__(self) -> EngineHome:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end_engine()
        self.tmux.__exit__(kind, error, at)

    # ── sessions and their hooks ─────────────────────────────────────────────────────────────────────────────────────

    def session(self, name: str = "alpha", argv: Sequence[str] = ("sleep", "1000")) -> str:
        self.panes[name] = self.tmux.new_session(name, argv)
        return self.panes[name]

    def environment(self, session: str | None = None, **more: str) -> dict[str, str]:
        inside = {"TMUX": f"{self.tmux.socket_path},1,0", "TMUX_PANE": self.panes[session]} if session else {}
        own = {"GSD_ENGINE_HOME": str(self.folder), "GSD_ENGINE_RESIDENT": self.resident}
        return {**self.tmux.environment, **own, **inside, **more}

    def hook(
        self, event: str, payload: Mapping[str, Any], session: str | None = "alpha", **environ: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*CLIENT, event],
            input=json.dumps({"hook_event_name": event, "session_id": "claude-1", **payload}).encode(),
            env=self.environment(session, **environ),
            capture_output=True,
            timeout=60,
        )

    def start_hook(
        self, event: str, payload: Mapping[str, Any], session: str | None = "alpha"
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*CLIENT, event],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(session),
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"hook_event_name": event, "session_id": "claude-1", **payload}).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def cli(self, *arguments: str, check: bool = True, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gsd_engine", *arguments],
            env=self.environment(**environ),
            capture_output=True,
            text=True,
            timeout=60,
            check=check,
            cwd=ROOT,
        )

    # ── the resident engine ──────────────────────────────────────────────────────────────────────────────────────────

    def start_engine(self) -> int:
        """In the background, as a hook does it; returns its process id once it answers."""
        self.started = subprocess.Popen(
            [sys.executable, "-m", "gsd_engine", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment(),
            cwd=ROOT,
            start_new_session=True,
        )
        return self.wait_for_engine()

    def wait_for_engine(self) -> int:
        self.wait_for(lambda: self.health() is not None, 30, "a resident engine that answers")
        health = self.health()
        assert health is not None
        return int(health["pid"])

    def health(self) -> dict[str, Any] | None:
        connection = http.client.HTTPConnection("engine", timeout=5)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(5)
        try:
            connection.sock.connect(str(self.config.socket_path))
            connection.request("GET", "/health")
            found: dict[str, Any] = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        return found

    def end_engine(self) -> None:
        """Whatever state it is in: asked first, then ended by the id in its lock file."""
        self.cli("stop", "--timeout", "15", check=False)
        if is_locked(self.config):
            pid = int(self.config.lock_path.read_text() or 0)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
            self.wait_for(lambda: not is_locked(self.config), 10, "the engine's end")

    def wait_for(self, predicate: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not predicate():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s in vain for {what}")
            time.sleep(0.02)

    # ── what is ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        assert self.config.sqlite_path is not None
        with contextlib.closing(sqlite3.connect(self.config.sqlite_path)) as connection:
            return connection.execute(sql, values).fetchall()

    def value(self, sql: str, *values: Any) -> Any:
        return self.rows(sql, *values)[0][0]

    def events(self, kind: str) -> int:
        return int(self.value("SELECT count(*) FROM events WHERE kind = ?", kind))

    def log(self, message: str) -> list[dict[str, Any]]:
        lines = self.config.log_path.read_text().splitlines() if self.config.log_path.exists() else []
        return [record for record in map(json.loads, lines) if record["message"] == message]
