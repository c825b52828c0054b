"""Wakes the agent: renders the message once, keeps it in the inbox, hands it to the agent's gateway.

Three attempts where a retry can help, always with the same idempotency key. When the agent stays unreachable the
decision about it, and the call to a person, are the engine's (`decide/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from gsd_engine.config import Config
from gsd_engine.domain.effects import Wake
from gsd_engine.domain.records import EffectRow, InboxMessage, Session
from gsd_engine.domain.results import Done, Failed, Later, Result
from gsd_engine.effects import gateway, transcript
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.prompts import prompt_for
from gsd_engine.effects.tmux import TmuxError
from gsd_engine.engine import Engine
from gsd_engine.registry import Agent, HookSettings, load_registry
from gsd_engine.rules.pressure import describe_pressure
from gsd_engine.rules.wake_message import WakeMessage, render
from gsd_engine.store import inbox, sessions


class WakePerformer:
    def __init__(self, config: Config, engine: Engine, environ: Mapping[str, str]) -> None:
        self.config, self.engine, self.environ = config, engine, environ

    def __call__(self, effect: Wake, row: EffectRow) -> Result:
        registry = load_registry(self.config.registry_path)
        with self.engine.database.read() as connection:
            session = sessions.by_id(connection, row.session_id or 0)
        agent = registry.agent_for_session(session.name) if session is not None else None
        if session is None or agent is None:
            return Failed("no enabled agent of the registry names this session any more")
        message = self._message(effect, row, session, agent, registry.settings_for(agent))
        voice = gateway.build_gateway(registry.gateway_for(agent), self.environ, agent.agent_id)
        outcome = voice.wake(self._wake(effect, row, session, agent, message))
        if isinstance(outcome, gateway.Delivered):
            with self.engine.database.write() as connection:
                inbox.mark_delivered(connection, row.id, voice.kind)
            return Done({"delivered_by": voice.kind, "detail": outcome.detail})
        delay = gateway.delay_before(row.attempts) if isinstance(outcome, gateway.TryAgain) else None
        if delay is None or not isinstance(outcome, gateway.TryAgain):
            return Failed(f"{voice.kind}: {outcome.reason}")
        return Later(timedelta(seconds=max(delay, outcome.after or 0.0)), f"{voice.kind}: {outcome.reason}")

    def _message(self, effect: Wake, row: EffectRow, session: Session, agent: Agent, settings: HookSettings) -> str:
        """The message as it was first rendered: a retry says the same."""
        with self.engine.database.read() as connection:
            kept = inbox.of_effect(connection, row.id)
        if kept is not None:
            return kept.message
        message = self._render(effect, row, session, settings)
        with self.engine.database.write() as connection:
            inbox.keep(
                connection,
                InboxMessage(
                    effect_id=row.id,
                    session_id=session.id,
                    agent_id=agent.agent_id,
                    trigger=effect.trigger,
                    message=message,
                    created_at=self.engine.clock(),
                ),
            )
        return message

    def _render(self, effect: Wake, row: EffectRow, session: Session, settings: HookSettings) -> str:
        percent = (
            transcript.context_percent(session.transcript_path, session.model) if session.transcript_path else None
        )
        return render(
            WakeMessage(
                agent_id=session.agent_id or "",
                session=session.name,
                claude_session_id=session.claude_session_id or "unknown",
                timestamp=row.created_at,
                trigger=effect.trigger,
                state=effect.state,
                pressure=describe_pressure(percent, settings.context_pressure_threshold),
                content=effect.content,
                pane=_pane_text(session, settings.pane_capture_lines) if effect.show_pane else "",
                suggested_commands=effect.suggested_commands,
                instructions=prompt_for(effect.trigger, session=session.name),
            )
        )

    def _wake(self, effect: Wake, row: EffectRow, session: Session, agent: Agent, message: str) -> gateway.Wake:
        return gateway.Wake(
            message=message,
            agent_id=agent.agent_id,
            session=session.name,
            trigger=effect.trigger,
            event_id=row.event_id,
            idempotency_key=f"gsd-engine-{self.config.host}-{row.id}-{row.created_at:%Y%m%dT%H%M%S%f}",
            openclaw_session_id=agent.openclaw_session_id,
        )


def _pane_text(session: Session, lines: int) -> str:
    try:
        tmux, pane = pane_of(session)
        return tmux.capture(pane, lines=lines).rstrip()
    except TmuxError as error:
        return f"(the pane cannot be read: {error})"
