"""`cryptonym run`: the nightly job."""

import argparse
import json
import sys
from pathlib import Path

from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.values import EXITS, SUMMARY, add_speech, add_workers
from pipeline.night.nightly import Job, JobRunner, NightlyResult, run_nightly
from pipeline.night.supervisor import run_in_workers as spawned
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.reports.console import Console
from pipeline.reports.run_report import to_json

DESCRIPTION = """\
Processes the notes that are new or changed since the last run. An interrupted run resumes where it
stopped. Other options, such as --runner=FlinkRunner, are passed to Apache Beam; by default the job
runs in memory, offline, without opening a port.
"""
EXAMPLES = EXITS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `run`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.set_defaults(takes_beam_options=True)
    add_workers(parser)
    add_log(parser)
    add_speech(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Run the nightly job; returns its exit code."""
    drive = _portable(rest) if rest else spawned
    with journal_of(options, "run") as journal, console.progress() as shown:
        progress = journal.wrap_progress(shown)
        ended = run_nightly(
            options.config, drive, workers=options.workers, progress=progress, gate=Gate(judge)
        )
        journal.log_result(ended)
    tell(ended, options, console)
    return ended.exit_code


def tell(ended: NightlyResult, options: argparse.Namespace, console: Console) -> None:
    """Say how a run ended."""
    if options.json:
        sys.stdout.write(json.dumps(to_json(ended.summary), sort_keys=True) + "\n")
    else:
        console.summary(ended.summary, resumed=ended.resumed)
        console.say(f"report: {ended.report}")
    tell_quality(ended, console)


def tell_quality(ended: NightlyResult, console: Console) -> None:
    """Say what the quality gate says of a run."""
    for warning in ended.warnings:
        console.warn(warning)
    assessment = ended.assessment
    if assessment is None:
        return
    for reason in assessment.reasons:
        console.warn(f"quality: {reason}")
    if assessment.is_held:
        number = assessment.run.run_id
        console.error(
            f"run {number} is held: its counts differ from earlier nights, and nothing new from it "
            f"was published. Check quality.html, then run cryptonym quality CONFIG.toml --accept "
            f"{number} or --reject {number}, with --by and --reason"
        )


def _portable(arguments: list[str]) -> JobRunner:
    """Drive one pipeline with Beam's own options, on the runner they name."""
    # Beam is heavy and only needed here: the default run starts it in its workers.
    from pipeline.beam.runners import split
    from pipeline.beam.worker import WorkerShare, work

    split(arguments)

    def drive(job: Job) -> dict[str, int]:
        work(
            job.settings,
            WorkerShare(job.run_id, 0, 1),
            arguments,
            summary=job.scratch / "worker-0.json",
        )
        return {}

    return drive
