"""The play itself: raise the curtain, let it run, tell it, and look at the books."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing

from gsd_engine.demo.audit import audit
from gsd_engine.demo.script import FIRST_PROMPT, queues
from gsd_engine.demo.stage import Stage
from gsd_engine.demo.telling import Telling
from gsd_engine.errors import EngineFailureError
from gsd_engine.operations import OPERATIONS

PLAY_SECONDS = 55.0
READY_SECONDS = 30.0
READY_SECONDS_OF_THE_REAL_ONE = 180.0  # a person may have to answer its start-up dialogs first


def play(say: Callable[[str], None], claude: str | None = None) -> None:
    say("Setting the stage: a temporary home, a tmux server of its own, a resident engine.")
    with Stage(claude) as stage:
        database = stage.config.sqlite_path
        assert database is not None
        telling = Telling(database, stage.notes, say)
        say(f"Look at Claude while it works:  {stage.attach_command}\n")
        if claude is not None:
            say("If Claude Code asks whether it may trust the folder, attach and answer: nobody else will.\n")
        stage.wait(stage.is_ready, "Claude at its prompt", READY_SECONDS_OF_THE_REAL_ONE if claude else READY_SECONDS)
        telling.line("person", f"types: {FIRST_PROMPT}")
        stage.type(FIRST_PROMPT)
        _until_complete(stage, telling, len(queues(OPERATIONS)))
        telling.line("person", "types: /exit")
        stage.type("/exit")
        _tell_until(stage, telling, "SELECT count(*) FROM sessions WHERE state = 'ended'", 1)
        for line in audit(database):
            say(line)
        say("\nEverything that was started is ended again, and the folder is removed.")


def _until_complete(stage: Stage, telling: Telling, wanted: int) -> None:
    """The agent is told of the last queue too before the curtain falls."""
    told = "SELECT count(*) FROM inbox WHERE trigger = 'queue_complete' AND delivered_by IS NOT NULL"
    _tell_until(stage, telling, told, wanted)


def _tell_until(stage: Stage, telling: Telling, question: str, wanted: int) -> None:
    deadline = time.monotonic() + PLAY_SECONDS
    while True:
        reached = _number(stage, question) >= wanted
        telling.tell_news()
        if reached:
            return
        if _number(stage, "SELECT count(*) FROM queues WHERE state NOT IN ('active', 'completed')"):
            raise EngineFailureError(f"a queue did not complete. The screen:\n{stage.screen()}")
        if time.monotonic() > deadline:
            raise EngineFailureError(f"the play did not end within {PLAY_SECONDS:g} s. The screen:\n{stage.screen()}")
        time.sleep(0.1)


def _number(stage: Stage, question: str) -> int:
    with closing(sqlite3.connect(f"file:{stage.config.sqlite_path}?mode=ro", uri=True, timeout=10)) as store:
        return int(store.execute(question).fetchone()[0])
