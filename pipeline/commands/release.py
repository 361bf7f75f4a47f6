"""`cryptonym release`: a cohort under its own key, from stored spans."""

import argparse
import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.engine import (
    ChosenEngine,
    RunnerFactory,
    add_engine,
    choose_engine,
)
from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import day, parse_list
from pipeline.config.exit_codes import EXIT_QUARANTINE
from pipeline.config.settings import load
from pipeline.config.url_passwords import has_password
from pipeline.night.event_log import EventValue
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import ReleaseResult, run_release
from pipeline.reports.console import Console
from pipeline.reports.quarantine_remedies import describe_excess
from record.errors import ConfigError

DESCRIPTION = """\
Releases a cohort under its own key from the spans stored by the nightly job, without detecting
again. Notes not yet processed by the nightly job are refused. Run it again to update the output;
persons no longer in the cohort are withdrawn. Options not given default to [cohorts.NAME] in the
configuration; others, such as --runner=PrismRunner, are passed to Apache Beam, whose FlinkRunner,
SparkRunner and DataflowRunner were never tried.
"""
EXAMPLES = """\
examples:
  cryptonym release nightly.toml --cohort asthma-2025 --persons asthma.txt \\
      --output postgresql://research/asthma
  cryptonym release nightly.toml --cohort asthma-2025 --persons asthma.csv --output parquet:asthma
  cryptonym release nightly.toml --cohort asthma-2025 --persons asthma.csv --output jsonl:asthma \\
      --from 2020-01-01 --to 2024-12-31 --kinds discharge-letter,surgery-report
  cryptonym release nightly.toml --cohort asthma-2025 --persons-sql asthma.sql --workers 4 \\
      --columns person,note,condition_occurrence,measurement --policy hipaa-limited \\
      --output parquet:asthma
  cryptonym release nightly.toml --cohort asthma-2025 --persons asthma.csv \\
      --output parquet:asthma --dry-run

Exit codes: 0 done; 1 notes are missing or too much would be withdrawn, nothing was released;
2 usage or configuration error, or the nightly job is behind; 3 done, but more notes refused than
limits.max_quarantine_share; 4 a required service is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `release`."""
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "--cohort", required=True, metavar="NAME",
        help="cohort name; with the key it determines all surrogates",
    )  # fmt: skip
    persons = parser.add_mutually_exclusive_group()
    persons.add_argument(
        "--persons", type=Path, metavar="FILE",
        help="list of person_id, one per line, or a table with person_id in its first column",
    )  # fmt: skip
    persons.add_argument(
        "--persons-sql", type=Path, metavar="FILE.sql",
        help="SQL query on the source that returns person_id, run read-only",
    )  # fmt: skip
    add(
        "--output", default="", metavar="URL",
        help="output: a SQLAlchemy URL, parquet:FOLDER, jsonl:FOLDER; env:NAME or file:PATH of one",
    )  # fmt: skip
    add("--schema", metavar="NAME", help="database schema of the output")
    add(
        "--from",
        type=day,
        dest="since",
        metavar="DATE",
        help="earliest date of notes and rows, YYYY-MM-DD",
    )
    add(
        "--to",
        type=day,
        dest="until",
        metavar="DATE",
        help="latest date of notes and rows, YYYY-MM-DD",
    )
    add(
        "--kinds",
        default="",
        metavar="A,B",
        help="note kinds to release, as named in source.kinds (default: all)",
    )
    add(
        "--columns", default="", metavar="A,B",
        help="tables or TABLE.COLUMN to release besides persons and notes (default: all)",
    )  # fmt: skip
    add("--policy", metavar="NAME", help="bundled policy or policy file for this cohort")
    add(
        "--spans", action="store_true",
        help="also where surrogates stand in notes (note_span), from which what was missed shows",
    )  # fmt: skip
    add(
        "--vocabulary", action="store_true",
        help="also OHDSI's vocabulary tables of the source, without concepts of the site's own",
    )  # fmt: skip
    add(
        "--withdraw-stale", action="store_true",
        help="withdrawal of notes that are pending in the nightly job or held by its quality gate",
    )  # fmt: skip
    add(
        "--accept-withdrawals", action="store_true",
        help="withdrawal of more notes or persons than quality.max_withdrawn_share",
    )  # fmt: skip
    add(
        "--dry-run", action="store_true",
        help="preview of what would appear, change and go; nothing is written, in one process",
    )  # fmt: skip
    add(
        "--rebase", action="store_true",
        help="publication of the whole release anew under the newest version of the surrogate "
        "algorithm; ids, names and dates of earlier versions of the release no longer join",
    )  # fmt: skip
    add_engine(parser)
    add_log(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Release the cohort; returns the exit code."""
    request = _request_of(options)
    if not options.dry_run or rest:
        # A dry run needs no engine, but no misspelt option may go unnoticed.
        engine = choose_engine(options, rest, load(options.config), _load_runner, console.warn)
    if options.dry_run:
        with console.progress() as shown:
            released = run_release(request, shown)
    else:
        released = _run_logged(options, request, engine, console)
    if options.json:
        sys.stdout.write(to_json(released, is_dry=options.dry_run) + "\n")
    for line in to_lines(released):
        console.say(line)
    for warning in released.warnings:
        console.warn(warning)
    if released.held:
        console.error(_describe_hold(released, is_dry=options.dry_run))
    else:
        console.say(_conclude(released, is_dry=options.dry_run))
    if released.exit_code == EXIT_QUARANTINE:
        limit = load(options.config).limits.max_quarantine_share
        share, place = released.counts.refused_share, "the release's manifest, under `refused`"
        reasons = released.counts.refused
        console.warn(
            describe_excess(reasons, share=share, limit=limit, place=place, what="refused")
        )
    return released.exit_code


def _load_runner() -> RunnerFactory:
    from pipeline.beam.release_worker import drive_release_on_runner

    return drive_release_on_runner


def _run_logged(
    options: argparse.Namespace, request: ReleaseRequest, engine: ChosenEngine, console: Console
) -> ReleaseResult:
    with journal_of(options, "release") as journal, console.progress() as shown:
        progress = journal.wrap_progress(shown)
        released = run_release(
            request,
            progress,
            drive=engine.drive,
            workers=options.workers,
            is_distant=engine.is_distant,
        )
        level = logging.WARNING if released.exit_code else logging.INFO
        # What the log keeps of a release: counts, codes and ids of keys.
        notes = {name: int(count) for name, count in released.counts.notes.items()}
        facts: dict[str, EventValue] = {"cohort": options.cohort, "exit_code": released.exit_code}
        facts |= {"changed": released.is_changed, "key_id": str(released.manifest["key_id"])}
        journal.write("release ended", level, **facts | notes)
    return released


def _describe_hold(released: ReleaseResult, *, is_dry: bool) -> str:
    state = "would be held" if is_dry else "is held, nothing was changed"
    return (
        f"the release {state}: {'; '.join(released.held)}. Check the list of persons, the nightly "
        "job and the source; to withdraw them, run it again with --accept-withdrawals"
    )


def _conclude(released: ReleaseResult, *, is_dry: bool) -> str:
    if is_dry:
        what = "would be updated" if released.is_changed else "would stay unchanged"
        return f"dry run, nothing was written: the release {what}"
    return "the release was updated" if released.is_changed else "the release is unchanged"


def _request_of(options: argparse.Namespace) -> ReleaseRequest:
    # `user:@host` has none.
    if has_password(options.output.replace(":@", "@", 1)):
        problem = "has a password, which everybody on this machine can read while it runs"
        remedy = "put the URL into a variable or file, and give env:NAME or file:PATH"
        raise ConfigError("--output", problem, remedy)
    return ReleaseRequest(
        config=options.config,
        cohort=options.cohort,
        persons=options.persons,
        output=options.output,
        schema=options.schema,
        since=options.since,
        until=options.until,
        kinds=parse_list(options.kinds),
        persons_sql=options.persons_sql,
        columns=parse_list(options.columns),
        policy=options.policy,
        spans=options.spans,
        vocabulary=options.vocabulary,
        withdraw_stale=options.withdraw_stale,
        accept_withdrawals=options.accept_withdrawals,
        dry_run=options.dry_run,
        rebase=options.rebase,
    )


def to_lines(released: ReleaseResult) -> Iterator[str]:
    """Describe what a release did, by counts and never by ids."""
    counts = released.counts
    persons, notes = counts.persons, counts.notes
    objecting = f", {persons['objecting']} object" if "objecting" in persons else ""
    yield (
        f"persons: {persons['listed']} listed, {persons['released']} released, "
        f"{persons['unknown']} unknown, {persons['duplicates']} listed twice{objecting}"
    )
    yield f"notes: {notes['selected']} selected, {notes['released']} released"
    for reason, count in sorted(counts.refused.items()):
        yield f"refused: {count} {reason}"
    for name, rows in sorted(counts.tables.items()):
        for reason, count in sorted(rows.items()):
            if reason != "released" and count:
                yield f"{name}: {count} {reason}"
    for name, change in released.changes.items():
        if not change.is_empty:
            yield (
                f"{name}: {change.added} added, {change.changed} changed, "
                f"{change.withdrawn} withdrawn, {change.unchanged} unchanged"
            )


def to_json(released: ReleaseResult, *, is_dry: bool = False) -> str:
    """Return the changes as one line of JSON, with the manifest."""
    changes = {name: asdict(change) for name, change in released.changes.items()}
    content = {"changed": released.is_changed, "changes": changes, "manifest": released.manifest}
    content |= {"held": list(released.held), "dry_run": is_dry}
    return json.dumps(content, sort_keys=True)
