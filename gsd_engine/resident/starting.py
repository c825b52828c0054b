"""Starting the resident engine: detached, by whoever finds none, and never two."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

from gsd_engine.config import Config, ensure_home
from gsd_engine.drain import start_drain_if_needed
from gsd_engine.store.database import Database


def see_to_effects(config: Config, database: Database) -> None:
    """After a change made in this process: somebody must perform what it wants."""
    if config.resident == "off":
        start_drain_if_needed(config, database)
    else:
        start_resident(config)


def start_resident(config: Config) -> bool:
    """False where one runs or is being started. A hung one (its socket was set aside) is replaced by the new one."""
    ensure_home(config)
    if is_locked(config) and config.socket_path.exists():
        return False
    subprocess.Popen(
        [sys.executable, "-m", "gsd_engine", "serve"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=config.home,
        env={**_without_tmux(), "GSD_ENGINE_HOME": str(config.home)},
    )
    return True


def _without_tmux() -> dict[str, str]:
    """The engine serves every session of its home: it must not take itself for one pane."""
    return {name: value for name, value in os.environ.items() if name not in ("TMUX", "TMUX_PANE")}


def is_locked(config: Config) -> bool:
    try:
        with config.lock_path.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
