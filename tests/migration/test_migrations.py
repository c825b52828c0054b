"""The migrated database is the one the code describes, and stays so on the way up, down and up again."""

from __future__ import annotations

import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.config import Config as AlembicConfig
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from gsd_engine.config import load_config
from gsd_engine.domain.events import QueueRequested, SessionStarted, Who
from gsd_engine.engine import Engine
from gsd_engine.errors import StoreError
from gsd_engine.store import migrations, views
from gsd_engine.store.database import Database
from gsd_engine.store.opening import HEAD, open_store, stored_revision
from gsd_engine.store.tables import metadata

SECOND = '''"""A column for commands, as any later revision would add one."""
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"
branch_labels = None
depends_on = None

def upgrade():
    with op.batch_alter_table("commands", recreate="always") as batch:
        batch.add_column(sa.Column("note", sa.Text(), nullable=True))

def downgrade():
    with op.batch_alter_table("commands", recreate="always") as batch:
        batch.drop_column("note")
'''


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = open_store(load_config({"GSD_ENGINE_HOME": str(tmp_path / "home")}))
    yield made
    made.close()


def path_of(database: Database) -> Path:
    assert database.config.sqlite_path is not None
    return database.config.sqlite_path


def schema(path: Path) -> dict[tuple[str, str], str]:
    """sqlite_master, without what differs for no reason: white space, quotes, and the order inside a table."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(kind, name): normalised(sql) for kind, name, sql in rows if name != "alembic_version"}


def normalised(sql: str) -> str:
    flat = re.sub(r"\s*([(),])\s*", r"\1", " ".join(sql.replace('"', "").split()))
    head, parenthesis, body = flat.partition("(")
    if not head.startswith("CREATE TABLE"):
        return flat
    body, _, tail = body.rpartition(")")
    return f"{head}{parenthesis}{' ; '.join(sorted(top_level_parts(body)))}){tail}"


def top_level_parts(body: str) -> list[str]:
    parts, depth = [""], 0
    for character in body:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(path) as connection:
        names = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {n: connection.execute(f"SELECT * FROM {n}").fetchall() for n in names if n != "alembic_version"}


def with_a_queue(database: Database) -> None:
    engine = Engine(database)
    who = Who(host=database.config.host, name="alpha")
    engine.step(SessionStarted(who=who, how="startup"))
    engine.step(QueueRequested(who=who, commands=["/clear", "/gsd:plan-phase 3"]))


def test_a_migrated_database_equals_the_described_one(database: Database, tmp_path: Path) -> None:
    described = tmp_path / "described.db"
    engine = create_engine(f"sqlite:///{described}")
    metadata.create_all(engine)
    with engine.begin() as connection:
        for statement in views.create_statements():
            connection.exec_driver_sql(statement)
    engine.dispose()
    migrated, wanted = schema(path_of(database)), schema(described)
    assert migrated.keys() == wanted.keys()
    for thing, sql in wanted.items():
        assert migrated[thing] == sql


def test_the_comparison_of_schemas_sees_a_missing_check(database: Database) -> None:
    """Guards the test above: a normalisation that swallowed everything would always be content."""
    before = schema(path_of(database))["table", "queues"]
    assert "CONSTRAINT ck_queues_state CHECK(state IN('active','completed'" in before
    assert normalised("CREATE TABLE t (a TEXT, b TEXT)") != normalised("CREATE TABLE t (a TEXT, b TEXT) STRICT")
    assert normalised('CREATE TABLE "t" (b TEXT,\n a TEXT)') == normalised("CREATE TABLE t (a TEXT, b TEXT)")


def test_every_table_is_strict_and_every_constraint_has_a_name(database: Database) -> None:
    for (kind, name), sql in schema(path_of(database)).items():
        if kind == "table":
            assert sql.endswith("STRICT"), name
            assert len(re.findall(r"\bCHECK\b", sql)) == len(re.findall(r"CONSTRAINT ck_\w+ CHECK\b", sql)), name


def test_the_views_answer(database: Database) -> None:
    with_a_queue(database)
    with sqlite3.connect(path_of(database)) as connection:
        counts = {v: connection.execute(f"SELECT count(*) FROM {v}").fetchone()[0] for v in views.VIEWS}
    assert counts["v_queue_report"] == 2
    assert counts["v_timeline"] > 5
    assert counts["v_open_work"] == 4  # queue, command, delivery, effect


def test_the_constant_head_is_alembics_head(database: Database) -> None:
    config = AlembicConfig()
    config.set_main_option("script_location", str(migrations.scripts_folder()))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]
    assert stored_revision(database) == HEAD


def test_down_to_nothing_and_up_again_gives_the_same_schema(database: Database) -> None:
    before = schema(path_of(database))
    migrations.downgrade(database, "base")
    assert schema(path_of(database)) == {}
    migrations.upgrade(database)
    assert schema(path_of(database)) == before
    with_a_queue(database)


def test_upgrading_twice_changes_nothing(database: Database) -> None:
    with_a_queue(database)
    before = contents(path_of(database)), schema(path_of(database))
    migrations.upgrade(database)
    assert (contents(path_of(database)), schema(path_of(database))) == before


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The migrations, and one more."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.scripts_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_note.py").write_text(SECOND.format(head=HEAD))
    return folder


def test_a_later_revision_keeps_checks_indexes_strict_and_rows(database: Database, scripts: Path) -> None:
    with_a_queue(database)
    path = path_of(database)
    before_schema, before_rows = schema(path), contents(path)
    migrations.upgrade(database, scripts=scripts)
    upgraded = schema(path)
    assert upgraded["table", "commands"] == before_schema["table", "commands"].replace(
        "position INTEGER NOT NULL", "note TEXT ; position INTEGER NOT NULL"
    )
    assert {k: v for k, v in upgraded.items() if k[1] != "commands"} == {
        k: v for k, v in before_schema.items() if k[1] != "commands"
    }
    assert [row[:-1] for row in contents(path)["commands"]] == before_rows["commands"]
    migrations.downgrade(database, HEAD, scripts=scripts)
    assert schema(path) == before_schema
    assert contents(path) == before_rows
    with sqlite3.connect(path) as connection, pytest.raises(sqlite3.IntegrityError, match=r"commands\.queue_id"):
        connection.execute("UPDATE commands SET state = 'active'")


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("SELECT broken", "no such column: broken"),
        ("UPDATE commands SET queue_id = 99", "orphans and was undone: commands row 1 .* missing row of queues"),
    ],
)
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    database: Database, scripts: Path, statement: str, complaint: str
) -> None:
    with_a_queue(database)
    revision = scripts / "versions" / "9999_note.py"
    revision.write_text(
        revision.read_text().replace("\n\ndef downgrade", f'\n    op.execute("{statement}")\n\ndef downgrade')
    )
    before = schema(path_of(database)), contents(path_of(database))
    with pytest.raises(StoreError, match=complaint):
        migrations.upgrade(database, scripts=scripts)
    assert (schema(path_of(database)), contents(path_of(database))) == before
    assert stored_revision(database) == HEAD


def set_revision(path: Path, revision: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


def test_a_database_of_another_revision_is_refused_with_what_to_do(database: Database) -> None:
    set_revision(path_of(database), "0000")
    with pytest.raises(StoreError) as refused:
        open_store(database.config)
    line = str(refused.value)
    assert "\n" not in line
    assert "revision 0000" in line
    assert HEAD in line
    assert "gsd-engine db upgrade" in line
    assert str(path_of(database)) in line


def test_a_database_of_a_newer_engine_is_not_upgraded(database: Database) -> None:
    set_revision(path_of(database), "7777")
    with pytest.raises(StoreError, match="7777, which this engine does not know: upgrade gsd-engine"):
        migrations.upgrade(database)
    assert stored_revision(database) == "7777"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nobody_else_may_read_the_home(database: Database) -> None:
    with_a_queue(database)
    path = path_of(database)
    assert mode(path.parent) == 0o700
    with database.read():
        for suffix in ("", "-wal", "-shm"):
            assert mode(Path(f"{path}{suffix}")) == 0o600, suffix
    assert mode(migrations.backup(database, Engine(database).clock())) == 0o600


def test_an_open_home_is_closed_to_others_when_it_is_opened(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (home / "engine.db").touch()
    (home / "engine.db").chmod(0o644)
    open_store(load_config({"GSD_ENGINE_HOME": str(home)})).close()
    assert mode(home) == 0o700
    assert mode(home / "engine.db") == 0o600


def test_a_backup_holds_every_row_while_others_write(database: Database) -> None:
    with_a_queue(database)
    with database.write():
        copy = migrations.backup(database, Engine(database).clock())
    assert contents(copy) == contents(path_of(database))
    assert schema(copy) == schema(path_of(database))


def test_integrity_problems_name_an_orphan(database: Database) -> None:
    with_a_queue(database)
    assert migrations.integrity_problems(database) == []
    with sqlite3.connect(path_of(database)) as connection:
        connection.execute("UPDATE commands SET queue_id = 99 WHERE position = 2")
    assert migrations.integrity_problems(database) == ["commands row 2 refers to a missing row of queues"]


def test_alembic_itself_finds_nothing_to_add(tmp_path: Path) -> None:
    """`alembic check` as a developer runs it, from the checkout."""
    root = Path(__file__).parents[2]
    environment = {"GSD_ENGINE_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    open_store(load_config(environment)).close()
    checked = subprocess.run(
        [sys.executable, "-m", "alembic", "check"], cwd=root, env=environment, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_after_a_migration_references_are_enforced_again(database: Database) -> None:
    """The first opening migrates; what it loosens for that must not outlive it."""
    with pytest.raises(StoreError, match="FOREIGN KEY"), database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO commands (queue_id, position, command, awaits_hook, state)"
            " VALUES (7, 1, 'x', 'Stop', 'pending')"
        )
