"""Starting the resident engine: detached, by whoever finds none, and never two.

Whoever starts it takes the lock first and hands it on to the new process: between the two there is no moment in which
another one could be started.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

from gsd_engine.config import Config, ensure_home
from gsd_engine.store import effects
from gsd_engine.store.database import Database


def see_to_effects(config: Config, database: Database) -> None:
    """After a change made in this process: somebody must perform what it wants."""
    if config.resident == "off":
        start_drain_if_needed(config, database)
    else:
        start_resident(config)


def start_drain_if_needed(config: Config, database: Database) -> None:
    """Detached: Claude Code must not wait for it, and it must outlive the hook."""
    with database.read() as connection:
        if not effects.any_open(connection, config.host):
            return
    subprocess.Popen(
        [sys.executable, "-m", "gsd_engine", "drain"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=config.home,
        env={**os.environ, "GSD_ENGINE_HOME": str(config.home), "GSD_ENGINE_REGISTRY": str(config.registry_path)},
    )


def start_resident(config: Config) -> bool:
    """False where one runs or is being started. A hung one (its socket was set aside) is replaced by the new one."""
    ensure_home(config)
    with config.lock_path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if hung_socket(config) is None:
                return False
            _spawn(config, [], ())
            return True
        _spawn(config, ["--lock-fd", str(lock.fileno())], (lock.fileno(),))
    return True


def _spawn(config: Config, arguments: list[str], descriptors: tuple[int, ...]) -> None:
    subprocess.Popen(
        [sys.executable, "-P", "-m", "gsd_engine", "serve", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=config.home,
        env={**_without_tmux(), **config.identity(), "GSD_ENGINE_HOME": str(config.home)},
        pass_fds=descriptors,
    )


def hung_socket(config: Config) -> str | None:
    """The socket of an engine that a client waited for in vain, where no other one has been made since."""
    hung = config.socket_path.with_name(config.socket_path.name + ".hung")
    return str(hung) if hung.exists() and not config.socket_path.exists() else None


def _without_tmux() -> dict[str, str]:
    """The engine serves every session of its home: it must not take itself for one pane."""
    return {name: value for name, value in os.environ.items() if name not in ("TMUX", "TMUX_PANE")}


def is_locked(config: Config, lock_name: str | None = None) -> bool:
    """Whether a process holds the engine's lock, or another lock of this home."""
    try:
        with (config.home / lock_name if lock_name else config.lock_path).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
