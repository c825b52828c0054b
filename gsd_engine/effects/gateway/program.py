"""One run of a program: text in, text out, bounded in time, and nothing of it can hang us.

Its stdin and outputs are unnamed files, not pipes: a program that never reads is fine, and so is one that leaves a
background child with its outputs open. It leads a process group of its own; over time, that group is killed before
its leader is reaped, so that the number cannot have become somebody else's.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

OUTPUT_LIMIT = 1024 * 1024

# What starting a program says when it will say the same next time.
HOPELESS = frozenset({errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ENOEXEC, errno.ELOOP, errno.EISDIR})


@dataclass(frozen=True)
class Ran:
    """`code` is None where the program was killed for taking too long."""

    code: int | None
    stdout: str
    stderr: str

    @property
    def last_line(self) -> str:
        """The last thing it said on stderr: where programs put what went wrong."""
        lines = [line for line in self.stderr.splitlines() if line.strip()]
        return lines[-1] if lines else "nothing on stderr"


class CannotStartError(Exception):
    """The program did not run at all; `hopeless` where it will not next time either."""

    def __init__(self, reason: str, hopeless: bool) -> None:
        super().__init__(reason)
        self.hopeless = hopeless


def run_program(command: Sequence[str], environ: Mapping[str, str], stdin: str, seconds: float) -> Ran:
    """Raises CannotStartError and nothing else."""
    try:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin.encode("utf-8", "replace"))
            given.seek(0)
            code = _code(_started(command, environ, given, out, err), seconds)
            return Ran(code, _end_of(out), _end_of(err))
    except OSError as error:  # no room for the files; room may come
        raise CannotStartError(f"no temporary file: {error.strerror}", hopeless=False) from None


def _started(
    command: Sequence[str], environ: Mapping[str, str], stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command), env=dict(environ), stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        )
    except OSError as error:
        what = f"{command[0]} cannot be started: {os.strerror(error.errno or 0)}"
        raise CannotStartError(what, error.errno in HOPELESS) from None
    except (ValueError, IndexError) as error:
        raise CannotStartError(f"the command cannot be started: {error}", hopeless=True) from None


def _code(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def _end_of(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - OUTPUT_LIMIT))
    return file.read(OUTPUT_LIMIT).decode("utf-8", "replace")
