"""The report of a run: one self-contained page for data managers, and the same as JSON."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jinja2

from pipeline.reports.charts import (
    PANEL_HEIGHT,
    PANEL_WIDTH,
    ChartAxis,
    IntervalChart,
    Panel,
    draw_bars,
    draw_intervals,
    make_axis,
    sum_by_bin,
)
from pipeline.reports.detector_legend import describe_detector, is_tagger
from pipeline.reports.quarantine_remedies import Remedy, remedy
from pipeline.reports.run_comparison import (
    ComparedRun,
    RunComparison,
    compare_runs,
    make_run_panels,
    sum_kinds,
    sum_labels,
    sum_reasons,
)
from pipeline.state.run_summary import MAX_SAMPLES, Outcome, RunSummary, Tally
from record.atomic_write import OWNER_FILE, make_folders, write_atomically
from record.errors import Unavailable

MOST_KINDS = 8
"""The number of kinds of notes with a column of their own; others share one."""

OTHER_KINDS = "all other kinds"

_CHART_WIDTH, _CHART_HEIGHT = 108.0, 26.0
_THIN_SPACE = "\u202f"
_SECONDS = 1_000_000


@dataclass(frozen=True)
class TableCell:
    """The spans of one label in one kind of note, and a chart of them by date of the note."""

    total: int
    per_note: float
    path: str
    hint: str


@dataclass(frozen=True)
class TableRow:
    """One label in all kinds of notes; its charts share one scale, `top` spans for a full bar."""

    label: str
    total: int
    top: int
    cells: tuple[TableCell, ...]


@dataclass(frozen=True)
class Grid:
    """Replaced spans by label (rows) and kind of note (columns), with time within each cell."""

    axis: ChartAxis
    kinds: tuple[tuple[str, int], ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class Cause:
    """A reason for quarantine: number, share of those read and kinds of notes, and the remedy."""

    stage: str
    error: str
    reason: str
    count: int
    percent: float
    kinds: tuple[tuple[str, int], ...]
    note_ids: tuple[str, ...]
    remedy: Remedy


@dataclass(frozen=True)
class ExtractionRow:
    """The extracted documents of one kind, counted by tenth of their quality."""

    kind: str
    total: int
    tenths: tuple[int, ...]


@dataclass(frozen=True)
class Bar:
    """A named amount, and its percentage of the largest one."""

    name: str
    amount: str
    percent: float


@dataclass(frozen=True)
class DetectorRow:
    """A detector: what it looks for, what it found, and what of that was replaced.

    `found` counts spans after overlaps between detectors are resolved, `kept` those replaced.
    """

    name: str
    meaning: str
    found: int
    kept: int


@dataclass(frozen=True)
class LabelShare:
    """A label's spans found by rules and known values, by the tagger, and those replaced."""

    label: str
    by_rules: int
    by_tagger: int
    replaced: int


class History(Protocol):
    """Releases and decisions before a run (see `pipeline.night.release_history`)."""

    @property
    def releases(self) -> Sequence[object]:
        """Releases of cohorts, latest first."""
        ...

    @property
    def decisions(self) -> Sequence[object]:
        """Decisions about held runs, latest first."""
        ...


@dataclass(frozen=True)
class RunBackground:
    """What a run's page shows beyond the run: labels by night, earlier releases and decisions.

    `earlier` are finished runs before it, latest first.
    """

    panels: Sequence[Panel] = ()
    past: History | None = None
    earlier: Sequence[ComparedRun] = ()


NO_BACKGROUND = RunBackground()
"""The page of a run shows the run alone."""


def render(summary: RunSummary, background: RunBackground = NO_BACKGROUND) -> str:
    """Render a run as one HTML page that loads nothing; its script sorts and filters tables."""
    released = summary.tally.outcomes[Outcome.RELEASED.value]
    this = ComparedRun(
        summary.run_id,
        f"{summary.started:%Y-%m-%d %H:%M}",
        summary.seconds,
        summary.tally,
    )
    return TEMPLATES.get_template("report.html.j2").render(
        summary=summary,
        tally=summary.tally,
        outcomes=summary.tally.outcomes,
        grid=_make_grid(summary),
        causes=_list_causes(summary),
        extractions=_list_extractions(summary.tally),
        stages=_make_bars(
            {name: n / _SECONDS for name, n in summary.tally.microseconds.items()}, " s"
        ),
        labels=_make_bars(sum_labels(summary.tally), ""),
        kinds=_make_bars(sum_kinds(summary.tally), ""),
        reasons=_make_bars(sum_reasons(summary.tally), ""),
        detectors=_list_detectors(summary.tally),
        shares=_list_shares(summary.tally),
        run_panels=make_run_panels([*reversed(background.earlier), this]),
        comparison=compare_runs(background.earlier[0], this) if background.earlier else None,
        memory=_make_bars(
            {name: kb / 1024 for name, kb in summary.tally.peak_memory.items()}, " MB"
        ),
        spans=summary.tally.spans.total(),
        speed=released / summary.seconds if summary.seconds > 0 else 0.0,
        chart=(_CHART_WIDTH, _CHART_HEIGHT),
        audit_chart=_chart_audits(summary),
        background=background,
    )


def render_comparison(comparison: RunComparison) -> str:
    """Render two runs side by side as one HTML page that loads nothing."""
    return TEMPLATES.get_template("compare.html.j2").render(comparison=comparison)


def to_json(summary: RunSummary) -> dict[str, Any]:
    """Return a run as a JSON object; `counts` is what `Tally.from_json` reads."""
    return {
        "run_id": summary.run_id,
        "cohort": summary.cohort,
        "key_id": summary.key_id,
        "policy_id": summary.policy_id,
        "algorithm": summary.algorithm,
        "code_version": summary.code_version,
        "detector_version": summary.detector_version,
        "detection": list(summary.detection),
        "started": summary.started.isoformat(),
        "ended": summary.ended.isoformat(),
        "seconds": summary.seconds,
        "workers": summary.workers,
        "notes": {outcome.value: summary.tally.outcomes[outcome.value] for outcome in Outcome},
        "unaccounted": summary.unaccounted,
        "quarantine_share": summary.quarantine_share,
        "max_quarantine_share": summary.max_quarantine_share,
        "within_limit": summary.within_limit,
        "review": summary.review,
        "reevaluation": summary.reevaluation,
        "held": list(summary.held),
        "waiting": summary.waiting,
        "energy": summary.energy and summary.energy.to_json(),
        "objections": dict(summary.objections) if summary.objections is not None else None,
        "backfill": dict(summary.backfill) if summary.backfill is not None else None,
        "tables": summary.tables,
        "counts": summary.tally.to_json(),
    }


def write_report(
    summary: RunSummary,
    folder: Path,
    background: RunBackground = NO_BACKGROUND,
    *,
    mode: int = OWNER_FILE,
) -> Path:
    """Write `report.html` and `report.json` into a folder; returns the path of the page.

    They have the mode given, whatever the umask. Files are written atomically. Raises Unavailable
    when the folder cannot be written.
    """
    page = folder / "report.html"
    content = json.dumps(to_json(summary), indent=1) + "\n"
    write_report_file(page, render(summary, background), mode=mode)
    write_report_file(page.with_suffix(".json"), content, mode=mode)
    return page


def write_report_file(
    path: Path, text: str, what: str = "report.folder", *, mode: int = OWNER_FILE
) -> None:
    """Write a file atomically, and create its folder; raises Unavailable, which names `what`.

    A folder that is created has the mode of the file, with permission to enter.
    """
    try:
        make_folders(path.parent, mode | (mode & 0o444) >> 2)
        write_atomically(path, text.encode("utf-8"), mode)
    except OSError:
        problem = f"{path.name} cannot be written"
        raise Unavailable(what, problem, "check its permissions and free space") from None


def _make_grid(summary: RunSummary) -> Grid:
    tally = summary.tally
    notes = Counter({kind: 0 for _, kind, _ in tally.spans})
    for (kind, _), count in tally.notes.items():
        notes[kind] += count
    # Ties in alphabetical order, so that equal counts always give the same page.
    ranked = sorted(notes, key=lambda kind: (-notes[kind], kind))
    column_of = {kind: kind if n < MOST_KINDS else OTHER_KINDS for n, kind in enumerate(ranked)}
    sizes = Counter(dict.fromkeys(column_of.values(), 0))
    for (kind, _), count in tally.notes.items():
        sizes[column_of[kind]] += count
    by_cell: dict[tuple[str, str], Counter[str]] = {}
    for (label, kind, day), count in tally.spans.items():
        by_cell.setdefault((label, column_of[kind]), Counter())[day] += count
    axis = make_axis({day for _, day in tally.notes} | {day for _, _, day in tally.spans})
    labels = sorted({label for label, _ in by_cell})
    rows = tuple(_make_row(label, sizes, by_cell, axis=axis) for label in labels)
    return Grid(axis, tuple(sizes.items()), rows)


def _make_row(
    label: str,
    sizes: Mapping[str, int],
    by_cell: dict[tuple[str, str], Counter[str]],
    *,
    axis: ChartAxis,
) -> TableRow:
    days = [by_cell.get((label, kind), Counter()) for kind in sizes]
    values = [sum_by_bin(counts, axis) for counts in days]
    top = max((max(line, default=0) for line in values), default=0)
    cells = tuple(
        TableCell(
            total=counts.total(),
            per_note=counts.total() / notes if notes else 0.0,
            path=draw_bars(line, top, width=_CHART_WIDTH, height=_CHART_HEIGHT),
            hint=_cell_hint(label, kind, line=line, axis=axis),
        )
        for (kind, notes), counts, line in zip(sizes.items(), days, values, strict=True)
    )
    return TableRow(label, sum(cell.total for cell in cells), top, cells)


def _cell_hint(label: str, kind: str, *, line: Sequence[int], axis: ChartAxis) -> str:
    if not axis.bins:
        return f"{label}, {kind}: no dated notes"
    peak = max(range(len(line)), key=line.__getitem__)
    first, last = axis.bins[0], axis.bins[-1]
    return f"{label}, {kind}, {first} to {last}: at most {line[peak]} in {axis.bins[peak]}"


def _list_causes(summary: RunSummary) -> list[Cause]:
    by_cause: dict[tuple[str, str, str], Counter[str]] = {}
    note_ids: dict[tuple[str, str, str], set[str]] = {}
    for (stage, error, reason, kind), count in sorted(summary.tally.quarantine.items()):
        by_cause.setdefault((stage, error, reason), Counter())[kind] += count
        samples = summary.tally.samples.get((stage, error, reason, kind), ())
        note_ids.setdefault((stage, error, reason), set()).update(samples)
    read = summary.tally.outcomes[Outcome.READ.value]
    causes = [
        Cause(
            *cause,
            count=kinds.total(),
            percent=100 * kinds.total() / read if read else 0.0,
            kinds=tuple(kinds.most_common()),
            note_ids=tuple(sorted(note_ids[cause])[:MAX_SAMPLES]),
            remedy=remedy(cause[2]),
        )
        for cause, kinds in by_cause.items()
    ]
    return sorted(causes, key=lambda cause: -cause.count)


def _list_extractions(tally: Tally) -> list[ExtractionRow]:
    by_kind: dict[str, list[int]] = {}
    for (kind, tenth), count in sorted(tally.quality.items()):
        by_kind.setdefault(kind, [0] * 10)[round(float(tenth) * 10)] += count
    return [ExtractionRow(kind, sum(tenths), tuple(tenths)) for kind, tenths in by_kind.items()]


def _list_detectors(tally: Tally) -> list[DetectorRow]:
    found = _count_found(tally)
    by_detector = Counter(tally.detectors)
    for (_, detector), _ in found.items():
        by_detector[detector] += 0
    return [
        DetectorRow(
            name,
            describe_detector(name),
            sum(count for (_, detector), count in found.items() if detector == name),
            kept,
        )
        for name, kept in sorted(by_detector.items(), key=lambda item: (-item[1], item[0]))
    ]


def _list_shares(tally: Tally) -> list[LabelShare]:
    """Return what rules and tagger found, by label; empty without a tagger."""
    found = _count_found(tally)
    if not any(is_tagger(detector) for _, detector in found):
        return []
    by_rules: Counter[str] = Counter()
    by_tagger: Counter[str] = Counter()
    for (label, detector), count in found.items():
        (by_tagger if is_tagger(detector) else by_rules)[label] += count
    kept = sum_labels(tally)
    return [
        LabelShare(label, by_rules[label], by_tagger[label], kept[label])
        for label in sorted(by_rules.keys() | by_tagger.keys() | kept.keys())
    ]


def _count_found(tally: Tally) -> Counter[tuple[str, str]]:
    """Count the spans of released notes, overlaps resolved, by label and detector."""
    found: Counter[tuple[str, str]] = Counter()
    for cell, count in tally.cells.items():
        if cell.measure == "spans":
            found[cell.name, cell.detector] += count
    return found


def _chart_audits(summary: RunSummary) -> IntervalChart | None:
    """Return the chart of all audits; None for fewer than two."""
    audits = (summary.reevaluation or {}).get("audits", ())
    found = [each["zero_leak"] for each in audits]
    return draw_intervals([(each["rate"], each["low"], each["high"]) for each in found])


def _make_bars(amounts: Mapping[str, float], unit: str) -> list[Bar]:
    ranked = sorted(amounts.items(), key=lambda item: (-item[1], item[0]))
    top = max((amount for _, amount in ranked), default=0) or 1
    return [
        Bar(name, _format_amount(amount, unit), 100 * amount / top)
        for name, amount in ranked
        if amount
    ]


def _format_number(value: float, digits: int = 0) -> str:
    return f"{value:,.{digits}f}".replace(",", _THIN_SPACE)


def _format_amount(amount: float, unit: str) -> str:
    if not unit:
        return _format_number(amount)
    digits = 1 if amount >= 1 else 2
    small = amount < 10**-digits / 2
    return f"under {10**-digits:g}{unit}" if small else _format_number(amount, digits) + unit


def _format_short(value: float) -> str:
    """Three digits, and a whole number where there are more before its point."""
    return _format_number(value) if abs(value) >= 1000 else f"{value:.3g}"


def format_duration(seconds: float) -> str:
    """Return a duration for people, such as `2 h 05 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def count_noun(value: float, one: str, many: str = "") -> str:
    """Return a number with its noun; the plural is that with an s unless another is given."""
    return f"{_format_number(value)} {one if value == 1 else many or one + 's'}"


@dataclass(frozen=True)
class InlineScript:
    """A script within pages, and its digest, by which their content security policy allows it."""

    text: str
    digest: str


_FOLDER = Path(__file__).with_name("templates")


def _read_script(name: str) -> InlineScript:
    text = (_FOLDER / f"{name}.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return InlineScript(text, f"sha256-{digest}")


TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_FOLDER),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates of all pages, which share one frame: style sheet, and script for tables."""

TEMPLATES.globals["chart_size"] = (PANEL_WIDTH, PANEL_HEIGHT)
TEMPLATES.globals["scripts"] = {name: _read_script(name) for name in ("tables", "review")}
TEMPLATES.filters["number"] = _format_number
TEMPLATES.filters["short"] = _format_short
TEMPLATES.filters["counted"] = count_noun
TEMPLATES.filters["duration"] = format_duration
TEMPLATES.filters["detector"] = describe_detector
