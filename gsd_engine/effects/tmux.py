"""The only module that talks to tmux: panes by their id on their socket, and never a text as an argument.

The tmux program is called directly. libtmux would cost 86 ms of import in every process that types or looks, and it has
neither `load-buffer` from standard input nor time limits, which are the two things this module exists for.

What tmux itself demands (each was measured):
- an argument that ends in `;` loses it, one that begins with `-` is an option, a long one is refused: texts go through
  a buffer, read from standard input, and are pasted as a bracketed paste (`-p`) with their line feeds kept (`-r`);
- a text that holds `ESC[201~` would end that paste early: control characters are taken out first (`clean_text`);
- `-u` always: without it a client in the C locale gets `_` for every character that is not ASCII;
- `display-message` answers for a pane that does not exist: `list-panes` does not;
- where a window or pane is asked for, only `=name:` is an exact session name: `=name` also finds `name-2`.

TmuxError
├── PaneGone          no such pane or session on that server
├── TmuxUnavailable   tmux is not installed, or gives no answer within the time limit
│   └── NoServer      nobody listens on that socket: its sessions are gone too
├── SessionExists     a new session's name is taken
└── PaneBusy          another process of ours is typing into that pane
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shlex
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from gsd_engine.errors import EngineFailureError, UsageError

TIME_LIMIT_SECONDS = 5.0
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class TmuxError(EngineFailureError):
    """tmux refused a call."""


class PaneGone(TmuxError):  # noqa: N818 - named for what happened
    """No such pane or session on that tmux server."""


class TmuxUnavailable(TmuxError):  # noqa: N818 - named for what happened
    """tmux is not installed or does not answer."""


class NoServer(TmuxUnavailable):
    """No tmux server listens on that socket."""


class SessionExists(TmuxError):  # noqa: N818 - named for what happened
    """A session of that name is already there."""


class PaneBusy(TmuxError):  # noqa: N818 - named for what happened
    """Another process is typing into that pane."""


@dataclass(frozen=True)
class PaneRef:
    """One pane: `socket` is the path of its server's socket, None the default server."""

    socket: str | None
    pane_id: str
    session_name: str


@dataclass(frozen=True)
class PaneState:
    """The process behind a pane. `in_mode`: a person is scrolling (copy-mode), and keys would be swallowed."""

    pid: int
    dead: bool
    in_mode: bool
    command: str


def identify(environ: Mapping[str, str]) -> PaneRef | None:
    """The pane that this process runs in. Without $TMUX it is none, whatever tmux would answer."""
    socket = environ.get("TMUX", "").rsplit(",", 2)[0]
    pane_id = environ.get("TMUX_PANE", "")
    if not socket or not pane_id:
        return None
    try:
        return Tmux(socket).pane(pane_id)
    except (PaneGone, NoServer):
        return None


class RecentPanes:
    """`identify` for a process that is asked all the time: tmux is not started again within a second.

    A session that is renamed is known by its old name for that long. $TMUX names the server's process too, so another
    server on the same socket, which begins to count its panes anew, is never mistaken for the one before.
    """

    def __init__(self, seconds: float = 1.0, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._now = seconds, now
        self._known: dict[tuple[str, str], tuple[float, PaneRef]] = {}

    def __call__(self, environ: Mapping[str, str]) -> PaneRef | None:
        key = environ.get("TMUX", ""), environ.get("TMUX_PANE", "")
        known = self._known.get(key)
        if known is not None and self._now() - known[0] < self._seconds:
            return known[1]
        found = identify(environ)
        self._known = {k: v for k, v in self._known.items() if self._now() - v[0] < self._seconds}
        if found is not None:
            self._known[key] = self._now(), found
        return found


def clean_text(text: str) -> str:
    """What may be pasted: every line end is a line feed; no control character but line feed and tab."""
    return _CONTROL_CHARACTERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class Tmux:
    """One tmux server, by the path of its socket (None: the default one)."""

    def __init__(self, socket: str | None = None, time_limit: float = TIME_LIMIT_SECONDS) -> None:
        self.socket = socket
        self._time_limit = time_limit

    # Finding

    def pane(self, pane_id: str) -> PaneRef:
        for line in self._run("list-panes", "-t", pane_id, "-F", "#{pane_id} #{session_name}").splitlines():
            found, _, session_name = line.partition(" ")
            if found == pane_id:
                return PaneRef(self.socket, pane_id, session_name)
        raise PaneGone(f"tmux has no pane {pane_id}")

    def find_session(self, name: str) -> PaneRef | None:
        """The active pane of the session with exactly this name."""
        try:
            lines = self._run("list-panes", "-s", "-t", f"={name}:", "-F", "#{window_active}#{pane_active} #{pane_id}")
        except (PaneGone, NoServer):
            return None
        active = [line.split(" ")[1] for line in lines.splitlines() if line.startswith("11 ")]
        return PaneRef(self.socket, active[0], name) if active else None

    def has_session(self, name: str) -> bool:
        return self.find_session(name) is not None

    def pane_state(self, pane: PaneRef) -> PaneState:
        wanted = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_current_command}"
        for line in self._run("list-panes", "-t", pane.pane_id, "-F", wanted).splitlines():
            found, pid, dead, modes, command = line.split(" ", 4)
            if found == pane.pane_id:
                return PaneState(int(pid), dead == "1", modes != "0", command)
        raise PaneGone(f"tmux has no pane {pane.pane_id}")

    def pane_exists(self, pane: PaneRef) -> bool:
        try:
            self.pane_state(pane)
        except (PaneGone, NoServer):
            return False
        return True

    def pane_alive(self, pane: PaneRef) -> bool:
        """Whether the pane is there and its process runs (tmux can keep the pane of a dead one)."""
        try:
            return not self.pane_state(pane).dead
        except (PaneGone, NoServer):
            return False

    # Looking

    def capture(self, pane: PaneRef, *, escapes: bool = False, lines: int | None = None) -> str:
        """The visible screen, or with `lines` the last so many lines, scrollback included."""
        options = (["-e"] if escapes else []) + (["-S", f"-{lines}"] if lines is not None else [])
        text = self._run("capture-pane", "-p", *options, "-t", pane.pane_id)
        return text if lines is None else "\n".join(text.rstrip().split("\n")[-lines:])

    # Typing

    def paste(self, pane: PaneRef, text: str) -> None:
        """The text as one bracketed paste, exact. Buffers belong to the whole server: the name is ours alone."""
        buffer = f"gsd-engine-{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._run("load-buffer", "-b", buffer, "-", stdin=clean_text(text))
        try:
            self._run("paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", pane.pane_id)
        except TmuxError:
            with suppress(TmuxError):
                self._run("delete-buffer", "-b", buffer)
            raise

    def press(self, pane: PaneRef, key: str) -> None:
        """One key, as a call of its own: together with a text it would arrive in one read and count as part of it."""
        self._run("send-keys", "-t", pane.pane_id, "--", _literal(key))

    def leave_copy_mode(self, pane: PaneRef) -> bool:
        """Keys are swallowed while a person scrolls. Says whether there was a mode to leave."""
        if not self.pane_state(pane).in_mode:
            return False
        self._run("copy-mode", "-q", "-t", pane.pane_id)
        return True

    # Sessions

    def new_session(
        self,
        name: str,
        command: Sequence[str],
        *,
        working_directory: str,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (200, 50),
    ) -> PaneRef:
        """A detached session that runs `command` without a shell in between."""
        _refuse_unusable_name(name)
        variables = [part for key, value in (environment or {}).items() for part in ("-e", _literal(f"{key}={value}"))]
        # A single argument would be handed to a shell; quoted, it survives that unchanged.
        arguments = [shlex.quote(command[0])] if len(command) == 1 else [_literal(part) for part in command]
        place = ["-s", name, "-x", str(size[0]), "-y", str(size[1]), "-c", working_directory]
        pane_id = self._run("new-session", "-d", "-P", "-F", "#{pane_id}", *place, *variables, "--", *arguments)
        if not pane_id.strip():  # where the socket's folder is missing, tmux fails without saying so
            raise TmuxUnavailable(f"tmux started no session {name} on {self.socket or 'the default server'}")
        return PaneRef(self.socket, pane_id.strip(), name)

    def kill_session(self, name: str) -> None:
        self._run("kill-session", "-t", f"={name}")

    # The program

    def _run(self, *arguments: str, stdin: str | None = None) -> str:
        server = ["-S", self.socket] if self.socket else []
        try:
            done = subprocess.run(
                ["tmux", "-u", *server, *arguments],
                input=(stdin or "").encode("utf-8", "replace"),
                capture_output=True,
                timeout=self._time_limit,
                check=False,
            )
        except FileNotFoundError:
            raise TmuxUnavailable("tmux is not installed, or not on the PATH") from None
        except subprocess.TimeoutExpired:
            raise TmuxUnavailable(f"tmux {arguments[0]} gave no answer within {self._time_limit:g} s") from None
        if done.returncode != 0:
            raise _translated(arguments[0], done.stderr.decode("utf-8", "replace").strip())
        return done.stdout.decode("utf-8", "replace")


@contextmanager
def pane_lock(folder: Path, pane: PaneRef, seconds: float) -> Iterator[None]:
    """Two processes never interleave their keys: whoever holds the lock of a pane types, the other waits."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(f"{pane.socket or ''}\0{pane.pane_id}".encode()).hexdigest()[:16]
    with (folder / f"pane-{name}.lock").open("w") as file:
        _lock(file.fileno(), pane, time.monotonic() + seconds)
        yield  # closing the file frees the lock, a crash does too


def _lock(descriptor: int, pane: PaneRef, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise PaneBusy(f"another process is typing into pane {pane.pane_id}") from None
            time.sleep(0.02)


def _literal(argument: str) -> str:
    """tmux takes a `;` at the end of any argument for the end of the command."""
    return f"{argument[:-1]}\\;" if argument.endswith(";") else argument


def _refuse_unusable_name(name: str) -> None:
    if not name or set(name) & set(":.") or not name.isprintable():
        raise UsageError(f"tmux cannot name a session {name!r}: use a name without ':' and '.'")


def _translated(command: str, complaint: str) -> TmuxError:
    if complaint.startswith(("no server running", "error connecting to", "lost server", "server exited")):
        return NoServer(complaint)
    if complaint.startswith(("can't find", "no such")):
        return PaneGone(complaint)
    if complaint.startswith("duplicate session"):
        return SessionExists(complaint)
    return TmuxError(f"tmux {command}: {complaint or 'failed without a word'}")
