"""Rows as programs see them: the JSON shapes that scripts rely on."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from gsd_engine.domain.records import Command, Delivery, Queue
from gsd_engine.store import commands, deliveries, queues, sessions
from gsd_engine.store.database import Database


def newest_queue(database: Database, host: str, session: str) -> dict[str, Any] | None:
    with database.read() as connection:
        row = sessions.by_name(connection, host, session)
        queue = queues.newest(connection, row.id) if row is not None else None
        return _report(connection, queue, session) if queue is not None else None


def queues_of(database: Database, session: str | None) -> list[dict[str, Any]]:
    with database.read() as connection:
        names = {row.id: row.name for row in sessions.everyone(connection)}
        every = queues.everyone(connection)
        wanted = [queue for queue in every if session is None or names[queue.session_id] == session]
        return [_report(connection, queue, names[queue.session_id]) for queue in wanted]


def _report(connection: Connection, queue: Queue, session: str) -> dict[str, Any]:
    by_command = {d.command_id: d for d in deliveries.of_queue(connection, queue.id)}
    return {
        "id": queue.id,
        "session": session,
        "state": queue.state,
        "reason": queue.reason,
        "commands": [_command(c, by_command.get(c.id)) for c in commands.of_queue(connection, queue.id)],
    }


def _command(command: Command, delivery: Delivery | None) -> dict[str, Any]:
    return {
        "position": command.position,
        "command": command.command,
        "state": command.state,
        "awaits": {"hook": command.awaits_hook, "sub": command.awaits_sub},
        "delivery": _delivery(delivery),
        "result": command.result,
        "completed_at": iso_time(command.completed_at),
        "reason": command.reason,
    }


def _delivery(delivery: Delivery | None) -> dict[str, Any] | None:
    if delivery is None:
        return None
    return {"state": delivery.state, "transport": delivery.transport, "reason": delivery.reason}


def iso_time(value: Any) -> str | None:
    return None if value is None else value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
