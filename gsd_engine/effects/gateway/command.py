"""Any program as a gateway: the message on its stdin, who and what in its environment, exit 0 for "taken"."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from gsd_engine.effects.gateway.base import Delivered, GaveUp, Outcome, TryAgain, Wake, one_line
from gsd_engine.effects.gateway.program import CannotStartError, Ran, run_program

WAKE_SECONDS = 30.0


class CommandGateway:
    kind = "command"

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], *, timeout: float = WAKE_SECONDS) -> None:
        self._command, self._environ, self._timeout = tuple(command), environ, timeout

    def __repr__(self) -> str:
        """Without its arguments: people put tokens there."""
        return f"CommandGateway({self._name!r})"

    def wake(self, wake: Wake) -> Outcome:
        try:
            ran = self._run(wake, self._timeout)
        except CannotStartError as trouble:
            reason = one_line(str(trouble))
            return GaveUp(reason) if trouble.hopeless else TryAgain(reason)
        return self._judged(ran)

    def ask(self, wake: Wake, seconds: float) -> str | None:
        try:
            ran = self._run(wake, seconds)
        except CannotStartError:
            return None
        return ran.stdout.strip() or None if ran.code == 0 else None

    def check(self) -> str | None:
        if shutil.which(self._name, path=self._environ.get("PATH", os.defpath)):
            return None
        return f"{self._name or 'the command'} is not an executable program: correct gateway.command in the registry"

    @property
    def _name(self) -> str:
        return self._command[0] if self._command else ""

    def _run(self, wake: Wake, seconds: float) -> Ran:
        return run_program(self._command, {**self._environ, **identity(wake)}, wake.message, seconds)

    def _judged(self, ran: Ran) -> Outcome:
        if ran.code == 0:
            return Delivered()
        if ran.code is None:
            return TryAgain(one_line(f"{self._name} was killed: not done after {self._timeout:g} s"))
        ended = f"exit {ran.code}" if ran.code > 0 else f"signal {-ran.code}"
        return TryAgain(one_line(f"{self._name}: {ended}: {ran.last_line}"))


def identity(wake: Wake) -> dict[str, str]:
    """What the program finds in its environment (SPEC 9), so that it need not parse the message."""
    return {
        "GSD_SESSION": wake.session,
        "GSD_AGENT_ID": wake.agent_id,
        "GSD_TRIGGER": wake.trigger,
        "GSD_EVENT_ID": str(wake.event_id),
        "GSD_IDEMPOTENCY_KEY": wake.idempotency_key,
    }
