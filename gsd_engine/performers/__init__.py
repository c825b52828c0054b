"""Effects are performed here: the hands, the voice and the clock of the engine.

`performers` is total: every kind of effect has one. Each performer reads what it needs fresh (rows, registry, screen,
prompt files), acts, and says what came of it; the dispatcher reports that to `Engine.step`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gsd_engine.config import Config
from gsd_engine.dispatch import Performer
from gsd_engine.domain.effects import AwaitHook, AwaitReceipt, AwaitStart, Effect, KeyAnswer, Notify, TypeText, Wake
from gsd_engine.domain.results import Done
from gsd_engine.engine import Engine
from gsd_engine.performers.answering import AnsweringPerformer
from gsd_engine.performers.notify import NotifyPerformer
from gsd_engine.performers.receipt import ReceiptPerformer
from gsd_engine.performers.starting import StartPerformer
from gsd_engine.performers.typing import TypingPerformer
from gsd_engine.performers.wake import WakePerformer


def performers(
    config: Config, engine: Engine, environ: Mapping[str, str] | None = None
) -> dict[type[Effect], Performer]:
    env = os.environ if environ is None else environ
    return {
        TypeText: TypingPerformer(config, engine),
        AwaitReceipt: ReceiptPerformer(config, engine),
        AwaitStart: StartPerformer(engine),
        AwaitHook: lambda effect, row: Done(),  # the decision about it is all there is to do
        KeyAnswer: AnsweringPerformer(config, engine),
        Wake: WakePerformer(config, engine, env),
        Notify: NotifyPerformer(config, env),
    }
