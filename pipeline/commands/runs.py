"""`cryptonym runs`: history of runs and of cohort releases."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.files.output_files import check_output_path
from pipeline.night.run_history import PastRun, read_history, to_compared
from pipeline.night.synthesis_history import PastSynthesis, read_synthesis_runs
from pipeline.notes.worker_resources import resolve_urls
from pipeline.reports.console import Console, describe_backfill
from pipeline.reports.run_comparison import compare_runs, format_comparison
from pipeline.reports.run_report import render_comparison, write_report_file
from pipeline.state.release_register import PastRelease, read_register
from pipeline.warehouse.databases import database_path
from record.errors import ConfigError

DESCRIPTION = """\
Lists nightly runs, cohort releases and runs of `synthesize run`, latest first: time, outcome,
counts, author of a release, verdict of the quality gate, and who decided on a held run. With
--compare, two runs side by side.
"""
EXAMPLES = """\
examples:
  cryptonym runs nightly.toml
  cryptonym runs nightly.toml --last 90 --json
  cryptonym runs nightly.toml --compare 12 19 --html compared.html

Exit codes: 0 done; 2 usage or configuration error; 4 the state database is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `runs`."""
    parser.add_argument(
        "config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job"
    )
    parser.add_argument(
        "--last", type=positive, default=20, metavar="N",
        help="number of runs and releases to show (default 20)",
    )  # fmt: skip
    parser.add_argument(
        "--compare", type=int, nargs=2, metavar="RUN",
        help="compare two finished runs: notes, labels, detectors, quarantine and time",
    )  # fmt: skip
    parser.add_argument("--html", type=Path, metavar="FILE", help="output page of the comparison")
    add_output_format(parser, json='JSON array only; "what" is "run", "release" or "synthesis"')


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Show runs and releases; returns the exit code."""
    if options.html and not options.compare:
        raise ConfigError("--html", "needs --compare", "name the two runs")
    settings = resolve_urls(load(options.config))
    path = database_path(settings.state.url, settings.base, what="state.url")
    runs: list[PastRun] = []
    releases: list[PastRelease] = []
    made: list[PastSynthesis] = []
    if path is None or path.is_file():
        where = settings.state, settings.base
        runs = read_history(*where, limit=None if options.compare else options.last)
        releases = read_register(*where, limit=options.last)
        made = read_synthesis_runs(*where, limit=options.last)
    if options.compare:
        return _compare(options, runs, console)
    if options.json:
        sys.stdout.write(json.dumps(_merge(runs, releases, made), sort_keys=True) + "\n")
        return EXIT_DONE
    console.say(_table(_RUNS, map(_row, runs)) if runs else "there was no run yet")
    for line in (*_backfills(runs), *_decisions(runs)):
        console.say(line)
    if releases:
        console.say("")
        console.say(_table(_RELEASES, map(_release_row, releases)))
        for line in _errors(releases):
            console.say(line)
    if made:
        console.say("")
        console.say(_table(_SYNTHESES, map(_synthesis_row, made)))
        for each in made:
            if each.error:
                console.say(f"synthesis {each.run_id} {each.status}: {each.error}")
    return EXIT_DONE


def _compare(options: argparse.Namespace, runs: Sequence[PastRun], console: Console) -> int:
    finished = {run.run_id: run for run in runs if run.status == "finished"}
    for run_id in options.compare:
        if run_id not in finished:
            problem = f"there is no finished run {run_id}"
            raise ConfigError("--compare", problem, "see `cryptonym runs CONFIG.toml`")
    earlier, later = (to_compared(finished[run_id]) for run_id in options.compare)
    comparison = compare_runs(earlier, later)
    if options.html:
        check_output_path(options.html, [options.config])
        write_report_file(options.html, render_comparison(comparison), "--html")
    if options.json:
        told = {part.title: list(map(asdict, part.rows)) for part in comparison.parts}
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    else:
        console.say(format_comparison(comparison))
    return EXIT_DONE


def _merge(
    runs: list[PastRun], releases: list[PastRelease], made: list[PastSynthesis]
) -> list[dict[str, Any]]:
    found = [(run.started, {"what": "run"} | run.to_json()) for run in runs]
    found += [(each.started, {"what": "synthesis"} | each.to_json()) for each in made]
    found += [(each.started, {"what": "release"} | each.to_json()) for each in releases]
    return [each for _, each in sorted(found, key=lambda pair: pair[0], reverse=True)]


_SCOPES = {"new": " (new notes)", "backfill": " (backfill)"}
_COUNTED = ("planned", "released", "unchanged", "quarantined", "deleted")
_RUNS = ("run", "started (UTC)", "seconds", "ended", "exit", *_COUNTED, "Wh", "gate")
_OF_RELEASE = ("persons", "notes", "held", "refused", "added", "changed", "withdrawn")
_RELEASES = (
    "release",
    "cohort",
    "started (UTC)",
    "by account",
    "ended",
    "exit",
    *_OF_RELEASE,
    "to",
)


_SYNTHESES = (
    *("synthesis", "cohort", "started (UTC)", "by account", "ended", "exit"),
    *("notes", "dropped", "reasons"),
)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in lines
    )


def _row(past: PastRun) -> list[str]:
    again = f" at attempt {past.attempts}" if past.attempts > 1 else ""
    gate = past.gate + (f", {past.decision.decision}" if past.decision else "")
    return [
        str(past.run_id) + _SCOPES.get(past.scope, ""),
        _moment(past.started),
        f"{(past.ended - past.started).total_seconds():.1f}" if past.ended else "",
        past.status + again,
        _code(past.exit_code),
        *(str(past.notes.get(name, 0)) for name in _COUNTED),
        f"{past.watt_hours:.3g}" if past.watt_hours is not None else "",
        gate
        + (f" ({past.held} notes)" if past.held else "")
        + (f" ({past.withdrawals} withdrawals)" if past.withdrawals else ""),
    ]


def _release_row(past: PastRelease) -> list[str]:
    counts = past.persons, past.released, past.held, past.refused - past.held, *past.notes_changed
    return [
        str(past.release_id),
        past.cohort,
        _moment(past.started),
        past.account,
        past.ending,
        _code(past.exit_code),
        *map(str, counts),
        past.place,
    ]


def _synthesis_row(past: PastSynthesis) -> list[str]:
    about = past.about
    return [
        str(past.run_id),
        past.cohort,
        _moment(past.started),
        past.account,
        past.status,
        _code(past.exit_code),
        *(str(about.get(name, "")) for name in ("notes", "dropped")),
        str(len(about.get("reasons", ()))),
    ]


def _backfills(runs: Iterable[PastRun]) -> Iterator[str]:
    """Tell how far the last backfill came."""
    told = (past.about["backfill"] for past in runs if past.about.get("backfill"))
    yield from (describe_backfill(each) for each in islice(told, 1))


def _decisions(runs: Iterable[PastRun]) -> Iterator[str]:
    for past in runs:
        if (found := past.decision) is not None:
            notes = "" if found.notes is None else f", {found.notes} notes"
            how = " as the new normal" * found.new_normal + " to be done again" * found.again
            yield (
                f"run {past.run_id} {found.decision}{how}{notes}, by {found.decided_by} at "
                f"{found.decided_at}: {found.reason}"
            )


def _errors(releases: Iterable[PastRelease]) -> Iterator[str]:
    for past in releases:
        if past.error:
            yield f"release {past.release_id} {past.status}: {past.error}"


def _moment(started: datetime) -> str:
    return started.strftime("%Y-%m-%d %H:%M:%S")


def _code(exit_code: int | None) -> str:
    return "" if exit_code is None else str(exit_code)
