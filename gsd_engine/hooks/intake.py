"""One hook event, from standard input to reply. Fails open: whatever breaks, the hook is silent and exits 0.

guards ─▶ who is this ─▶ event ─▶ Engine.step ─▶ reply. What broke is in the log, and its payload is kept.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gsd_engine.clock import Clock, system_clock
from gsd_engine.config import Config
from gsd_engine.context import Identify, Managed, identify_hook
from gsd_engine.domain.events import AnswerWanted
from gsd_engine.domain.replies import Hold, Reply
from gsd_engine.effects.tmux import identify
from gsd_engine.engine import Engine
from gsd_engine.hooks.holding import Held
from gsd_engine.hooks.kept import keep
from gsd_engine.hooks.payload import Payload
from gsd_engine.hooks.readers import read_event
from gsd_engine.hooks.reply import SILENCE, Output, output_for
from gsd_engine.log import ROOT, note
from gsd_engine.store.database import Database
from gsd_engine.store.opening import open_store

BUSY_SECONDS = 8.0
"""How long a hook waits for the database: below every time limit of Claude Code but SessionEnd's."""

EngineFor = Callable[[Config, str], Engine]
AfterStep = Callable[[Config, Database], None]
"""Sees to it that the effects are performed, where nobody does so already."""


def open_engine(config: Config, hook: str) -> Engine:
    return Engine(open_store(config, 1.0 if hook == "SessionEnd" else BUSY_SECONDS))


class Intake:
    """`engine_for` gives the engine to step with: a warm one, or one opened for this hook."""

    def __init__(
        self,
        config: Config,
        engine_for: EngineFor = open_engine,
        after_step: AfterStep = lambda config, database: None,
        clock: Clock = system_clock,
        identify: Identify = identify,
    ) -> None:
        self.config, self.engine_for, self.after_step, self.clock = config, engine_for, after_step, clock
        self.identify = identify

    def take(
        self, hook: str | None, raw: bytes, environ: Mapping[str, str], invocation: str | None = None
    ) -> Output | Held:
        """What to write, or what must be looked at until there is something to write.

        `invocation` is the hook process's own id: handed in twice, the same event is taken once.
        """
        if environ.get("GSD_ENGINE_DISABLE") == "1":
            return self._leave(hook, "disabled by GSD_ENGINE_DISABLE")
        data = _parsed(raw)
        if data is None:
            self._keep(hook or "?", raw, environ, "not a JSON object")
            return self._leave(hook, "unreadable payload")
        name = hook or str(data.get("hook_event_name") or "")
        try:
            return self._take(name, data, raw, environ, invocation)
        except Exception as error:
            ROOT.exception("hook failed", extra={"fields": {"hook": name}})
            self._keep(name, raw, environ, f"{type(error).__name__}: {error}")
            return SILENCE

    def _take(
        self, hook: str, data: Mapping[str, Any], raw: bytes, environ: Mapping[str, str], invocation: str | None
    ) -> Output | Held:
        payload = Payload.model_validate(data)
        found = identify_hook(
            self.config,
            environ,
            claude_session_id=payload.session_id,
            transcript_path=payload.transcript_path,
            cwd=payload.cwd,
            model=payload.model,
            identify=self.identify,
        )
        if not isinstance(found, Managed):
            return self._leave(hook, found.why)
        engine = self.engine_for(self.config, hook)
        reply = self._step(engine, hook, payload, raw, found, invocation)
        if isinstance(reply, Hold):
            return Held(engine, reply, payload.tool_input)
        return output_for(reply, payload.tool_input)

    def _step(
        self, engine: Engine, hook: str, payload: Payload, raw: bytes, managed: Managed, invocation: str | None
    ) -> Reply:
        event = read_event(hook, payload, managed.who)
        if isinstance(event, AnswerWanted) and managed.settings.answer_transport != "keys":
            event = replace(event, wait_seconds=managed.settings.answer_wait_seconds)
        outcome = engine.step(event, raw.decode("utf-8", "replace").replace("\x00", "�"), invocation)
        note("hook", hook=hook, session=managed.who.name, event=outcome.event_id, path=outcome.path)
        self.after_step(self.config, engine.database)
        return outcome.reply

    def _leave(self, hook: str | None, why: str) -> Output:
        note("hook left alone", hook=hook, why=why)
        return SILENCE

    def _keep(self, hook: str, raw: bytes, environ: Mapping[str, str], why: str) -> None:
        path = keep(self.config, hook, raw, environ, why, self.clock())
        note("payload kept", logging.WARNING, hook=hook, why=why, file=str(path))


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
