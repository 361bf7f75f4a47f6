"""What the gate tells: a page, an object for machines, metrics, a program that is called."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.config.settings import Settings
from pipeline.night.quality_gate import Assessment
from pipeline.night.quality_page import PageContents, render
from pipeline.reports.run_report import write_report_file
from pipeline.state.quality_store import JudgedRun, QualityStore

PAGE = "quality.html"

_HOOK_SECONDS = 60
_DECISIONS = 20
_RUNS = 200


def tell_all(store: QualityStore, assessment: Assessment, settings: Settings) -> tuple[str, ...]:
    """Write page and metrics of a run that was just judged, and call the hook where it alarms.

    Returns warnings: what goes wrong with the hook does not stop a night. Raises Unavailable where
    a file cannot be written. Of a run that nobody judged nothing is told.
    """
    if assessment.conclusion == "unjudged":
        return ()
    runs = store.runs(_RUNS)
    write_page(store, assessment, settings.base / settings.report.folder / PAGE, runs)
    quality = settings.quality
    if quality.prometheus:
        write_metrics(settings.base / quality.prometheus, assessment, runs)
    if quality.hook and assessment.alarms:
        return call_hook(quality.hook, to_json(assessment, runs))
    return ()


def write_page(
    store: QualityStore, assessment: Assessment, path: Path, runs: Sequence[JudgedRun]
) -> None:
    """Write the page; raises Unavailable where it cannot be written."""
    desk = PageContents(
        waiting=[run for run in runs if run.waits],
        decisions=store.decisions()[-_DECISIONS:],
        versions=_changes(runs),
    )
    write_report_file(path, render(assessment, desk), str(path))


def _changes(runs: Sequence[JudgedRun]) -> list[tuple[int, str]]:
    """Return the runs, latest first, that detected with another version than the run before."""
    before = list(runs[1:])
    pairs = zip(runs, before, strict=False)
    return [(run.run_id, run.version) for run, last in pairs if run.version != last.version]


def write_metrics(path: Path, assessment: Assessment, runs: Sequence[JudgedRun]) -> None:
    """Write metrics for a collector of text files; raises Unavailable where that is impossible."""
    write_report_file(path, "".join(f"{line}\n" for line in metrics(assessment, runs)), str(path))


def to_json(assessment: Assessment, runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """Return an assessment as an object: names, counts and times, never text."""
    return {
        "run_id": assessment.run.run_id,
        "night": assessment.run.night.isoformat(),
        "conclusion": assessment.conclusion,
        "nights": assessment.nights,
        "min_days": assessment.min_days,
        "series": len(assessment.compared),
        "reasons": list(assessment.reasons),
        "alarms": [alarm.to_json() | {"holds": alarm.holds} for alarm in assessment.alarms],
        "waiting": [
            {"run_id": run.run_id, "night": run.night.isoformat(), "notes": run.held}
            for run in runs
            if run.waits
        ],
    }


def metrics(assessment: Assessment, runs: Sequence[JudgedRun]) -> Iterator[str]:
    """Return the lines of the Prometheus text format (version 0.0.4)."""
    waiting = [run for run in runs if run.waits]
    single = (
        ("run_id", "Number of the run that was judged last.", assessment.run.run_id),
        ("nights", "Nights it was compared with.", assessment.nights),
        ("learning", "1 while there are too few nights to hold a run.",
         int(assessment.nights < assessment.min_days)),
        ("alarms", "Series of the run that hold it.", sum(a.holds for a in assessment.alarms)),
        ("notices", "Changes that hold nothing.", sum(not a.holds for a in assessment.alarms)),
        ("held_runs", "Runs that wait for a decision.", len(waiting)),
        ("held_notes", "Notes of these runs that are not published.",
         sum(run.held for run in waiting)),
    )  # fmt: skip
    for name, help_text, value in single:
        yield from _metric(f"cryptonym_quality_{name}", help_text, [({}, value)])
    shown = [
        (dict(zip(series._fields, series, strict=True)), verdict)
        for series, verdict in sorted(assessment.verdicts.items())
        if series.family == series.measure or verdict.is_alarm
    ]
    for name, help_text in (
        ("observed", "Counts of the run."),
        ("expected", "What was expected of it."),
    ):
        rows = [(labels, getattr(verdict, name)) for labels, verdict in shown]
        yield from _metric(f"cryptonym_quality_{name}", help_text, rows)


def _metric(
    name: str, help_text: str, rows: Sequence[tuple[Mapping[str, str], float]]
) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} gauge"
    for labels, value in rows:
        named = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        yield f"{name}{{{named}}} {value:.10g}" if named else f"{name} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def call_hook(command: Sequence[str], told: Mapping[str, Any]) -> tuple[str, ...]:
    """Run a program without a shell, with the object on its standard input; gives warnings."""
    try:
        ended = subprocess.run(  # noqa: S603 - the operator's own program, no shell
            command,
            input=json.dumps(told),
            text=True,
            timeout=_HOOK_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return (f"quality.hook could not be run ({type(error).__name__}): nobody was told",)
    if ended.returncode:
        return (f"quality.hook ended with code {ended.returncode}",)
    return ()
