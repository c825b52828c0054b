"""No gateway at all: the agent reads `gsd-engine inbox`, whose rows the engine writes for every wake anyway."""

from __future__ import annotations

from gsd_engine.effects.gateway.base import Delivered, Outcome, Wake


class InboxGateway:
    kind = "inbox"

    def __repr__(self) -> str:
        return "InboxGateway()"

    def wake(self, wake: Wake) -> Outcome:
        return Delivered(f"inbox, event {wake.event_id}")

    def ask(self, wake: Wake, seconds: float) -> str | None:
        """An inbox is read when its reader likes: there is nobody to wait for."""
        return None

    def check(self) -> str | None:
        return None
