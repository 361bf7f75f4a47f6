"""`cryptonym quality`: entity counts beside those of earlier nights."""

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path

from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.settings import Settings, load
from pipeline.files.output_files import check_output_path
from pipeline.night.held_runs import apply_decision
from pipeline.notes.worker_resources import resolve_urls
from pipeline.quality.drift import judge
from pipeline.quality.gate import Assessment, Gate, describe_alarm, load_assessment
from pipeline.quality.notifications import PAGE, assessment_to_json, write_metrics, write_page
from pipeline.reports.console import Console
from pipeline.state.ledger import open_state
from pipeline.state.quality_series import RunCounts
from pipeline.state.quality_store import GateDecision, JudgedRun, QualityStore
from pipeline.warehouse.databases import database_path
from record.errors import ConfigError

DESCRIPTION = """\
Compares the counts of the last nightly run with those of earlier nights: labels, date formats,
lengths, scores, quarantine, duplicates, volume. Writes quality.html and lists held runs. A held run
is staged and sealed; nothing new from it is published until it is accepted. A run that would
withdraw more than quality.max_withdrawn_share is held as well; accepting it carries that out.
"""
EXAMPLES = """\
examples:
  cryptonym quality nightly.toml
  cryptonym quality nightly.toml --json
  cryptonym quality nightly.toml --prometheus /var/lib/node_exporter/cryptonym.prom
  cryptonym quality nightly.toml --accept 214 --by "A. Martin" --reason "new letterhead, ticket 7"
  cryptonym quality nightly.toml --accept 214 --by "A. Martin" --reason "from now on" --new-normal
  cryptonym quality nightly.toml --reject 214 --by "A. Martin" --reason "fed twice"

Name and reason are stored permanently and shown on the page: do not mention patients. A decision is
final; repeat the command to complete an interrupted one.

Exit codes: 0 no drift, or the decision was applied; 1 a run raised an alarm or awaits a decision;
2 usage or configuration error; 4 a required service is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `quality`."""
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "--html", type=Path, metavar="FILE",
        help="output page (default: quality.html beside the report)",
    )  # fmt: skip
    add(
        "--prometheus", type=Path, metavar="FILE",
        help="metrics file for the node_exporter textfile collector",
    )  # fmt: skip
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--accept", type=int, metavar="RUN", help="held run to publish")
    either.add_argument("--reject", type=int, metavar="RUN", help="held run to quarantine")
    add("--by", default="", metavar="NAME", help="name of the person who decides")
    add("--reason", default="", metavar="TEXT", help="reason for the decision")
    add(
        "--new-normal", action="store_true",
        help="new baseline for the counts, which begins with this run; requires --accept",
    )  # fmt: skip
    add(
        "--again", action="store_true",
        help="reprocessing of these notes in the next run, even if unchanged; requires --reject",
    )  # fmt: skip
    add_output_format(parser, json="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Show the counts, or carry out a decision; returns the exit code."""
    _check(options)
    if options.accept is not None or options.reject is not None:
        return _decide(options, console)
    settings = resolve_urls(load(options.config))
    path = database_path(settings.state.url, settings.base, what="state.url")
    if path is not None and not path.is_file():
        raise ConfigError("state.url", "no state database yet", "run the nightly job")
    with closing(open_state(settings.state, settings.base)) as state:
        return _show(state.quality, settings, options, console)


def _check(options: argparse.Namespace) -> None:
    if options.new_normal and options.accept is None:
        raise ConfigError("--new-normal", "requires --accept", "add --accept RUN")
    if options.again and options.reject is None:
        raise ConfigError("--again", "requires --reject", "add --reject RUN")
    for path in (options.html, options.prometheus):
        if path is not None:
            check_output_path(path, [options.config])


def _decide(options: argparse.Namespace, console: Console) -> int:
    accepted = options.accept is not None
    decided = apply_decision(
        options.config,
        GateDecision(
            options.accept if accepted else options.reject,
            "accepted" if accepted else "rejected",
            options.by,
            options.reason,
            new_normal=options.new_normal,
            again=options.again,
        ),
    )
    run_id, moved = decided.decision.run_id, decided.notes
    if options.json:
        content = {"run_id": run_id, "decision": decided.decision.decision, "notes": moved}
        content |= {"withdrawn": decided.withdrawn}
        sys.stdout.write(json.dumps(content, sort_keys=True) + "\n")
    what = "published" if accepted else "quarantined"
    withdrawn = f", {decided.withdrawn} withdrawn" if decided.withdrawn else ""
    console.say(f"run {run_id} {decided.decision.decision}: {moved} notes {what}{withdrawn}")
    return EXIT_DONE


def _show(
    store: QualityStore, settings: Settings, options: argparse.Namespace, console: Console
) -> int:
    runs = store.runs()
    last = next((each for each in runs if each.notes or each.waits), None)
    if last is None:
        console.say("no run has counted entities yet")
        if options.json:
            sys.stdout.write("{}\n")
        return EXIT_DONE
    counted = RunCounts(last.run_id, last.night, last.config, {})
    assessment = load_assessment(store, counted, settings.quality, Gate(judge))
    page = options.html or settings.base / settings.report.folder / PAGE
    write_page(store, assessment, page, runs, mode=settings.report.file_mode)
    if options.prometheus:
        write_metrics(options.prometheus, assessment, runs)
    print_json(assessment_to_json(assessment, runs), options)
    for line in _describe(assessment, runs):
        console.say(line)
    console.say(f"page: {page}")
    alarms = any(alarm.holds for alarm in last.alarms) and last.decision is None
    open_ends = any(each.waits or each.is_half_done for each in runs)
    return EXIT_GATE if alarms or open_ends else EXIT_DONE


def _describe(assessment: Assessment, runs: list[JudgedRun]) -> list[str]:
    conclusions = {
        "held": "held: nothing new from it is published"
        + (" or withdrawn" if assessment.holds_withdrawals else ""),
        "warned": "some counts have changed; the run was not held",
        "learning": (
            f"collecting a baseline: {assessment.nights} of {assessment.min_days} nights, no gate"
        ),
        "unjudged": "counted, not compared",
        "clean": "no change from earlier nights",
    }
    night = assessment.run.night.isoformat()
    lines = [f"run {assessment.run.run_id} of {night}: {conclusions[assessment.conclusion]}"]
    lines += [f"  {assessment.baseline}"] if assessment.baseline else []
    lines += [f"  {describe_alarm(alarm)}" for alarm in assessment.alarms]
    lines += [
        f"run {each.run_id} of {each.night.isoformat()} awaits a decision: {each.held} notes held"
        f"{f' and {each.withdrawals} withdrawals' if each.withdrawals else ''}; "
        f"--accept {each.run_id} or --reject {each.run_id}"
        for each in runs
        if each.waits
    ]
    lines += [
        f"the rejection of run {each.run_id} was interrupted: repeat the command"
        for each in runs
        if each.is_half_done
    ]
    return lines
