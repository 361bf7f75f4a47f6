"""Checks of the tables of an output or release, with a remedy for each that fails."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from pipeline.config.settings import OutputSettings, load
from pipeline.doctor.check_results import CheckResult, failed, passed, run_check, warned
from pipeline.notes.worker_resources import resolve_urls
from pipeline.quality.conformance import Violation, check_conformance
from pipeline.warehouse.warehouse import JSONL, open_source
from record.errors import ConfigError

_BROKEN = ("isRequired", "cdmDatatype", "isPrimaryKey", "isForeignKey")
_REMEDIES = {
    "isRequired": "fill the column at the source",
    "cdmDatatype": "empty the output, and let the next run create its tables",
    "isPrimaryKey": "add the primary key, after removing the rows that share one",
    "isForeignKey": "run again; if it persists, report a bug",
    "fkDomain": "correct the concepts at the source",
    "plausibleStartBeforeEnd": "correct the dates at the source",
    "plausibleAfterBirth": "correct the dates, or the birth, at the source",
    "plausibleBeforeDeath": "correct the dates, or the death, at the source",
}


def run_output_checks(
    config: Path, url: str = "", schema: str | None = None
) -> Iterator[CheckResult]:
    """Check the tables of the configured output, or of one at another URL; nothing is changed.

    A relative path of `url` starts at the working directory.
    """
    yield from run_check("output tables", lambda: _check_output(config, url, schema))


def _check_output(config: Path, url: str, schema: str | None) -> Iterator[CheckResult]:
    settings = load(config)
    if url:
        settings = replace(settings, output=OutputSettings(url, schema))
    settings = resolve_urls(settings)
    output, base = settings.output, Path() if url else settings.base
    if output.url.startswith(JSONL):
        problem = "JSON Lines cannot be checked"
        raise ConfigError("--output", problem, "release to a database or to parquet:FOLDER")
    with closing(open_source(settings.source, settings.base)) as source:
        found = check_conformance(output, base, source)
    if not found.rows:
        raise ConfigError("--output", "has no tables of OMOP CDM", "give the URL of an output")
    counted = ", ".join(f"{name} {rows}" for name, rows in found.rows.items())
    yield passed("output tables", f"{found.checks} checks of {counted}")
    if not found.has_vocabulary:
        seen = "the source has no table concept: concepts were not looked up"
        yield warned("output concepts", seen, "load OHDSI's vocabulary into the source")
    yield from map(_to_result, found.violations)


def _to_result(violation: Violation) -> CheckResult:
    seen = f"{violation.table}.{violation.column}: {violation.rows} rows"
    make = failed if violation.check in _BROKEN else warned
    return make(violation.check, seen, _REMEDIES[violation.check])
