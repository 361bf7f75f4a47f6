"""All checks of an installation and its configuration, in the order an operator repairs things."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement
from sqlalchemy import Connection, Engine, text

from extractors.pdf.tessdata import find_tessdata
from pipeline.config.exit_codes import EXIT_DONE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.installation import has_compiled_rules
from pipeline.config.settings import Settings, StateSettings, load
from pipeline.night.nightly import check_distinct_places
from pipeline.night.run_history import read_history
from pipeline.notes.worker_resources import (
    documents_folder,
    load_tagger,
    make_extraction_options,
    open_master,
    resolve_urls,
)
from pipeline.state.migrations.upgrade import revisions
from pipeline.state.run_lock import find_holder
from pipeline.state.schema_version import read_revision
from pipeline.state.tables import REVISION
from pipeline.warehouse.databases import connect, database_path, transaction
from pipeline.warehouse.warehouse import PARQUET, open_source
from record.errors import ConfigError, Unavailable
from surrogates.keys.keys import MasterKey

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class CheckResult:
    """How one check went; `is_away` tells that a service did not answer, and not a setting."""

    check: str
    status: Status
    seen: str
    remedy: str = ""
    is_away: bool = False


Check = Callable[[], Iterable[CheckResult]]


def ok(check: str, seen: str) -> CheckResult:
    """Say that all is well."""
    return CheckResult(check, "ok", seen)


def warn(check: str, seen: str, remedy: str) -> CheckResult:
    """Say that a run will work, and what somebody should see to all the same."""
    return CheckResult(check, "warn", seen, remedy)


def fail(check: str, seen: str, remedy: str) -> CheckResult:
    """Say that a run will not work, or must not."""
    return CheckResult(check, "fail", seen, remedy)


def examine(check: str, look: Check) -> Iterator[CheckResult]:
    """Do a check; an error on purpose is a finding, with its own remedy."""
    try:
        yield from look()
    except ConfigError as error:
        yield CheckResult(check, "fail", f"{error.key}: {error.problem}", error.remedy)
    except Unavailable as error:
        yield CheckResult(
            check, "fail", f"{error.what}: {error.problem}", error.remedy, is_away=True
        )
    except OSError as error:
        remedy = "check path, rights and disk"
        yield CheckResult(check, "fail", f"{error.strerror}", remedy, is_away=True)


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
        return read_revision(connection) == REVISION


def _version(connection: Connection) -> Iterator[CheckResult]:
    found = read_revision(connection)
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


FEW, TOO_FEW = 5_000_000_000, 200_000_000
"""Free bytes below which there is a warning, and below which a run is bound to fail."""

_NAME = "cryptonym"
_PATIENCE = timedelta(minutes=5)


def check_versions() -> Iterator[CheckResult]:
    """Check that what is installed is what the program asks for."""
    wrong = []
    for line in requires(_NAME) or ():
        asked = Requirement(line)
        if asked.marker is not None and not asked.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(asked.name)
        except PackageNotFoundError:
            wrong.append(f"{asked.name} is not installed")
            continue
        if not asked.specifier.contains(found, prereleases=True):
            wrong.append(f"{asked.name} {found} is not {asked.specifier}")
    python = platform.python_version()
    if wrong:
        remedy = f"{sys.executable} -m pip install --upgrade {_NAME}, in an environment of its own"
        yield fail("versions", "; ".join(wrong), remedy)
    else:
        rules = "compiled to C" if has_compiled_rules() else "not compiled to C"
        yield ok("versions", f"{_NAME} {version(_NAME)} on Python {python}, rules {rules}")


def check_space(settings: Settings) -> Iterator[CheckResult]:
    """Check the free space of the disks that a run writes to."""
    places = {"report": settings.base / settings.report.folder, "configuration": settings.base}
    for name, url in (("state", settings.state.url), ("output", settings.output.url)):
        if url.startswith(PARQUET):
            places[name] = settings.base / url.removeprefix(PARQUET)
        elif (path := database_path(url, settings.base, what=f"{name}.url")) is not None:
            places[name] = path.parent
    by_disk: dict[int, tuple[list[str], int]] = {}
    for name, folder in places.items():
        place = next(place for place in (folder, *folder.parents) if place.exists())
        names, _ = by_disk.setdefault(place.stat().st_dev, ([], shutil.disk_usage(place).free))
        names.append(name)
    for names, free in by_disk.values():
        seen = f"{free / 1e9:.1f} GB free for {', '.join(sorted(names))}"
        remedy = "free space, or put them on another disk; a run that fills it can be resumed"
        if free < TOO_FEW:
            yield fail("disk", seen, remedy)
        elif free < FEW:
            yield warn("disk", seen, remedy)
        else:
            yield ok("disk", seen)
    yield from writable("report", settings.base / settings.report.folder)


def check_recognition(settings: Settings) -> Iterator[CheckResult]:
    """Check that pages without a text layer can be read, if they are to be."""
    asked = make_extraction_options(settings)
    if not asked.languages:
        yield ok("tesseract", "not asked for: scans go to quarantine")
    elif find_tessdata(asked.languages, asked.tessdata) is None:
        seen = f"no data of tesseract for {'+'.join(asked.languages)}: scans go to quarantine"
        yield warn("tesseract", seen, "install tesseract's data, or set extraction.languages")
    else:
        yield ok("tesseract", f"data for {'+'.join(asked.languages)}")


def check_model(settings: Settings) -> Iterator[CheckResult]:
    """Check that the tagger loads, if one takes part."""
    if load_tagger(settings) is None:
        yield ok("model", "none takes part")
    else:
        yield ok("model", "loads, and the policy knows its labels")


def check_clock(settings: Settings, master: MasterKey) -> Iterator[CheckResult]:
    """Check that the clock does not run behind what was written down before."""
    now, last = datetime.now(UTC), []
    if master.custody is not None:
        with master.custody.locked():
            last += [datetime.fromisoformat(use.time) for use in master.custody.log.uses()[-1:]]
    if is_current(settings.state, settings.base):
        runs = read_history(settings.state, settings.base, limit=1)
        last += [run.ended or run.started for run in runs]
    ahead = max(last, default=now) - now
    if ahead > _PATIENCE:
        seen = f"the clock is {ahead} behind the last run or use of the key"
        remedy = "set it by a time server; nothing depends on it but what logs and reports say"
        yield warn("clock", seen, remedy)
    else:
        yield ok("clock", f"{now.isoformat(timespec='seconds')}, not behind what was written down")


def check_lock(settings: Settings) -> Iterator[CheckResult]:
    """Return whether a run is going on."""
    who = find_holder(settings.state.url, settings.base)
    yield ok("lock", f"a run is going on: {who}" if who else "no run is going on here")


def examine_all(config: Path) -> Iterator[CheckResult]:
    """Do every check that the ones before it allow; nothing is changed, no key is derived."""
    yield from examine("versions", check_versions)
    try:
        settings = load(config)
        open_settings = resolve_urls(settings)
    except ConfigError as error:
        yield fail("configuration", f"{error.key}: {error.problem}", error.remedy)
        return
    yield ok("configuration", f"policy {settings.make_policy().policy_id}")
    yield from examine("places", lambda: _apart(open_settings))
    master: list[MasterKey] = []
    yield from examine("key", lambda: _key(settings, master))
    yield from examine("source", lambda: check_source(open_settings))
    yield from examine("output", lambda: check_output(open_settings))
    yield from examine("state", lambda: check_state(open_settings))
    yield from examine("model", lambda: check_model(settings))
    yield from examine("tesseract", lambda: check_recognition(settings))
    yield from examine("disk", lambda: check_space(open_settings))
    yield from examine("lock", lambda: check_lock(open_settings))
    if master:
        yield from examine("clock", lambda: check_clock(open_settings, master[0]))


def exit_code(findings: list[CheckResult]) -> int:
    """Return 2 where something must be corrected, 4 where something is only away, else 0."""
    failed = [finding for finding in findings if finding.status == "fail"]
    if not failed:
        return EXIT_DONE
    return EXIT_UNAVAILABLE if all(finding.is_away for finding in failed) else EXIT_USAGE


def _apart(settings: Settings) -> Iterator[CheckResult]:
    check_distinct_places(settings)
    yield ok("places", "source, output and state are apart")


def _key(settings: Settings, opened: list[MasterKey]) -> Iterator[CheckResult]:
    master = open_master(settings)
    opened.append(master)
    yield ok("key", f"master key {master.key_id}, readable by this account alone")
    custody = master.custody
    if custody is None:
        seen = "no folder of custody: no use of the key is written down"
        yield warn("custody", seen, "make it: cryptonym keys derive --key FILE")
        return
    with custody.locked():
        problems, last = custody.log.problems(), custody.log.last()
        entry = custody.entry(settings.cohort)
    if problems:
        yield fail("key log", "; ".join(problems), "see docs/operations.md, the log")
    else:
        yield ok("key log", f"the chain is whole; hash of the last line: {last}")
    if entry is not None and entry.destroyed is not None:
        seen = f"the key {entry.key_id} of the cohort was destroyed at {entry.destroyed}"
        yield fail("cohort", seen, "name another cohort")
    elif entry is not None:
        yield ok("cohort", f"key {entry.key_id}")
    else:
        yield ok("cohort", "new: its key is made by the first run")
