"""The checks of `cryptonym doctor`: installation, configuration, keys, databases and machine."""

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
from sqlalchemy import Engine, text

from extractors.document.limits import Limits
from extractors.document_reader import DocumentReader
from extractors.pdf.tessdata import find_tessdata
from models.tagger.shipped_model import DEFAULT
from pipeline.config.exit_codes import EXIT_DONE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.installation import has_compiled_rules
from pipeline.config.settings import Settings, StateSettings, load
from pipeline.night.nightly import check_distinct_places
from pipeline.night.run_history import read_history
from pipeline.notes.worker_resources import (
    describe_detection,
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
from pipeline.warehouse.databases import (
    SOURCE_DRIVERS,
    connect,
    database_path,
    transaction,
)
from pipeline.warehouse.export_source import find_format
from pipeline.warehouse.id_range import check_ids, check_night_ids, list_keys
from pipeline.warehouse.warehouse import PARQUET, open_source
from record.algorithms import ALGORITHM
from record.columns import TABLES
from record.errors import ConfigError, Unavailable
from surrogates.ciphers.id_permutation import ID_BITS
from surrogates.keys.keys import MasterKey

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class CheckResult:
    """The result of a check; `is_away` is set where a service is unavailable, not misconfigured."""

    check: str
    status: Status
    seen: str
    remedy: str = ""
    is_away: bool = False


Check = Callable[[], Iterable[CheckResult]]


def passed(check: str, seen: str) -> CheckResult:
    """Return the result of a passed check."""
    return CheckResult(check, "ok", seen)


def warned(check: str, seen: str, remedy: str) -> CheckResult:
    """Return a warning: runs work, but something needs attention."""
    return CheckResult(check, "warn", seen, remedy)


def failed(check: str, seen: str, remedy: str) -> CheckResult:
    """Return a failure: runs do not work, or must not."""
    return CheckResult(check, "fail", seen, remedy)


def run_check(name: str, check: Check) -> Iterator[CheckResult]:
    """Run a check; a ConfigError, Unavailable or OSError becomes a failure with its remedy."""
    try:
        yield from check()
    except ConfigError as error:
        yield CheckResult(name, "fail", f"{error.key}: {error.problem}", error.remedy)
    except Unavailable as error:
        yield CheckResult(
            name, "fail", f"{error.what}: {error.problem}", error.remedy, is_away=True
        )
    except OSError as error:
        remedy = "check path, permissions and disk"
        yield CheckResult(name, "fail", f"{error.strerror}", remedy, is_away=True)


_PROBE = "cryptonym_doctor"
_SECONDS_APART = 60


def check_source_ids(settings: Settings, master: MasterKey) -> Iterator[CheckResult]:
    """Check that pseudonyms have a place for the ids of every table."""
    recorded = master.recorded_algorithm(settings.cohort) or ALGORITHM
    bits = settings.make_policy().under(recorded).id_bits or ID_BITS[0]
    if recorded != ALGORITHM:
        yield passed("ids", f"hashed: the cohort has version {recorded} of the surrogates")
        return
    with closing(open_source(settings.source, settings.base)) as source:
        check_ids(source, bits, list_keys(TABLES))
        check_night_ids(source, bits)
    yield passed("ids", f"within 1 to 2^{bits} - 1")


def check_source(settings: Settings) -> Iterator[CheckResult]:
    """Check that the source can be read, and cannot be written."""
    with closing(open_source(settings.source, settings.base)) as source:
        is_empty = next(iter(source.plan(1)), None) is None
    if is_empty:
        yield warned("source", "contains no notes", "check source.url and source.schema")
    else:
        yield passed("source", "notes are readable")
    yield from _check_source_rights(settings)
    folder = documents_folder(settings)
    if folder is not None and not folder.is_dir():
        yield failed("documents", "folder not found", "mount it or correct source.documents")
    elif folder is not None and not os.access(folder, os.R_OK | os.X_OK):
        yield failed("documents", "folder not readable", "grant this account read permission")
    elif folder is not None:
        yield passed("documents", "folder readable")


def _check_source_rights(settings: Settings) -> Iterator[CheckResult]:
    url, name = settings.source.url, "source rights"
    remedy = "grant this account read-only access to the source"
    if url.startswith(PARQUET) or find_format(url) is not None:
        return
    path = database_path(url, settings.base, what="source.url")
    if path is not None:
        if os.geteuid() and os.access(path, os.W_OK):
            yield warned(name, "this account can write to the source", remedy)
        return
    engine = connect(url, settings.base, what="source.url", use="source")
    if engine.dialect.name in SOURCE_DRIVERS:
        engine.dispose()
        yield warned(name, "not checked on this kind of database", remedy)
        return
    place = f"{settings.source.schema}.note" if settings.source.schema else "note"
    has_write_privilege = text("select has_table_privilege(:place, 'INSERT, UPDATE, DELETE')")
    with _dispose_after(engine), transaction(engine, "source.url") as connection:
        if connection.scalar(has_write_privilege, {"place": place}):
            yield warned(name, "this account can write to the source", remedy)
        else:
            yield passed(name, "read-only for this account")
        apart = abs(
            float(connection.scalar(text("select extract(epoch from now())")) or 0) - time.time()
        )
        if apart > _SECONDS_APART:
            seen = f"the clocks of this machine and of the source differ by {apart:.0f} seconds"
            yield warned("clock", seen, "synchronize both with the same time server")


def check_output(settings: Settings) -> Iterator[CheckResult]:
    """Check that the output can be written or created."""
    url = settings.output.url
    if url.startswith(PARQUET):
        folder = settings.base / url.removeprefix(PARQUET)
        yield from check_writable("output", folder)
        return
    yield from _check_database("output", "output.url", url, settings)


def check_state(settings: Settings) -> Iterator[CheckResult]:
    """Check that the state database is writable, private to this account, and of this version."""
    url = settings.state.url
    yield from _check_database("state", "state.url", url, settings)
    path = database_path(url, settings.base, what="state.url")
    if path is not None and not path.is_file():
        return
    if path is not None and path.stat().st_mode & 0o077:
        yield failed("state rights", "other accounts can read the file", f"chmod 600 {path}")
    engine = connect(url, settings.base, what="state.url", use="output")
    with _dispose_after(engine), transaction(engine, "state.url") as connection:
        found = read_revision(connection)
        if found in (REVISION, ""):
            yield passed("state version", f"schema version {REVISION}")
        elif found is None or found in revisions():
            seen = f"schema of an earlier version ({found or 'unmarked'})"
            remedy = "back it up: the next run upgrades it automatically"
            yield warned("state version", seen, remedy)
        else:
            remedy = "install the version of cryptonym that last used it, or restore a backup"
            yield failed("state version", f"schema of a later version ({found})", remedy)


def is_current(settings: StateSettings, base: Path) -> bool:
    """Return whether the state database exists and has the tables of this version."""
    path = database_path(settings.url, base, what="state.url")
    if path is not None and not path.is_file():
        return False
    engine = connect(settings.url, base, what="state.url", use="output")
    with _dispose_after(engine), transaction(engine, "state.url") as connection:
        return read_revision(connection) == REVISION


def _check_database(check: str, what: str, url: str, settings: Settings) -> Iterator[CheckResult]:
    """Check that a database is writable: create a probe table and drop it again."""
    path = database_path(url, settings.base, what=what)
    if path is not None and not path.is_file():
        yield from check_writable(check, path.parent)
        return
    schema = settings.output.schema if check == "output" else None
    engine = connect(url, settings.base, what=what, use="output")
    with _dispose_after(engine), transaction(engine, what, write=True) as connection:
        place = f'"{schema}".{_PROBE}' if schema else _PROBE
        connection.execute(text(f"create table {place} (n integer)"))
        connection.execute(text(f"drop table {place}"))
    yield passed(check, "writable")


def check_writable(check: str, folder: Path) -> Iterator[CheckResult]:
    """Check that a folder is writable, or can be created below its nearest existing parent."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        yield passed(check, "writable" if place == folder else "can be created")
    else:
        yield failed(
            check, f"{place} is not writable", "choose a folder that this account can write to"
        )


@contextmanager
def _dispose_after(engine: Engine) -> Iterator[None]:
    try:
        yield
    finally:
        engine.dispose()


LOW_SPACE, INSUFFICIENT_SPACE = 5_000_000_000, 200_000_000
"""Free bytes below which the disk check warns, and below which it fails."""

_NAME = "cryptonym"
_PATIENCE = timedelta(minutes=5)
_RUNS = 20


def check_versions() -> Iterator[CheckResult]:
    """Check that the installed dependencies satisfy the declared requirements."""
    wrong = []
    for line in requires(_NAME) or ():
        required = Requirement(line)
        if required.marker is not None and not required.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(required.name)
        except PackageNotFoundError:
            wrong.append(f"{required.name} is not installed")
            continue
        if not required.specifier.contains(found, prereleases=True):
            wrong.append(f"{required.name} {found}, must be {required.specifier}")
    python = platform.python_version()
    if wrong:
        remedy = f"{sys.executable} -m pip install --upgrade {_NAME}, in its own environment"
        yield failed("versions", "; ".join(wrong), remedy)
    else:
        rules = "compiled to C" if has_compiled_rules() else "not compiled to C"
        yield passed("versions", f"{_NAME} {version(_NAME)} on Python {python}, rules {rules}")


def check_space(settings: Settings) -> Iterator[CheckResult]:
    """Check the free space on the disks that a run writes to."""
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
        remedy = "free space or use another disk; a run that fills the disk can be resumed"
        if free < INSUFFICIENT_SPACE:
            yield failed("disk", seen, remedy)
        elif free < LOW_SPACE:
            yield warned("disk", seen, remedy)
        else:
            yield passed("disk", seen)
    yield from check_writable("report", settings.base / settings.report.folder)


def check_recognition(settings: Settings) -> Iterator[CheckResult]:
    """Check that OCR data is installed if scanned pages are to be read."""
    ocr = make_extraction_options(settings)
    if not ocr.languages:
        yield passed("tesseract", "not configured: scans go to quarantine")
    elif find_tessdata(ocr.languages, ocr.tessdata) is None:
        seen = f"no Tesseract data for {'+'.join(ocr.languages)}: scans go to quarantine"
        yield warned(
            "tesseract", seen, "install the Tesseract data, or change extraction.languages"
        )
    else:
        yield passed("tesseract", f"data found for {'+'.join(ocr.languages)}")


def check_confinement(settings: Settings) -> Iterator[CheckResult]:
    """Report what the kernel enforces on the process that reads documents."""
    with DocumentReader(Limits(), make_extraction_options(settings)) as reader:
        found = reader.confinement
    parts = [f"Landlock {found.landlock}"] * bool(found.landlock) + ["seccomp"] * found.seccomp
    if found.landlock and found.seccomp:
        yield passed("sandbox", f"{' and '.join(parts)}: no network, no other files, no programs")
    else:
        seen = f"the kernel enforces {' and '.join(parts) or 'nothing'} on the document reader"
        remedy = "use Linux 5.13 or later with Landlock and seccomp, or a container without network"
        yield warned("sandbox", seen, remedy)


def check_model(settings: Settings) -> Iterator[CheckResult]:
    """Check that the tagger loads, if one is configured."""
    tagger = load_tagger(settings)
    if tagger is None:
        remedy = "remove `model.folder`: the default is the bundled tagger"
        yield warned("model", "switched off: names of others are found by rules alone", remedy)
    else:
        name = "the bundled tagger" if settings.model.folder == DEFAULT else settings.model.folder
        yield passed("model", f"{name} loads, and its labels are in the policy")
    outdated: list[str] = []
    lines = describe_detection(settings, outdated)
    for line in outdated:
        remedy = "run `cryptonym select` again after each change of the rules"
        yield warned("rules", line, remedy)
    yield passed("detection", "; ".join(line for line in lines if line not in outdated))


def check_clock(settings: Settings, master: MasterKey) -> Iterator[CheckResult]:
    """Check that the clock is not behind the last recorded time."""
    now, last = datetime.now(UTC), []
    if master.custody is not None:
        with master.custody.locked():
            last += [datetime.fromisoformat(use.time) for use in master.custody.log.uses()[-1:]]
    if is_current(settings.state, settings.base):
        runs = read_history(settings.state, settings.base, limit=1)
        last += [run.ended or run.started for run in runs]
    ahead = max(last, default=now) - now
    if ahead > _PATIENCE:
        seen = f"the clock is {ahead} behind the last run or key use"
        remedy = "synchronize it with a time server; only logs and reports depend on it"
        yield warned("clock", seen, remedy)
    else:
        yield passed(
            "clock", f"{now.isoformat(timespec='seconds')}, not behind the last recorded time"
        )


def check_backfill(settings: Settings) -> Iterator[CheckResult]:
    """Report how many notes the last backfill left to be detected again; nothing without one."""
    if not is_current(settings.state, settings.base):
        return
    runs = read_history(settings.state, settings.base, limit=_RUNS)
    told = next((run.about["backfill"] for run in runs if run.about.get("backfill")), None)
    if told is not None and told["left"]:
        seen = f"{told['left']} notes were read by earlier detectors"
        if told["nights_left"] is not None:
            seen += f", about {told['nights_left']} nights are left"
        remedy = "later nights detect them again, each for backfill.minutes"
        yield warned("backfill", seen, remedy)


def check_lock(settings: Settings) -> Iterator[CheckResult]:
    """Report whether a run is in progress."""
    who = find_holder(settings.state.url, settings.base)
    yield passed("lock", f"a run is in progress: {who}" if who else "no run in progress")


def run_checks(config: Path) -> Iterator[CheckResult]:
    """Run all checks whose prerequisites hold; nothing is changed and no key is derived."""
    yield from run_check("versions", check_versions)
    try:
        settings = load(config)
        open_settings = resolve_urls(settings)
    except ConfigError as error:
        yield failed("configuration", f"{error.key}: {error.problem}", error.remedy)
        return
    yield passed("configuration", f"policy {settings.make_policy().policy_id}")
    yield from run_check("places", lambda: _check_places(open_settings))
    master: list[MasterKey] = []
    yield from run_check("key", lambda: _check_key(settings, master))
    yield from run_check("source", lambda: check_source(open_settings))
    if master:
        yield from run_check("ids", lambda: check_source_ids(open_settings, master[0]))
    yield from run_check("output", lambda: check_output(open_settings))
    yield from run_check("state", lambda: check_state(open_settings))
    yield from run_check("model", lambda: check_model(settings))
    yield from run_check("sandbox", lambda: check_confinement(settings))
    yield from run_check("tesseract", lambda: check_recognition(settings))
    yield from run_check("disk", lambda: check_space(open_settings))
    yield from run_check("backfill", lambda: check_backfill(open_settings))
    yield from run_check("lock", lambda: check_lock(open_settings))
    if master:
        yield from run_check("clock", lambda: check_clock(open_settings, master[0]))


def exit_code(findings: list[CheckResult]) -> int:
    """Return 2 where something must be fixed, 4 where only a service is unavailable, else 0."""
    failures = [finding for finding in findings if finding.status == "fail"]
    if not failures:
        return EXIT_DONE
    return EXIT_UNAVAILABLE if all(finding.is_away for finding in failures) else EXIT_USAGE


def _check_places(settings: Settings) -> Iterator[CheckResult]:
    check_distinct_places(settings)
    yield passed("places", "source, output and state are separate")


def _check_key(settings: Settings, opened: list[MasterKey]) -> Iterator[CheckResult]:
    master = open_master(settings)
    opened.append(master)
    yield passed("key", f"master key {master.key_id}, readable only by this account")
    custody = master.custody
    if custody is None:
        seen = "no custody folder: key uses are not logged"
        yield warned("custody", seen, "create it: cryptonym keys derive --key FILE")
        return
    with custody.locked():
        problems, last = custody.log.problems(), custody.log.last()
        entry = custody.entry(settings.cohort)
    if problems:
        yield failed("key log", "; ".join(problems), "see docs/operations.md, the log")
    else:
        yield passed("key log", f"the hash chain is intact; hash of the last line: {last}")
    if entry is not None and entry.destroyed is not None:
        seen = f"the cohort's key {entry.key_id} was destroyed at {entry.destroyed}"
        yield failed("cohort", seen, "choose another cohort")
    elif entry is not None:
        yield passed("cohort", f"key {entry.key_id}")
    else:
        yield passed("cohort", "new: the first run creates its key")
