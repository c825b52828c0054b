"""Records in and out of tables. A record class and its table have the same columns: that is all the mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table, bindparam, insert, update

from gsd_engine.domain.records import Record
from gsd_engine.errors import ConflictError

R = TypeVar("R", bound=Record)


def one(connection: Connection, record: type[R], query: Select[Any], **values: Any) -> R | None:
    row = connection.execute(query, values).first()
    return None if row is None else record(**row._mapping)


def many(connection: Connection, record: type[R], query: Select[Any], **values: Any) -> list[R]:
    return [record(**row._mapping) for row in connection.execute(query, values)]


def insert_record(connection: Connection, table: Table, record: Record) -> int:
    values = {f.name: getattr(record, f.name) for f in fields(record) if f.name != "id"}
    key = connection.execute(insert(table), values).inserted_primary_key
    assert key is not None
    return int(key[0])


def change_record(
    connection: Connection, table: Table, row_id: int, state: str | None, values: Mapping[str, Any]
) -> None:
    """Compare and set: the row must still be in the state it was loaded in."""
    statement = update(table).where(table.c.id == bindparam("row_id"))
    parameters: dict[str, Any] = {"row_id": row_id, **values}
    if state is not None:
        statement = statement.where(table.c.state == bindparam("expected_state"))
        parameters["expected_state"] = state
    if connection.execute(statement, parameters).rowcount != 1:
        raise ConflictError(f"{table.name} {row_id} is no longer {state or 'there'}: it was changed meanwhile")
