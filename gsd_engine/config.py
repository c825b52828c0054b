"""Where things are, from the environment. The only module that reads `GSD_ENGINE_*`."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True)
class Config:
    """The engine's home and what lies in it."""

    home: Path
    database_url: str
    registry_path: Path
    host: str
    resident: str = "auto"

    @property
    def log_path(self) -> Path:
        return self.home / "engine.log"

    @property
    def socket_path(self) -> Path:
        """Where the resident engine listens; `scripts/hook.py` knows it too."""
        return self.home / "engine.sock"

    @property
    def lock_path(self) -> Path:
        """Held by the resident engine for as long as it serves this home."""
        return self.home / "engine.lock"

    @property
    def token_path(self) -> Path:
        """What the loopback listener asks for: see `resident/secret.py`."""
        return self.home / "http.token"

    @property
    def address_path(self) -> Path:
        """Where the loopback listener is, or was last."""
        return self.home / "http.address"

    def identity(self) -> dict[str, str]:
        """The settings that a client and the engine it asks must agree on."""
        return {"GSD_ENGINE_REGISTRY": str(self.registry_path), "GSD_ENGINE_DATABASE_URL": self.database_url}

    @property
    def kept_payloads(self) -> Path:
        """Payloads that could not be stored as events, one file each, for replay."""
        return self.home / "kept"

    @property
    def sqlite_path(self) -> Path | None:
        prefix = "sqlite:///"
        return Path(self.database_url[len(prefix) :]) if self.database_url.startswith(prefix) else None


def load_config(environ: Mapping[str, str] | None = None) -> Config:
    env = os.environ if environ is None else environ
    home = Path(env.get("GSD_ENGINE_HOME") or platformdirs.user_state_dir("gsd-engine")).expanduser().absolute()
    return Config(
        home=home,
        database_url=env.get("GSD_ENGINE_DATABASE_URL") or f"sqlite:///{home / 'engine.db'}",
        registry_path=Path(env.get("GSD_ENGINE_REGISTRY") or home / "registry.json").expanduser().absolute(),
        host=socket.gethostname(),
        resident=env.get("GSD_ENGINE_RESIDENT") or "auto",
    )


def ensure_home(config: Config) -> None:
    """The home holds what Claude said and what the agent answered: nobody else may read it."""
    config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if config.home.stat().st_mode & 0o077:
        config.home.chmod(0o700)
