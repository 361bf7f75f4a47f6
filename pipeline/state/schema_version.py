"""Schema version of the state database: creates its tables, or upgrades those of older versions."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from sqlalchemy import Connection, Engine, func, insert, inspect, select

from pipeline.config.settings import StateSettings
from pipeline.state.quality_tables import TABLES
from pipeline.state.run_lock import hold_lock
from pipeline.state.tables import REVISION, RUN, SCHEMA, STATE
from pipeline.warehouse.databases import connect, database_path, retrying_briefly, transaction
from record.errors import ConfigError

_WHAT = "state"
_ADVISORY = 0x43727970746F5363
"""Number of the PostgreSQL advisory lock for changing tables ("CryptoSc")."""

Locking = Callable[[], AbstractContextManager[object]]


def connect_state(settings: StateSettings, base: Path) -> Engine:
    """Open a state database with the tables of this version; paths are relative to `base`.

    A SQLite file is readable by its owner only. Raises as `create_or_upgrade` and `connect` do.
    """
    engine = connect(settings.url, base, what="state.url", use="state")
    retrying_briefly(create_or_upgrade)(engine, lambda: hold_lock(settings.url, base))
    return engine


def create_or_upgrade(engine: Engine, locking: Locking) -> None:
    """Create the tables in an empty database, or upgrade those of an earlier version.

    `locking` returns the run lock, under which tables that a run may use are changed. Raises
    ConfigError if a run holds it, or if the tables are of a later version.
    """
    with transaction(engine, _WHAT) as connection:
        found = read_revision(connection)
    if found == REVISION:
        return
    with nullcontext() if found == "" else locking():  # noqa: SIM117 - the lock comes first
        with transaction(engine, _WHAT, write=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_ADVISORY)))
            _change_tables(connection)


def check_state_tables(settings: StateSettings, base: Path) -> None:
    """Raise ConfigError unless a state database has the tables of this version; change nothing."""
    found = _find_revision(settings, base)
    if found != REVISION:
        problem = "no state database yet" if found == "" else "tables of another version"
        raise ConfigError("state.url", problem, "run the nightly job")


def has_state_tables(settings: StateSettings, base: Path) -> bool:
    """Return whether there is a state database, of whatever version; change nothing."""
    return _find_revision(settings, base) != ""


def _find_revision(settings: StateSettings, base: Path) -> str | None:
    path = database_path(settings.url, base, what="state.url")
    if path is not None and not path.is_file():
        return ""
    engine = connect(settings.url, base, what="state.url", use="state")
    try:
        with transaction(engine, _WHAT) as connection:
            return read_revision(connection)
    finally:
        engine.dispose()


def read_revision(connection: Connection) -> str | None:
    """Return the revision of a database.

    Empty if it has no tables; None if they are older than the first migration.
    """
    tables = set(inspect(connection).get_table_names())
    if SCHEMA.name in tables:
        found = connection.scalar(select(SCHEMA.c.version_num))
        if found is not None:
            return str(found)
    return None if RUN.name in tables else ""


def _change_tables(connection: Connection) -> None:
    # Read again under the lock: another process may have been faster.
    found = read_revision(connection)
    if found == REVISION:
        return
    if found == "":
        assert set(TABLES) <= set(STATE.sorted_tables)
        STATE.create_all(connection)
        SCHEMA.create(connection, checkfirst=True)
        connection.execute(insert(SCHEMA), [{"version_num": REVISION}])
        return
    # Alembic is needed only for a database of another version.
    from pipeline.state.migrations.upgrade import upgrade  # noqa: PLC0415

    upgrade(connection, found)
