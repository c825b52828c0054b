"""What must hold in every database the engine has ever touched, whatever happened to the engine.

Each check is a query that finds the rows that break a promise; `broken_promises` names them all.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from gsd_engine.machines import MACHINES
from gsd_engine.store.tables import STATEFUL

PROMISES = {
    "one active queue per session": """
        SELECT session_id FROM queues WHERE state = 'active' GROUP BY 1 HAVING count(*) > 1""",
    "one active command per queue": """
        SELECT queue_id FROM commands WHERE state = 'active' GROUP BY 1 HAVING count(*) > 1""",
    "an active queue has an active command": """
        SELECT id FROM queues q WHERE state = 'active'
           AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.queue_id = q.id AND c.state = 'active')""",
    "an ended queue has no unfinished command": """
        SELECT c.id FROM commands c JOIN queues q ON q.id = c.queue_id
         WHERE q.state <> 'active' AND c.state IN ('pending', 'active')""",
    "commands are done in order": """
        SELECT later.id FROM commands later JOIN commands earlier USING (queue_id)
         WHERE later.position > earlier.position AND later.state IN ('active', 'done') AND earlier.state <> 'done'""",
    "done implies accepted": """
        SELECT c.id FROM commands c WHERE c.state = 'done' AND (c.accepted_at IS NULL
            OR NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.command_id = c.id AND d.state = 'accepted'))""",
    "a command is delivered once": """
        SELECT command_id FROM deliveries WHERE command_id > 0 GROUP BY 1 HAVING count(*) > 1""",
    "a delivery is typed once": """
        SELECT entity FROM history WHERE machine = 'delivery' AND trigger = 'type' GROUP BY 1 HAVING count(*) > 1""",
    "no effect waits for a settled delivery": """
        SELECT f.id FROM effects f JOIN deliveries d ON d.id = json_extract(f.payload, '$.delivery_id')
         WHERE f.state = 'pending' AND d.state NOT IN ('staged', 'typed')""",
    "a staged delivery will be typed": """
        SELECT id FROM deliveries d WHERE state = 'staged' AND NOT EXISTS (SELECT 1 FROM effects f
         WHERE f.kind = 'TypeText' AND f.state IN ('pending', 'claimed')
           AND json_extract(f.payload, '$.delivery_id') = d.id)""",
    "a typed delivery has a deadline": """
        SELECT id FROM deliveries d WHERE state = 'typed' AND NOT EXISTS (SELECT 1 FROM effects f
         WHERE f.kind = 'AwaitReceipt' AND f.state IN ('pending', 'claimed')
           AND json_extract(f.payload, '$.delivery_id') = d.id)""",
    "every event has a session and a path": "SELECT id FROM events WHERE session_id IS NULL OR decision_path IS NULL",
    "every line of history has its event": "SELECT id FROM history WHERE event IS NULL",
}


def broken_promises(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        found = [
            f"{promise}: {rows}" for promise, sql in PROMISES.items() if (rows := connection.execute(sql).fetchall())
        ]
        # integrity_check also tests every CHECK and NOT NULL of every row
        found += [line for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"]
        found += [f"orphan: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        return found + broken_paths(connection)


def broken_paths(connection: sqlite3.Connection) -> list[str]:
    """History forms, for every row with a state, one path along its table that ends where the row is."""
    paths: dict[tuple[str, int], list[tuple[str, str | None, str]]] = defaultdict(list)
    for machine, entity, trigger, source, target in connection.execute(
        'SELECT machine, entity, trigger, "from", "to" FROM history ORDER BY id'
    ):
        paths[machine, entity].append((trigger, source, target))
    found = []
    for machine, table in STATEFUL.items():
        for entity, state in connection.execute(f"SELECT id, state FROM {table.name}"):
            if problem := broken_path(machine, state, paths.pop((machine, entity), [])):
                found.append(f"{machine} {entity}: {problem}")
    return found + [f"history of a row that does not exist: {entity}" for entity in paths]


def broken_path(machine: str, state: str, path: list[tuple[str, str | None, str]]) -> str | None:
    if not path or path[0] != ("create", None, MACHINES[machine].initial):
        return f"does not begin with its creation: {path[:1]}"
    here = path[0][2]
    for trigger, source, target in path[1:]:
        if source != here or not MACHINES[machine].allows(here, trigger):
            return f"{trigger} leads from {source}, but it was {here}"
        if MACHINES[machine].target(here, trigger) != target:
            return f"{trigger} leads from {here} to {target} in no table"
        here = target
    return None if here == state else f"history ends in {here}, the row is {state}"
