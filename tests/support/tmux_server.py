"""A tmux server of a test's own: private socket, private HOME, clean environment, and only this server is ended.

with TmuxServer(tmp_path) as tmux:
    tmux.new_session("warden", ["python", "-m", "gsd_engine.simulation", ...])
    tmux.wait_for(lambda: "❯" in tmux.capture("warden"), 5, "the prompt line")
"""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType


class TmuxServer:
    """Every call names this server's socket, so a developer's own tmux is never touched."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.socket_directory = root / "tmux"
        self.socket_name = f"test-{uuid.uuid4().hex[:12]}"
        self.home.mkdir(parents=True, exist_ok=True)
        self.socket_directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __enter__(self) -> TmuxServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.tmux("kill-server", check=False)

    @property
    def environment(self) -> dict[str, str]:
        """What tmux and the programs in its panes see; nothing of the developer's own environment but PATH."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TMUX_TMPDIR": str(self.socket_directory),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }

    @property
    def socket_path(self) -> str:
        return str(self.socket_directory / f"tmux-{os.getuid()}" / self.socket_name)

    def tmux(self, *arguments: str, check: bool = True, text: str | None = None) -> str:
        command = ["tmux", "-L", self.socket_name, "-f", os.devnull, *arguments]
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, timeout=20)
        if check and done.returncode != 0:
            raise RuntimeError(f"tmux {' '.join(arguments)[:200]}: {done.stderr.strip()}")
        return done.stdout

    def new_session(
        self,
        name: str,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (140, 45),
        cwd: Path | None = None,
    ) -> str:
        """Starts argv (no shell) in a new session and returns its pane id."""
        variables = [part for key, value in (env or {}).items() for part in ("-e", f"{key}={value}")]
        geometry = ["-x", str(size[0]), "-y", str(size[1]), "-c", str(cwd or self.home)]
        pane = self.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, *geometry, *variables, "--", *argv)
        return pane.strip()

    def capture(self, name: str, escapes: bool = False) -> str:
        return self.tmux("capture-pane", "-p", *(["-e"] if escapes else []), "-t", f"={name}:", check=False)

    def send_keys(self, name: str, *keys: str) -> None:
        """One tmux call per key, as a careful driver does: two keys in one call arrive in one read."""
        for key in keys:
            self.tmux("send-keys", "-t", f"={name}:", "--", key)

    def type_text(self, name: str, text: str) -> None:
        self.tmux("send-keys", "-t", f"={name}:", "-l", "--", text)

    def paste(self, name: str, text: str) -> None:
        """A bracketed paste, verbatim: newlines and a trailing semicolon survive."""
        buffer = f"paste-{uuid.uuid4().hex[:8]}"
        self.tmux("load-buffer", "-b", buffer, "-", text=text)
        self.tmux("paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", f"={name}:")

    def wait_for(self, predicate: Callable[[], object], seconds: float = 5.0, what: str = "the condition") -> None:
        """Returns as soon as the predicate holds; at the deadline raises with every screen of this server."""
        deadline = time.monotonic() + seconds
        while not predicate():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not within {seconds} s\n{self.all_screens()}")
            time.sleep(0.02)

    def all_screens(self) -> str:
        names = self.tmux("list-sessions", "-F", "#{session_name}", check=False).split("\n")
        return "\n".join(f"--- {name}\n{self.capture(name).rstrip()}" for name in names if name)
