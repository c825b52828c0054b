"""What all tables share: names of constraints, column types, and the CHECK that ties a table to its machine.

Every constraint has a name, because Alembic's batch mode on SQLite silently drops unnamed ones. On SQLite the tables
are STRICT, so a column holds what it says.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import CheckConstraint, Column, Dialect, Index, Integer, MetaData, Table, Text, text
from sqlalchemy.types import TypeDecorator

from gsd_engine.machines import MACHINES

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Timestamp(TypeDecorator[datetime]):
    """UTC as ISO text with milliseconds and Z: sorts as text, and people can read it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class JsonText(TypeDecorator[Any]):
    """JSON as text, in the order it was written."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class Flag(TypeDecorator[bool]):
    """True or false as 1 or 0: STRICT tables know no booleans."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> bool | None:
        return None if value is None else bool(value)


def table(name: str, *columns_and_constraints: Any) -> Table:
    return Table(name, metadata, Column("id", Integer, primary_key=True), *columns_and_constraints, sqlite_strict=True)


_partial_indexes: dict[str, tuple[Index, str]] = {}


def partial_index(name: str, *columns: Column[Any], where: str, unique: bool = False) -> None:
    """An index over the rows that `where` names; mostly a promise that there is at most one of them."""
    _partial_indexes[name] = Index(name, *columns, unique=unique, sqlite_where=text(where)), where


def prepare_for_postgresql() -> None:
    """The same indexes for PostgreSQL. Not at once: to name that dialect is to import it, and every hook would pay."""
    for index, where in _partial_indexes.values():
        index.dialect_options["postgresql"]["where"] = text(where)


def state_column() -> Column[str]:
    return Column("state", Text, nullable=False)


def state_check(machine: str) -> CheckConstraint:
    """Only states of the machine's table."""
    states = ", ".join(f"'{state}'" for state in MACHINES[machine].states)
    return CheckConstraint(f"state IN ({states})", name="state")


def ends_with(column: str, *states: str) -> CheckConstraint:
    """A row in one of these states has its time, and no other row has."""
    listed = ", ".join(f"'{state}'" for state in states)
    return CheckConstraint(f"(state IN ({listed})) = ({column} IS NOT NULL)", name=column)
