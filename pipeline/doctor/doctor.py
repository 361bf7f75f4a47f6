"""All checks of an installation and its configuration, in the order an operator repairs things."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.config.exit_codes import (
    EXIT_DONE,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
)
from pipeline.config.settings import (
    Settings,
    load,
)
from pipeline.doctor.checks import (
    Finding,
    examine,
    fail,
    ok,
    warn,
)
from pipeline.doctor.machine import (
    check_clock,
    check_lock,
    check_model,
    check_recognition,
    check_space,
    check_versions,
)
from pipeline.doctor.storage import (
    check_output,
    check_source,
    check_state,
)
from pipeline.night.nightly import check_apart
from pipeline.notes.worker_resources import (
    open_master,
    settled,
)
from record.errors import ConfigError
from surrogates.keys.keys import MasterKey


def examine_all(config: Path) -> Iterator[Finding]:
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


def exit_code(findings: list[Finding]) -> int:
    """Return 2 where something must be corrected, 4 where something is only away, else 0."""
    failed = [finding for finding in findings if finding.status == "fail"]
    if not failed:
        return EXIT_DONE
    return EXIT_UNAVAILABLE if all(finding.is_away for finding in failed) else EXIT_USAGE


def _apart(settings: Settings) -> Iterator[Finding]:
    check_apart(settings)
    yield ok("places", "source, output and state are apart")


def _key(settings: Settings, opened: list[MasterKey]) -> Iterator[Finding]:
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
