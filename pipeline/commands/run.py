"""`cryptonym run`: the nightly job."""

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

from pipeline.commands.options.engine import RunnerFactory, add_engine, choose_engine
from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.output import SUMMARY, add_output_format, print_json
from pipeline.commands.options.values import EXITS
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.settings import load
from pipeline.night.dry_run import foresee_run
from pipeline.night.nightly import NightlyResult, run_nightly
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.quality.reevaluation import describe_reevaluation
from pipeline.reports.console import Console
from pipeline.reports.quarantine_remedies import describe_excess
from pipeline.reports.run_report import to_json
from record.errors import ConfigError

DESCRIPTION = """\
Processes the notes that are new or changed since the last run. An interrupted run resumes where it
stopped. Other options, such as --runner=PrismRunner, are passed to Apache Beam, whose FlinkRunner,
SparkRunner and DataflowRunner were never tried; by default the job runs in memory, offline, without
opening a port.
"""
EXAMPLES = EXITS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `run`."""
    parser.add_argument(
        "config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job"
    )
    parser.add_argument(
        "--dry-run", action="store_true",
        help="preview of what would appear, change and go; nothing is detected or written",
    )  # fmt: skip
    parser.add_argument(
        "--accept-fewer-objections", action="store_true",
        help="run also where many fewer persons object than in the last run",
    )  # fmt: skip
    parser.add_argument(
        "--rebase", action="store_true",
        help="publish the whole output anew under the newest version of the surrogate algorithm, "
        "from the stored spans",
    )  # fmt: skip
    add_engine(parser)
    add_log(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Run the nightly job; returns its exit code."""
    if options.dry_run and options.rebase:
        problem = "cannot be combined with --dry-run"
        raise ConfigError("--rebase", problem, "leave out one of them: a rebase writes every note")
    if options.dry_run and not rest:
        return _foresee(options, console)
    engine = choose_engine(options, rest, load(options.config), load_runner, console.warn)
    if options.dry_run:
        return _foresee(options, console)
    with journal_of(options, "run") as journal, console.progress() as shown:
        progress = journal.wrap_progress(shown)
        ended = run_nightly(
            options.config,
            engine.drive,
            workers=options.workers,
            progress=progress,
            gate=Gate(judge),
            accept_fewer_objections=options.accept_fewer_objections,
            rebase=options.rebase,
        )
        journal.log_result(ended)
    report_run(ended, options, console)
    return ended.exit_code


def load_runner() -> RunnerFactory:
    """Import what runs the nightly job on Apache Beam."""
    from pipeline.beam.worker import drive_on_runner

    return drive_on_runner


def _foresee(options: argparse.Namespace, console: Console) -> int:
    """Print what a run would do; returns 1 where it would be held."""
    with console.progress() as shown:
        foreseen = foresee_run(options.config, shown)
    print_json(asdict(foreseen) | {"dry_run": True}, options)
    for name, counts in (("notes", foreseen.notes), ("persons", foreseen.persons)):
        unchanged = f", {counts['unchanged']} unchanged" if "unchanged" in counts else ""
        console.say(
            f"{name}: {counts['appear']} would appear, {counts['change']} change, "
            f"{counts['go']} go{unchanged}"
        )
    if (found := foreseen.objections) is not None:
        console.say(f"objections: {found['persons']} persons, {found['notes']} notes not read")
    console.say("dry run, nothing was written; quarantine is known only after detection")
    if foreseen.held:
        console.error(f"the run would be held: {'; '.join(foreseen.held)}")
    if foreseen.waiting:
        console.error(_describe_waiting(foreseen.waiting))
    return EXIT_GATE if foreseen.held or foreseen.waiting else EXIT_DONE


def _describe_waiting(count: int) -> str:
    return (
        f"{count} withdrawals that an earlier run holds await a decision: "
        "cryptonym quality CONFIG.toml"
    )


def report_run(ended: NightlyResult, options: argparse.Namespace, console: Console) -> None:
    """Print how a run ended."""
    if options.json:
        sys.stdout.write(json.dumps(to_json(ended.summary), sort_keys=True) + "\n")
    else:
        console.summary(ended.summary, resumed=ended.resumed)
        if (found := ended.summary.objections) is not None:
            console.say(
                f"objections: {found['persons']} persons, {found['notes']} notes not read, "
                f"{found['withdrawn']} withdrawn"
            )
        if (told := ended.summary.backfill) is not None:
            console.backfill(told)
        console.say(f"report: {ended.report}")
    for line in describe_reevaluation(ended.summary.reevaluation):
        console.warn(line)
    _report_excess(ended, console)
    report_quality(ended, console)
    if ended.backfill is not None:
        report_quality(replace(ended.backfill, summary=replace(ended.summary, waiting=0)), console)


def _report_excess(ended: NightlyResult, console: Console) -> None:
    """Print why so many notes of a run were quarantined that it ended with exit code 3."""
    summary = ended.summary
    if summary.within_limit:
        return
    reasons: Counter[str] = Counter()
    for (_, _, reason, _), count in summary.tally.quarantine.items():
        reasons[reason] += count
    share, limit = summary.quarantine_share, summary.max_quarantine_share
    console.warn(describe_excess(reasons, share=share, limit=limit, place=str(ended.report)))


def report_quality(ended: NightlyResult, console: Console) -> None:
    """Print what the quality gate found in a run."""
    for warning in ended.warnings:
        console.warn(warning)
    if ended.summary.waiting:
        console.error(_describe_waiting(ended.summary.waiting))
    assessment = ended.assessment
    if assessment is None:
        return
    if assessment.baseline:
        console.warn(f"quality: {assessment.baseline}")
    for reason in assessment.reasons:
        console.warn(f"quality: {reason}")
    if assessment.is_held:
        number = assessment.run.run_id
        why = "its counts differ from earlier nights, and nothing new from it was published"
        if assessment.holds_withdrawals:
            why = "it would withdraw too much, and nothing from it was published or withdrawn"
        console.error(
            f"run {number} is held: {why}. Check quality.html, then run cryptonym quality "
            f"CONFIG.toml --accept {number} or --reject {number}, with --by and --reason"
        )
