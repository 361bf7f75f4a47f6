"""Checks of databases and folders: can they be read or written, and by nobody else who must not."""

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, text

from pipeline.config.settings import Settings, StateSettings
from pipeline.doctor.checks import CheckResult, fail, ok, warn
from pipeline.notes.worker_resources import documents_folder
from pipeline.state.migrations.upgrade import revisions
from pipeline.state.schema import revision
from pipeline.state.tables import REVISION
from pipeline.warehouse.databases import connect, database_path, transaction
from pipeline.warehouse.warehouse import PARQUET, open_source

_PROBE = "cryptonym_doctor"
_SECONDS_APART = 60


def check_source(settings: Settings) -> Iterator[CheckResult]:
    """Check that the source can be read, and that it cannot be written."""
    with closing(open_source(settings.source, settings.base)) as source:
        is_empty = next(iter(source.plan(1)), None) is None
    if is_empty:
        yield warn("source", "there is no note in it", "check source.url and source.schema")
    else:
        yield ok("source", "notes can be read")
    yield from _too_many_rights(settings)
    folder = documents_folder(settings)
    if folder is not None and not folder.is_dir():
        yield fail("documents", "the folder is not there", "mount it or correct source.documents")
    elif folder is not None and not os.access(folder, os.R_OK | os.X_OK):
        yield fail("documents", "the folder may not be read", "give this account the right to read")
    elif folder is not None:
        yield ok("documents", "the folder can be read")


def _too_many_rights(settings: Settings) -> Iterator[CheckResult]:
    url, name = settings.source.url, "source rights"
    remedy = "give this account the right to read the source, and no other"
    if url.startswith(PARQUET):
        return
    path = database_path(url, settings.base, what="source.url")
    if path is not None:
        if os.geteuid() and os.access(path, os.W_OK):
            yield warn(name, "this account may write to the source", remedy)
        return
    engine = connect(url, settings.base, what="source.url", use="source")
    place = f"{settings.source.schema}.note" if settings.source.schema else "note"
    asked = text("select has_table_privilege(:place, 'INSERT, UPDATE, DELETE')")
    with _disposed(engine), transaction(engine, "source.url") as connection:
        if connection.scalar(asked, {"place": place}):
            yield warn(name, "this account may write to the source", remedy)
        else:
            yield ok(name, "this account can only read")
        yield from _clock(connection)


def _clock(connection: Connection) -> Iterator[CheckResult]:
    apart = abs(
        float(connection.scalar(text("select extract(epoch from now())")) or 0) - time.time()
    )
    if apart > _SECONDS_APART:
        seen = f"the clocks of this machine and of the source are {apart:.0f} seconds apart"
        yield warn("clock", seen, "let both be set by the same time server")


def check_output(settings: Settings) -> Iterator[CheckResult]:
    """Check that the output can be written, or made."""
    url = settings.output.url
    if url.startswith(PARQUET):
        folder = settings.base / url.removeprefix(PARQUET)
        yield from writable("output", folder)
        return
    yield from _database("output", "output.url", url, settings)


def check_state(settings: Settings) -> Iterator[CheckResult]:
    """Check that the state database can be written, by this account alone, and its version."""
    url = settings.state.url
    yield from _database("state", "state.url", url, settings)
    path = database_path(url, settings.base, what="state.url")
    if path is not None and not path.is_file():
        return
    if path is not None and path.stat().st_mode & 0o077:
        yield fail("state rights", "other accounts may read the file", f"chmod 600 {path}")
    engine = connect(url, settings.base, what="state.url", use="output")
    with _disposed(engine), transaction(engine, "state.url") as connection:
        yield from _version(connection)


def is_current(settings: StateSettings, base: Path) -> bool:
    """Return whether the state database is there, with the tables of this version."""
    path = database_path(settings.url, base, what="state.url")
    if path is not None and not path.is_file():
        return False
    engine = connect(settings.url, base, what="state.url", use="output")
    with _disposed(engine), transaction(engine, "state.url") as connection:
        return revision(connection) == REVISION


def _version(connection: Connection) -> Iterator[CheckResult]:
    found = revision(connection)
    if found in (REVISION, ""):
        yield ok("state version", f"tables of version {REVISION}")
    elif found is None or found in revisions():
        seen = f"tables of an earlier version ({found or 'unmarked'})"
        remedy = "back it up: the next run brings them up to date by itself"
        yield warn("state version", seen, remedy)
    else:
        remedy = "install the version of cryptonym that was used last, or restore a backup"
        yield fail("state version", f"tables of a later version ({found})", remedy)


def _database(check: str, what: str, url: str, settings: Settings) -> Iterator[CheckResult]:
    """Write into a database and take it back, so that the doctor leaves nothing behind."""
    path = database_path(url, settings.base, what=what)
    if path is not None and not path.is_file():
        yield from writable(check, path.parent)
        return
    schema = settings.output.schema if check == "output" else None
    engine = connect(url, settings.base, what=what, use="output")
    with _disposed(engine), transaction(engine, what, write=True) as connection:
        place = f'"{schema}".{_PROBE}' if schema else _PROBE
        connection.execute(text(f"create table {place} (n integer)"))
        connection.execute(text(f"drop table {place}"))
    yield ok(check, "can be written")


def writable(check: str, folder: Path) -> Iterator[CheckResult]:
    """Check that a folder can be written, or the first one above it that is there."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        yield ok(check, "can be written" if place == folder else "can be made")
    else:
        yield fail(check, f"{place} cannot be written", "choose a folder this account may write to")


@contextmanager
def _disposed(engine: Engine) -> Iterator[None]:
    try:
        yield
    finally:
        engine.dispose()
