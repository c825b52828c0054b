"""Queues as a plain dictionary: what the tables should say, written without machines, tables or transactions."""

from __future__ import annotations

from typing import Any

from gsd_engine.domain import events

AWAITS = {"/clear": "clear", "/compact": "compact"}
OPEN = ("typed", "staged", "uncertain")


class Model:
    """One session. `deliveries` are all it ever had, oldest first; `queue` is the newest."""

    def __init__(self) -> None:
        self.queue: dict[str, Any] | None = None
        self.deliveries: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.ended = self.failing = False

    # ── what the tables should say ───────────────────────────────────────────────────────────────────────────────────

    def image(self) -> dict[str, Any]:
        queue = self.queue
        return {
            "queue": queue and queue["state"],
            "commands": [(c["text"], c["state"], c["accepted"]) for c in queue["commands"]] if queue else [],
            "deliveries": [(d["command"]["text"], d["state"]) for d in self.deliveries],
        }

    @property
    def active(self) -> dict[str, Any] | None:
        if self.queue is None or self.queue["state"] != "active":
            return None
        command: dict[str, Any] = next(c for c in self.queue["commands"] if c["state"] == "active")
        return command

    @property
    def active_delivery(self) -> dict[str, Any] | None:
        return self.active and self.active["delivery"]

    # ── what happens ─────────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, event: events.Event) -> bool:
        """Take an event; False where it must be refused."""
        if event.key is not None and event.key in self.keys:
            return True
        if event.key is not None:
            self.keys.add(event.key)
        return getattr(self, f"_{event.name}")(event) is not False

    def _QueueRequested(self, event: events.QueueRequested) -> bool:  # noqa: N802 - named like its event
        if self.ended or (self.active and not event.replace):
            return False
        self._end("cancelled")
        self.queue = {"state": "active", "commands": [self._new(text) for text in event.commands]}
        self._activate()
        return True

    def _new(self, text: str) -> dict[str, Any]:
        return {"text": text, "state": "pending", "accepted": False, "prompt": None, "delivery": None}

    def _QueueCancelRequested(self, event: events.QueueCancelRequested) -> bool:  # noqa: N802
        return self._end("cancelled")

    def _SessionStarted(self, event: events.SessionStarted) -> None:  # noqa: N802
        if event.how != "compact":
            self.ended = self.failing = False
        if event.how in ("clear", "compact"):
            awaiting = self._awaiting(event.how)
            if awaiting is not None:
                if awaiting["delivery"]["state"] != "accepted":
                    self._accept(awaiting["delivery"], None)
                self._done(awaiting)
            elif event.how == "clear":
                self._end("cancelled")
        elif event.how == "resume":
            if self.active_delivery and self.active_delivery["state"] != "staged":
                self._doubt(self.active_delivery)
        else:
            self._end("stale")

    def _awaiting(self, how: str) -> dict[str, Any] | None:
        commands: list[dict[str, Any]] = self.queue["commands"] if self.queue else []
        for command in commands:
            delivery = command["delivery"]
            if delivery is None or AWAITS.get(command["text"]) != how:
                continue
            if command["state"] == "active" and not (how == "compact" and delivery["state"] == "staged"):
                return command
            if command["state"] == "failed" and delivery["state"] == "uncertain":
                return command
        return None

    def _PromptSubmitted(self, event: events.PromptSubmitted) -> None:  # noqa: N802
        self.ended = self.failing = False
        text = " ".join(event.prompt.split())
        proven = [d for state in OPEN for d in self.deliveries if d["state"] == state and d["command"]["text"] == text]
        if proven:
            self._accept(proven[0], event.prompt_id)
        elif self._proven_before(text, event.prompt_id) or not event.by_person:
            return
        else:
            self._end("cancelled")

    def _proven_before(self, text: str, prompt_id: str | None) -> bool:
        active = self.active
        return bool(
            active
            and prompt_id is None
            and active["prompt"] is None
            and active["accepted"]
            and active["delivery"]["state"] == "accepted"
            and active["text"] == text
        )

    def _Stopped(self, event: events.Stopped) -> None:  # noqa: N802
        self.ended = self.failing = False
        if self._is_turn(event.prompt_id):
            assert self.active is not None
            self._done(self.active)

    def _is_turn(self, prompt_id: str | None) -> bool:
        command = self.active
        if command is None or command["text"] in AWAITS or not command["accepted"]:
            return False
        return prompt_id is None or command["prompt"] in (None, prompt_id)

    def _StopFailed(self, event: events.StopFailed) -> None:  # noqa: N802
        self.ended, self.failing = False, True

    def _WentIdle(self, event: events.WentIdle) -> None:  # noqa: N802
        if self.failing:
            return
        self.ended = False
        if self._is_turn(event.prompt_id):
            assert self.active is not None
            self._fail(self.active)

    def _Compacting(self, event: events.Compacting) -> None:  # noqa: N802
        active = self.active
        awaited = active and event.trigger == "manual" and active["text"] == "/compact"
        if active and awaited and active["delivery"]["state"] != "accepted":
            self._accept(active["delivery"], event.prompt_id)

    def _SessionFinished(self, event: events.SessionFinished) -> None:  # noqa: N802
        if event.reason == "clear":
            return
        self.ended, self.failing = True, False
        self._end("stale")

    # ── what the engine does by itself ───────────────────────────────────────────────────────────────────────────────

    def typed(self) -> None:
        if self.active_delivery and self.active_delivery["state"] == "staged":
            self.active_delivery["state"] = "typed"

    def deadline_passed(self) -> None:
        for delivery in self.deliveries:
            if delivery["state"] == "typed":
                self._doubt(delivery)

    # ── moves ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _activate(self) -> bool:
        assert self.queue is not None
        following = next((c for c in self.queue["commands"] if c["state"] == "pending"), None)
        if following is None:
            return False
        following["state"] = "active"
        following["delivery"] = {"command": following, "state": "staged"}
        self.deliveries.append(following["delivery"])
        return True

    def _done(self, command: dict[str, Any]) -> None:
        assert self.queue is not None
        command["state"] = "done"
        if not self._activate():
            self.queue["state"] = "completed"

    def _end(self, state: str) -> bool:
        if not self.active:
            return False
        assert self.queue is not None
        self.queue["state"] = state
        for command in self.queue["commands"]:
            if command["state"] in ("pending", "active"):
                command["state"] = "skipped"
                if command["delivery"] and command["delivery"]["state"] == "staged":
                    command["delivery"]["state"] = "refused"
        return True

    def _fail(self, command: dict[str, Any]) -> None:
        self._end("failed")
        command["state"] = "failed"

    def _doubt(self, delivery: dict[str, Any]) -> None:
        delivery["state"] = "uncertain"
        if delivery["command"] is self.active:
            self._fail(delivery["command"])

    def _accept(self, delivery: dict[str, Any], prompt_id: str | None) -> None:
        command, late = delivery["command"], delivery["state"] == "uncertain"
        delivery["state"] = "accepted"
        if self.queue is None or not any(command is c for c in self.queue["commands"]):
            return  # of an earlier queue: its text is accounted for, its queue stays ended
        if late and command["state"] == "failed":
            self.queue["state"] = "active"
            for other in self.queue["commands"]:
                other["state"] = {"failed": "active", "skipped": "pending"}.get(other["state"], other["state"])
        command["accepted"], command["prompt"] = True, prompt_id
