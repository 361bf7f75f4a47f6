"""Notifications of the quality gate: HTML page, JSON, Prometheus metrics, and the hook program."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pipeline.config.settings import Settings
from pipeline.quality.gate import BACKFILL, Assessment
from pipeline.quality.page import PageContents, render_page
from pipeline.reports.run_report import write_report_file
from pipeline.state.quality_store import JudgedRun, QualityStore
from record.atomic_write import OWNER_FILE

PAGE = "quality.html"

_HOOK_SECONDS = 60
_DECISIONS = 20
_RUNS = 200

_COLLECTED = 0o644


def send_notifications(
    store: QualityStore, assessment: Assessment, settings: Settings
) -> tuple[str, ...]:
    """Write page and metrics of a run that was just judged; call the hook if it raised alarms.

    Returns warnings: a failing hook does not stop the run. Raises Unavailable when a file cannot
    be written. Nothing is written for an unjudged run.
    """
    if assessment.conclusion == "unjudged":
        return ()
    runs = store.runs(_RUNS)
    page = settings.base / settings.report.folder / PAGE
    write_page(store, assessment, page, runs, mode=settings.report.file_mode)
    quality = settings.quality
    if quality.prometheus:
        write_metrics(settings.base / quality.prometheus, assessment, runs)
    if quality.hook and assessment.alarms:
        return call_hook(quality.hook, assessment_to_json(assessment, runs))
    return ()


def write_page(
    store: QualityStore,
    assessment: Assessment,
    path: Path,
    runs: Sequence[JudgedRun],
    *,
    mode: int = OWNER_FILE,
) -> None:
    """Write the HTML page; raises Unavailable when it cannot be written."""
    contents = PageContents(
        waiting=[run for run in runs if run.waits],
        decisions=store.decisions()[-_DECISIONS:],
        versions=_find_version_changes(runs),
    )
    write_report_file(path, render_page(assessment, contents), str(path), mode=mode)


def _find_version_changes(runs: Sequence[JudgedRun]) -> list[tuple[int, str]]:
    """Return the runs, latest first, whose detector version differs from the previous run's."""
    nights = [run for run in runs if run.version != BACKFILL]
    pairs = pairwise(nights)
    return [(run.run_id, run.version) for run, last in pairs if run.version != last.version]


def write_metrics(path: Path, assessment: Assessment, runs: Sequence[JudgedRun]) -> None:
    """Write metrics for a collector of text files; raises Unavailable where that is impossible."""
    text = "".join(f"{line}\n" for line in format_metrics(assessment, runs))
    # The collector has an account of its own: counts only, readable by all.
    write_report_file(path, text, str(path), mode=_COLLECTED)


def assessment_to_json(assessment: Assessment, runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """Return an assessment as an object for JSON: names, counts and times, never text of notes."""
    return {
        "run_id": assessment.run.run_id,
        "night": assessment.run.night.isoformat(),
        "conclusion": assessment.conclusion,
        "nights": assessment.nights,
        "min_days": assessment.min_days,
        "other_nights": assessment.other_nights,
        "series": len(assessment.compared),
        "reasons": list(assessment.reasons),
        "alarms": [alarm.to_json() | {"holds": alarm.holds} for alarm in assessment.alarms],
        "waiting": [
            {
                "run_id": run.run_id,
                "night": run.night.isoformat(),
                "notes": run.held,
                "withdrawals": run.withdrawals,
            }
            for run in runs
            if run.waits
        ],
    }


def format_metrics(assessment: Assessment, runs: Sequence[JudgedRun]) -> Iterator[str]:
    """Return the lines of the Prometheus text format (version 0.0.4)."""
    waiting = [run for run in runs if run.waits]
    single = (
        ("run_id", "Number of the run that was judged last.", assessment.run.run_id),
        ("nights", "Number of nights the run was compared with.", assessment.nights),
        ("learning", "1 while there are too few nights to hold a run, else 0.",
         int(assessment.nights < assessment.min_days)),
        ("alarms", "Series that drifted and hold the run.",
         sum(alarm.holds for alarm in assessment.alarms)),
        ("notices", "Series that drifted without holding the run.",
         sum(not alarm.holds for alarm in assessment.alarms)),
        ("held_runs", "Runs that await a decision.", len(waiting)),
        ("held_notes", "Unpublished notes of the runs that await a decision.",
         sum(run.held for run in waiting)),
        ("held_withdrawals", "Withdrawals of the runs that await a decision.",
         sum(run.withdrawals for run in waiting)),
    )  # fmt: skip
    for name, help_text, value in single:
        yield from _format_metric(f"cryptonym_quality_{name}", help_text, [({}, value)])
    shown = [
        (dict(zip(series._fields, series, strict=True)), verdict)
        for series, verdict in sorted(assessment.verdicts.items())
        if series.family == series.measure or verdict.is_alarm
    ]
    for name, help_text in (
        ("observed", "Observed counts of the run."),
        ("expected", "Expected counts of the run."),
    ):
        rows = [(labels, getattr(verdict, name)) for labels, verdict in shown]
        yield from _format_metric(f"cryptonym_quality_{name}", help_text, rows)


def _format_metric(
    name: str, help_text: str, rows: Sequence[tuple[Mapping[str, str], float]]
) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} gauge"
    for labels, value in rows:
        named = ",".join(f'{key}="{_escape_label_value(text)}"' for key, text in labels.items())
        yield f"{name}{{{named}}} {value:.10g}" if named else f"{name} {value:.10g}"


def _escape_label_value(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def call_hook(command: Sequence[str], message: Mapping[str, Any]) -> tuple[str, ...]:
    """Run a program without a shell, with the JSON on its standard input; return warnings."""
    try:
        ended = subprocess.run(  # noqa: S603 - the operator's own program, no shell
            command,
            input=json.dumps(message),
            text=True,
            timeout=_HOOK_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return (
            f"quality.hook could not be run ({type(error).__name__}): no notification was sent",
        )
    if ended.returncode:
        return (f"quality.hook exited with code {ended.returncode}",)
    return ()
