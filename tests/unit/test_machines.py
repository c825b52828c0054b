"""States, tables, CHECKs and the migrated schema say the same, and every row of every table leads somewhere."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from sqlalchemy import CheckConstraint

from gsd_engine.domain import records
from gsd_engine.errors import TransitionRefused
from gsd_engine.machines import MACHINES, Row, Table
from gsd_engine.machines.diagram import mermaid
from gsd_engine.store.schema import prepare_for_postgresql
from gsd_engine.store.tables import STATEFUL, TABLES
from tests.support.engine import Home

ROWS = [(table, row, source) for table in MACHINES.values() for row in table.rows for source in row.sources]
EVERY_MACHINE = pytest.mark.parametrize("name", MACHINES)


def quoted(sql: str) -> tuple[str, ...]:
    return tuple(re.findall(r"'([^']*)'", sql))


def record_of(name: str) -> type[records.Record]:
    return next(kind for kind in TABLES if kind.machine == name)


def test_every_machine_has_exactly_one_table_of_rows() -> None:
    assert list(STATEFUL) == [kind.machine for kind in TABLES if kind.machine is not None]
    assert set(STATEFUL) == set(MACHINES)


@EVERY_MACHINE
def test_the_literal_type_lists_the_states_of_the_table(name: str) -> None:
    assert get_args(get_type_hints(record_of(name))["state"]) == tuple(MACHINES[name].states)


@EVERY_MACHINE
def test_a_new_record_begins_in_the_initial_state(name: str) -> None:
    assert record_of(name).state == MACHINES[name].initial  # type: ignore[attr-defined]


@EVERY_MACHINE
def test_the_check_of_the_table_lists_the_states_of_the_machine(name: str) -> None:
    table = STATEFUL[name]
    check = next(c for c in table.constraints if isinstance(c, CheckConstraint) and c.name == f"ck_{table.name}_state")
    assert quoted(str(check.sqltext)) == tuple(MACHINES[name].states)


@EVERY_MACHINE
def test_the_migrated_schema_lists_the_states_of_the_machine(name: str, home: Home) -> None:
    table = STATEFUL[name].name
    sql = home.value("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", table)
    check = re.search(rf"CONSTRAINT ck_{table}_state CHECK \(state IN \(([^)]*)\)\)", sql)
    assert check is not None, sql
    assert quoted(check.group(1)) == tuple(MACHINES[name].states)


@EVERY_MACHINE
def test_the_migrated_database_refuses_a_state_outside_the_machine(name: str, home: Home) -> None:
    table = STATEFUL[name].name
    with sqlite3.connect(home.path) as connection:
        columns = list(connection.execute(f"SELECT name, type, \"notnull\" FROM pragma_table_info('{table}')"))
        values = {column: 0 if kind == "INTEGER" else "x" for column, kind, needed in columns if needed}
        values["state"] = "no_such_state"
        names, marks = ", ".join(f'"{n}"' for n in values), ", ".join("?" for _ in values)
        with pytest.raises(sqlite3.IntegrityError, match=f"ck_{table}_state"):
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


@pytest.mark.parametrize(("table", "row", "source"), ROWS, ids=[f"{t.name}-{s}-{r.trigger}" for t, r, s in ROWS])
def test_every_row_resolves_when_fired(table: Table, row: Row, source: str) -> None:
    assert table.target(source, row.trigger) == row.target
    assert table.allows(source, row.trigger)


@EVERY_MACHINE
def test_every_other_trigger_is_refused_by_name(name: str) -> None:
    table = MACHINES[name]
    for state in table.states:
        for trigger in (*table.triggers, "no_such_trigger", "to_" + table.initial, "trigger"):
            if table.allows(state, trigger):
                continue
            with pytest.raises(TransitionRefused, match=f"^{name} 7 is {state}: nothing allows '{trigger}' there$"):
                table.target(state, trigger, 7)


@EVERY_MACHINE
def test_no_pair_of_state_and_trigger_leads_to_two_places(name: str) -> None:
    pairs = [(source, trigger) for source, trigger, _, _ in MACHINES[name].edges()]
    assert len(pairs) == len(set(pairs))


@EVERY_MACHINE
def test_every_state_is_reached_and_explained(name: str) -> None:
    table = MACHINES[name]
    reached = {table.initial}
    while more := {t for s, _, t, _ in table.edges() if s in reached} - reached:
        reached |= more
    assert reached == set(table.states)
    assert all(gloss.strip() for gloss in table.states.values())
    assert all(row.why.strip() for row in table.rows)


def test_a_state_outside_the_table_is_refused() -> None:
    with pytest.raises(TransitionRefused):
        MACHINES["queue"].target("no_such_state", "complete")


def test_a_misspelt_destination_is_found_when_fired() -> None:
    table = Table("odd", "a", {"a": "first"}, (Row("go", ("a",), "bee", "misspelt"),))
    with pytest.raises(TransitionRefused):
        table.target("a", "go")


@EVERY_MACHINE
def test_the_diagram_shows_every_transition(name: str) -> None:
    drawn = mermaid(MACHINES[name])
    for source, trigger, target, _ in MACHINES[name].edges():
        assert re.search(rf"^    {source} --> {target}: .*\b{trigger}\b", drawn, re.MULTILINE)


@EVERY_MACHINE
def test_a_time_of_ending_belongs_to_states_of_the_machine(name: str) -> None:
    """The CHECKs across columns name states too; a misspelt one would make its time impossible."""
    for constraint in STATEFUL[name].constraints:
        if isinstance(constraint, CheckConstraint) and "state" in str(constraint.sqltext):
            assert set(quoted(str(constraint.sqltext))) <= set(MACHINES[name].states)


@EVERY_MACHINE
def test_partial_indexes_name_states_of_the_machine(name: str) -> None:
    prepare_for_postgresql()
    for index in STATEFUL[name].indexes:
        where = index.dialect_options["sqlite"]["where"]
        if where is not None and "state" in str(where):
            assert set(quoted(str(where))) <= set(MACHINES[name].states)
            assert str(where) == str(index.dialect_options["postgresql"]["where"])


def test_the_folder_of_machines_holds_no_forgotten_table() -> None:
    import gsd_engine.machines

    folder = Path(gsd_engine.machines.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "table", "diagram"}
    assert len(files) == len(MACHINES)
