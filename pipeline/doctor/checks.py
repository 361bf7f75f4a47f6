"""The checks of `cryptonym doctor`: installation, configuration, keys, databases and machine."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement
from sqlalchemy import text

from extractors.document.limits import Limits
from extractors.document_reader import DocumentReader
from extractors.pdf.tessdata import find_tessdata
from models.tagger.shipped_model import DEFAULT
from pipeline.config.exit_codes import EXIT_DONE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.installation import has_compiled_rules
from pipeline.config.settings import Settings, StateSettings, load
from pipeline.doctor.check_results import CheckResult, failed, passed, run_check, warned
from pipeline.doctor.source_checks import (
    check_contents,
    check_encodings,
    check_source,
    check_source_ids,
    dispose_after,
    measure_speed,
)
from pipeline.night.nightly import check_distinct_places
from pipeline.night.run_history import read_history
from pipeline.notes.model_detection import SpanTagger
from pipeline.notes.worker_resources import (
    describe_detection,
    load_tagger,
    make_extraction_options,
    open_master,
    resolve_urls,
)
from pipeline.state.migrations.upgrade import revisions
from pipeline.state.run_lock import find_holder
from pipeline.state.schema_version import has_state_tables, read_revision
from pipeline.state.tables import REVISION
from pipeline.warehouse.databases import (
    connect,
    database_path,
    transaction,
)
from pipeline.warehouse.warehouse import PARQUET
from record.errors import ConfigError
from surrogates.keys.keys import MasterKey

_PROBE = "cryptonym_doctor"


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
    with dispose_after(engine), transaction(engine, "state.url") as connection:
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
    with dispose_after(engine), transaction(engine, "state.url") as connection:
        return read_revision(connection) == REVISION


def is_before_first_night(settings: Settings) -> bool:
    """Return whether no run has ended yet, as far as the state database tells it."""
    if not has_state_tables(settings.state, settings.base):
        return True
    if not is_current(settings.state, settings.base):
        return False
    return not any(run.ended for run in read_history(settings.state, settings.base, limit=_RUNS))


def _check_database(check: str, what: str, url: str, settings: Settings) -> Iterator[CheckResult]:
    """Check that a database is writable: create a probe table and drop it again."""
    path = database_path(url, settings.base, what=what)
    if path is not None and not path.is_file():
        yield from check_writable(check, path.parent)
        return
    schema = settings.output.schema if check == "output" else None
    engine = connect(url, settings.base, what=what, use="output")
    with dispose_after(engine), transaction(engine, what, write=True) as connection:
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


def check_model(settings: Settings, loaded: list[SpanTagger | None]) -> Iterator[CheckResult]:
    """Check that the tagger loads, if one is configured; adds it, or None, to `loaded`."""
    tagger = load_tagger(settings)
    loaded.append(tagger)
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


SAMPLE_SECONDS = 20
"""How long notes of a sample are processed, at most, before the first night."""


def run_checks(config: Path, *, sample_seconds: int = SAMPLE_SECONDS) -> Iterator[CheckResult]:
    """Run all checks whose prerequisites hold; nothing is changed and no key is derived.

    Before the first night, notes of a sample are processed for `sample_seconds`, if not 0.
    """
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
    source = list(run_check("source", lambda: check_source(open_settings)))
    yield from source
    if is_readable := all(found.status != "fail" for found in source):
        yield from run_check("rows", lambda: check_contents(open_settings))
    if master:
        yield from run_check("ids", lambda: check_source_ids(open_settings, master[0]))
    yield from run_check("output", lambda: check_output(open_settings))
    state = list(run_check("state", lambda: check_state(open_settings)))
    yield from state
    yield from run_check("encoding", lambda: check_encodings(open_settings))
    tagger: list[SpanTagger | None] = []
    yield from run_check("model", lambda: check_model(settings, tagger))
    is_known = all(found.status != "fail" for found in state)
    is_trial = tagger and is_readable and sample_seconds and is_known
    if is_trial and is_before_first_night(open_settings):
        trial = (open_settings, tagger[0], sample_seconds)
        yield from run_check("speed", lambda: measure_speed(*trial))
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
