"""Calls a person: the registry's `notify` command, else notify-send where it exists."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from datetime import timedelta

from gsd_engine.config import Config
from gsd_engine.domain.effects import Notify
from gsd_engine.domain.records import EffectRow
from gsd_engine.domain.results import Done, Failed, Later, Result
from gsd_engine.registry import load_registry

SECONDS = 30
ATTEMPTS = 3


class NotifyPerformer:
    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self.config, self.environ = config, environ

    def __call__(self, effect: Notify, row: EffectRow) -> Result:
        command = self._command(effect)
        if command is None:
            return Failed("nobody to notify: the registry names no notify command and there is no notify-send")
        environ = {**self.environ, "GSD_NOTIFY_TITLE": effect.title, "GSD_NOTIFY_TEXT": effect.text}
        try:
            done = subprocess.run(command, env=environ, timeout=SECONDS, capture_output=True, check=False)
        except (OSError, subprocess.TimeoutExpired, ValueError) as error:
            return Failed(f"{command[0]}: {error}")
        if done.returncode == 0:
            return Done({"command": command[0]})
        reason = f"{command[0]} left with {done.returncode}"
        return Later(timedelta(seconds=5), reason) if row.attempts < ATTEMPTS else Failed(reason)

    def _command(self, effect: Notify) -> list[str] | None:
        notify = load_registry(self.config.registry_path).notify
        if notify is not None:
            return list(notify.command)
        program = shutil.which("notify-send", path=self.environ.get("PATH"))
        return [program, "--", effect.title, effect.text] if program is not None else None
