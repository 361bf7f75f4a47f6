"""Which version of the tables a state database has, and how it comes to that of this program."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from sqlalchemy import Connection, Engine, func, insert, inspect, select

from pipeline.config.settings import StateSettings
from pipeline.state.quality_tables import TABLES
from pipeline.state.run_lock import holding
from pipeline.state.tables import REVISION, RUN, SCHEMA, STATE
from pipeline.warehouse.databases import connect, opening, transaction

_WHAT = "state"
_ADVISORY = 0x43727970746F5363
"""The number of the lock under which PostgreSQL lets one process change tables ("CryptoSc")."""

Locking = Callable[[], AbstractContextManager[object]]


def connect_state(settings: StateSettings, base: Path) -> Engine:
    """Open a state database with the tables of this version; a relative path starts at `base`.

    A SQLite file is made for its owner alone. Raises as `settle` does, and as `connect`.
    """
    engine = connect(settings.url, base, what="state.url", use="state")
    opening(settle)(engine, lambda: holding(settings.url, base))
    return engine


def settle(engine: Engine, locking: Locking) -> None:
    """Make the tables in an empty database, or bring those of an earlier version up to date.

    `locking` gives the run lock, under which tables that a run may be using are changed. Raises
    ConfigError where a run holds it, or a later version has changed the tables.
    """
    with transaction(engine, _WHAT) as connection:
        found = revision(connection)
    if found == REVISION:
        return
    with nullcontext() if found == "" else locking():  # noqa: SIM117 - the lock comes first
        with transaction(engine, _WHAT, write=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_ADVISORY)))
            _change(connection)


def revision(connection: Connection) -> str | None:
    """Return the migration that a database is at.

    Empty where it has no tables; None where they are of the time before there were migrations.
    """
    tables = set(inspect(connection).get_table_names())
    if SCHEMA.name in tables:
        found = connection.scalar(select(SCHEMA.c.version_num))
        if found is not None:
            return str(found)
    return None if RUN.name in tables else ""


def _change(connection: Connection) -> None:
    # Looked at again: another process may have been faster until the lock was ours.
    found = revision(connection)
    if found == REVISION:
        return
    if found == "":
        assert set(TABLES) <= set(STATE.sorted_tables)
        STATE.create_all(connection)
        SCHEMA.create(connection, checkfirst=True)
        connection.execute(insert(SCHEMA), [{"version_num": REVISION}])
        return
    # Alembic is only needed by a database of another version.
    from pipeline.state.migrations.upgrade import upgrade  # noqa: PLC0415

    upgrade(connection, found)
