"""Every lifecycle of the engine, one file each. `MACHINES` is the one list of them.

A table's name is what `history.machine` says. Diagrams, CHECK constraints and `gsd-engine machines` are made from it.
"""

from gsd_engine.machines.answer import ANSWER
from gsd_engine.machines.command import COMMAND
from gsd_engine.machines.decision import DECISION
from gsd_engine.machines.delivery import DELIVERY
from gsd_engine.machines.effect import EFFECT
from gsd_engine.machines.loop import LOOP
from gsd_engine.machines.pipeline import PIPELINE
from gsd_engine.machines.question import QUESTION
from gsd_engine.machines.queue import QUEUE
from gsd_engine.machines.run import RUN
from gsd_engine.machines.session import SESSION
from gsd_engine.machines.step import STEP
from gsd_engine.machines.table import Row, Table

MACHINES: dict[str, Table] = {
    table.name: table
    for table in (
        SESSION,
        QUEUE,
        COMMAND,
        DELIVERY,
        QUESTION,
        ANSWER,
        LOOP,
        RUN,
        PIPELINE,
        STEP,
        DECISION,
        EFFECT,
    )
}

__all__ = ["MACHINES", "Row", "Table"]
