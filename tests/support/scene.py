"""The whole engine around one Claude Code, simulated or real: its home, its registry, its hooks, its agent's ear.

Everything is called as a user calls it: `gsd-engine …` as a process, hooks by settings.json, the resident engine
started by its own command. The agent is a program that writes down what it is told (`wakes`).
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from gsd_engine.config import load_config
from gsd_engine.effects.screen import Screen, read_screen
from gsd_engine.resident.starting import is_locked
from tests.support.tmux_server import TmuxServer

_EAR = """#!{python} -IS
import os, sys
message = sys.stdin.read()
with open({log!r}, "a") as log:
    log.write(repr((os.environ["GSD_TRIGGER"], os.environ["GSD_SESSION"], message)) + "\\n")
"""


class Scene:
    """`launch` starts the Claude Code; `environment` is what it needs besides."""

    def __init__(
        self,
        root: Path,
        tmux: TmuxServer,
        launch: Sequence[str],
        *,
        session: str = "warden-main",
        project: Path,
        environment: Mapping[str, str] | None = None,
        skip_permissions: bool = False,
    ) -> None:
        self.tmux, self.session, self.project = tmux, session, project
        self.home = root / "gsd"
        self.home.mkdir(mode=0o700)
        self._more = dict(environment or {})
        self._heard = root / "wakes"
        ear = root / "ear"
        ear.write_text(_EAR.format(python=sys.executable, log=str(self._heard)))
        ear.chmod(0o755)
        agent = {
            "agent_id": "warden",
            "session_name": session,
            "working_directory": str(project),
            "launch_command": list(launch),
            "skip_permissions": skip_permissions,
        }
        registry = {"version": 1, "gateway": {"kind": "command", "command": [str(ear)]}, "agents": [agent]}
        (self.home / "registry.json").write_text(json.dumps(registry))
        self.config = load_config({"GSD_ENGINE_HOME": str(self.home)})

    def __enter__(self) -> Scene:
        self.tmux.new_session("a-persons-own", ["sleep", "600"])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end_engine()
        self.tmux.__exit__(kind, error, at)

    # ── calling the engine ───────────────────────────────────────────────────────────────────────────────────────────

    @property
    def environment(self) -> dict[str, str]:
        own = {"GSD_ENGINE_HOME": str(self.home), "TMUX": f"{self.tmux.socket_path},1,0"}
        return {**self.tmux.environment, **self._more, **own}

    def cli(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gsd_engine", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=90, cwd=self.home)
        if check and done.returncode != 0:
            raise AssertionError(
                f"gsd-engine {' '.join(arguments)[:200]}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done

    def ask(self, *arguments: str) -> Any:
        return json.loads(self.cli(*arguments, "--json").stdout)

    def serve(self, silence: float | None = None) -> None:
        """The resident engine, before the first hook would start one."""
        command = [sys.executable, "-m", "gsd_engine", "serve", *(["--silence", str(silence)] if silence else [])]
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in self.environment.items() if name != "TMUX"},
            cwd=self.home,
            start_new_session=True,
        )
        self.wait_for(self.config.socket_path.exists, 30, "the resident engine")

    def end_engine(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.cli("stop", check=False)
        if is_locked(self.config):
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.kill(int(self.config.lock_path.read_text()), signal.SIGKILL)

    def install_hooks(self, settings: Path) -> None:
        settings.parent.mkdir(parents=True, exist_ok=True)
        self.cli("hooks", "install", "--settings", str(settings))

    # ── the session and its queue ────────────────────────────────────────────────────────────────────────────────────

    def spawn(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("session", "spawn", "warden", *arguments)
        if found["shows"] == "prompt":
            self.wait_state("idle")
        return found

    def start_queue(self, *commands: str) -> None:
        self.cli("queue", "start", "--session", self.session, json.dumps(commands))

    def queue(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("queue", "show", "--session", self.session)["queue"]
        return found

    def wait_queue(self, state: str, seconds: float = 20) -> dict[str, Any]:
        try:
            self.wait_for(lambda: self.value("SELECT state FROM queues ORDER BY id DESC") == state, seconds, state)
        except TimeoutError as error:
            raise AssertionError(f"the queue is not {state}: {json.dumps(self.queue(), indent=1)}\n{error}") from None
        return self.queue()

    def wait_command(self, command: str, state: str, seconds: float = 20) -> None:
        sql = "SELECT count(*) FROM commands WHERE command = ? AND state = ?"
        self.wait_for(lambda: self.value(sql, command, state) > 0, seconds, f"{command} to be {state}")

    def wait_accepted(self, command: str, seconds: float = 20) -> None:
        sql = "SELECT count(*) FROM commands WHERE command = ? AND accepted_at IS NOT NULL"
        self.wait_for(lambda: self.value(sql, command) > 0, seconds, f"the receipt of {command}")

    def wait_state(self, state: str, seconds: float = 20) -> None:
        sql = "SELECT count(*) FROM sessions WHERE name = ? AND state = ?"
        self.wait_for(lambda: self.value(sql, self.session, state) > 0, seconds, f"session {state}")

    def screen(self) -> Screen:
        return read_screen(self.tmux.capture(self.session, escapes=True))

    def wait_for(self, predicate: Any, seconds: float, what: str) -> None:
        self.tmux.wait_for(predicate, seconds, what)

    # ── what is ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def wakes(self) -> list[tuple[str, str]]:
        """(trigger, message) of all that the agent was told."""
        lines = self._heard.read_text().splitlines() if self._heard.exists() else []
        return [(trigger, message) for trigger, _, message in map(_evaluated, lines)]

    def wait_wake(self, trigger: str, seconds: float = 15) -> str:
        self.wait_for(lambda: trigger in [name for name, _ in self.wakes()], seconds, f"a wake {trigger}")
        return next(message for name, message in self.wakes() if name == trigger)

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(self.home / "engine.db", timeout=10)) as connection:
            return connection.execute(sql, values).fetchall()

    def value(self, sql: str, *values: Any) -> Any:
        rows = self.rows(sql, *values)
        return rows[0][0] if rows else None


def _evaluated(line: str) -> tuple[str, str, str]:

    trigger, session, message = ast.literal_eval(line)
    return str(trigger), str(session), str(message)
