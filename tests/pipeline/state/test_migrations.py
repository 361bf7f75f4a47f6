"""The state database: made at once, or brought up from what earlier versions left behind."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, insert, inspect, text

from pipeline.config.settings import StateSettings
from pipeline.state.ledger import State, open_state
from pipeline.state.migrations.upgrade import FIRST, revisions, upgrade
from pipeline.state.run_lock import Held, make_run_lock
from pipeline.state.schema_version import read_revision
from pipeline.state.tables import LEDGER, REVISION, RUN, STATE, pack_ids
from pipeline.warehouse.databases import connect, transaction
from pipeline.warehouse.note_rows import Unit
from record.errors import ConfigError


def opened(url: str, folder: Path) -> closing[Any]:
    return closing(open_state(StateSettings(url), folder))


def at(url: str) -> str | None:
    """The migration a database is at."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        return read_revision(connection)


def make_first(url: str, folder: Path) -> None:
    """A database as the first version left it: its tables, nothing of Alembic, a run and a note."""
    engine = connect(url, folder, what="state.url", use="state")
    with transaction(engine, "state", write=True) as connection:
        from alembic import command

        from pipeline.state.migrations.upgrade import _config

        command.upgrade(_config(connection), FIRST)
        connection.execute(text("drop table alembic_version"))
        old = {
            "run_id": 1,
            "config": b"c",
            "phase": "working",
            "started": "2024-03-02T01:00:00+00:00",
        }
        connection.execute(insert(RUN), [old])
        unit = "insert into run_unit (run_id, unit, part, low, high, count, planned, done)"
        planned = {"planned": pack_ids([7, 8])}
        connection.execute(text(f"{unit} values (1, 0, '', 7, 8, 2, :planned, 0)"), planned)
        entry = {"note_id": 7, "content": b"a", "identity": b"b", "config": b"c"}
        connection.execute(insert(LEDGER), [entry | {"outcome": 2, "was_released": 1}])
    engine.dispose()


def test_the_program_and_its_migrations_name_the_same_version() -> None:
    assert revisions()[0] == FIRST
    assert revisions()[-1] == REVISION


def test_migrations_make_the_tables_that_the_program_uses(
    database_url: str, tmp_path: Path
) -> None:
    make_first(database_url, tmp_path)
    with opened(database_url, tmp_path):
        assert at(database_url) == REVISION
    engine = create_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, STATE) == []


def test_a_database_of_the_first_version_keeps_what_it_holds(
    database_url: str, tmp_path: Path
) -> None:
    make_first(database_url, tmp_path)
    with opened(database_url, tmp_path) as state:
        entry = state.read_entries([7])[7]
        assert (entry.content, entry.outcome) == (b"a", "released")
        run = state.begin(b"c")
        assert (run.run_id, run.resumed) == (1, True)
        assert state.scope(1) == "all"
        # A unit that the version before had planned is claimed by this one.
        claim = state.leases.claim(1, "worker-0", 60)
        assert claim.unit == Unit(0, "", 7, 8, 2, attempt=1)
    with opened(database_url, tmp_path) as state:
        assert state.read_entries([7])


def test_an_empty_database_is_made_at_once_and_without_alembic(tmp_path: Path) -> None:
    probe = (
        "import sys; from pathlib import Path; from pipeline.state.ledger import open_state;"
        "from pipeline.config.settings import StateSettings;"
        "[open_state(StateSettings('sqlite:///s.db'), Path(sys.argv[1])).close() for _ in 'ab'];"
        "print([name for name in sys.modules if name.split('.')[0] in ('alembic', 'mako')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", probe, str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == "[]"
    assert at(f"sqlite:///{tmp_path}/s.db") == REVISION


def test_a_later_version_is_refused_with_a_remedy_and_nothing_is_touched(
    database_url: str, tmp_path: Path
) -> None:
    with opened(database_url, tmp_path):
        pass
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(ConfigError, match="later version") as refused:
        open_state(StateSettings(database_url), tmp_path)
    assert "install that version" in refused.value.remedy
    assert at(database_url) == "9999"


def test_tables_that_a_run_uses_are_not_changed_under_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    make_first(url, tmp_path)
    probe = (
        "import sys; from pathlib import Path; from pipeline.state.run_lock import make_run_lock\n"
        "with make_run_lock(sys.argv[1], Path()): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", probe, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(Held, match="another run holds the lock"):
            open_state(StateSettings(url), tmp_path)
        other.stdin.close()
    assert at(url) is None
    with make_run_lock(url, tmp_path), opened(url, tmp_path):
        assert at(url) == REVISION


def test_a_migration_that_fails_leaves_the_old_tables(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first(database_url, tmp_path)
    real = upgrade

    def broken(connection: Connection, found: Any) -> None:
        real(connection, found)
        raise ConfigError("state.url", "stopped halfway", "none")

    monkeypatch.setattr("pipeline.state.migrations.upgrade.upgrade", broken)
    with pytest.raises(ConfigError, match="halfway"):
        open_state(StateSettings(database_url), tmp_path)
    columns = inspect(create_engine(database_url)).get_columns("run")
    assert "scope" not in {column["name"] for column in columns}
    monkeypatch.undo()
    with opened(database_url, tmp_path) as state:
        assert state.read_entries([7])
    assert isinstance(state, State)
