"""All checks of an installation and its configuration, in the order an operator repairs things."""

import platform
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from extractors.pdf.tessdata import find_tessdata
from pipeline.config.exit_codes import EXIT_DONE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.installation import has_compiled_rules
from pipeline.config.settings import Settings, load
from pipeline.doctor.checks import CheckResult, examine, fail, ok, warn
from pipeline.doctor.storage import check_output, check_source, check_state, is_current, writable
from pipeline.night.nightly import check_apart
from pipeline.night.run_history import read_history
from pipeline.notes.worker_resources import load_tagger, open_master, reading, settled
from pipeline.state.lock import holder
from pipeline.warehouse.databases import database_path
from pipeline.warehouse.warehouse import PARQUET
from record.errors import ConfigError
from surrogates.keys.keys import MasterKey

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
    asked = reading(settings)
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
    who = holder(settings.state.url, settings.base)
    yield ok("lock", f"a run is going on: {who}" if who else "no run is going on here")


def examine_all(config: Path) -> Iterator[CheckResult]:
    """Do every check that the ones before it allow; nothing is changed, no key is derived."""
    yield from examine("versions", check_versions)
    try:
        settings = load(config)
        open_settings = settled(settings)
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
    check_apart(settings)
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
