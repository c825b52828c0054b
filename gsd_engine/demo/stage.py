"""Everything the demonstration needs, in one temporary folder; what was started is ended, by its own socket or id."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import gsd_engine
from gsd_engine.config import Config, load_config
from gsd_engine.demo.script import SESSION, model_script, queues
from gsd_engine.effects.screen import read_screen
from gsd_engine.effects.tmux import PaneRef, Tmux, TmuxError
from gsd_engine.errors import EngineFailureError
from gsd_engine.hooks.settings import installed
from gsd_engine.operations import OPERATIONS
from gsd_engine.resident.client import send
from gsd_engine.store.opening import open_store

END_SECONDS = 15.0


class Stage:
    """`claude`: the program to run instead of the simulated one."""

    def __init__(self, claude: str | None = None) -> None:
        if shutil.which("tmux") is None:
            raise EngineFailureError("tmux is not installed, or not on the PATH: the demonstration needs it")
        self.claude = claude
        self.folder = Path(tempfile.mkdtemp(prefix="gsd-demo-"))
        self.project, self.notes = self.folder / "project", self.folder / "agent.txt"
        self.config: Config = load_config({"GSD_ENGINE_HOME": str(self.folder / "home")})
        self.tmux = Tmux(str(self.folder / "tmux.sock"))
        self.pane: PaneRef | None = None
        self.server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Stage:
        try:
            self._furnish()
            self._start_engine()
            self._start_claude()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        subprocess.run(["tmux", "-S", self.tmux.socket or "", "kill-server"], capture_output=True, check=False)
        if self.server is not None:
            self._end(self.server)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def attach_command(self) -> str:
        return f"tmux -S {self.tmux.socket} attach -t {SESSION}"

    @property
    def environment(self) -> dict[str, str]:
        """The user's, but for everything that would lead to another engine or another tmux."""
        strange = ("GSD_ENGINE_", "TMUX", "IDLE_LOOP_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
        return {**kept, "GSD_ENGINE_HOME": str(self.config.home), "PYTHONPATH": _package_folder()}

    def type(self, text: str) -> None:
        """As a person would: the text, then Enter."""
        assert self.pane is not None
        self.tmux.paste(self.pane, text)
        first_line = text.splitlines()[0]
        self.wait(lambda: first_line in self.screen(), f"{first_line!r} on the screen", 10)
        self.tmux.press(self.pane, "Enter")

    def screen(self) -> str:
        assert self.pane is not None
        try:
            return self.tmux.capture(self.pane)
        except TmuxError:
            return ""

    def wait(self, condition: Callable[[], bool], what: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise EngineFailureError(f"waited {seconds:g} s in vain for {what}. The screen:\n{self.screen()}")
            time.sleep(0.05)

    def is_ready(self) -> bool:
        """Claude Code stands at its prompt."""
        assert self.pane is not None
        return read_screen(self.tmux.capture(self.pane, escapes=True)).kind == "prompt"

    def _furnish(self) -> None:
        for folder in (self.config.home, self.project / ".claude" / "commands" / "gsd"):
            folder.mkdir(mode=0o700, parents=True)
        plan = [sys.executable, "-m", "gsd_engine.demo.agent", str(self.notes), json.dumps(queues(OPERATIONS))]
        agent = {"agent_id": "warden", "session_name": SESSION, "working_directory": str(self.project)}
        registry = {"version": 1, "gateway": {"kind": "command", "command": plan}, "agents": [agent]}
        self._write(self.config.registry_path, json.dumps(registry))
        self._write(self.folder / "settings.json", json.dumps(installed({})))
        self._write(self.folder / "script.json", json.dumps(model_script(OPERATIONS)))
        command = "Answer with one short sentence: phase $ARGUMENTS is planned. Use no tools."
        self._write(self.project / ".claude" / "commands" / "gsd" / "plan-phase.md", command)
        open_store(self.config).close()

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text + "\n", encoding="utf-8")

    def _start_engine(self) -> None:
        self.server = self._popen("serve")
        self.wait(lambda: send(self.config, "GET", "/health")[0] == 200, "the resident engine", 30)

    def _popen(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "gsd_engine", *arguments],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _start_claude(self) -> None:
        settings = ["--settings", str(self.folder / "settings.json")]
        simulated = [sys.executable, "-m", "gsd_engine.simulation", "--script", str(self.folder / "script.json")]
        self._start_tmux([*([self.claude] if self.claude else simulated), *settings])
        self.pane = self.tmux.find_session(SESSION)

    def _start_tmux(self, program: Sequence[str]) -> None:
        """A server of its own that reads nobody's tmux.conf, with the clean environment in every pane."""
        server = ["tmux", "-S", self.tmux.socket or "", "-f", os.devnull]
        place = ["-s", SESSION, "-x", "120", "-y", "40", "-c", str(self.project)]
        subprocess.run(
            [*server, "new-session", "-d", *place, "--", *program],
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **self.environment},
            check=True,
        )

    def _end(self, server: subprocess.Popen[bytes]) -> None:
        send(self.config, "POST", "/stop", {})
        try:
            server.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _package_folder() -> str:
    """So that every process of the play runs this very engine, also from a checkout that is not installed."""
    return str(Path(gsd_engine.__file__).parents[1])
