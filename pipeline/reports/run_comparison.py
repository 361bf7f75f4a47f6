"""Two runs side by side: outcomes, labels, kinds of notes, quarantine, detectors and time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.reports.charts import Panel, make_panel
from pipeline.state.run_summary import Outcome, Tally

_SECOND = 1_000_000
_FACTOR = 10
"""Changes by so much are told as a factor."""


@dataclass(frozen=True)
class ComparedRun:
    """A finished run: its id, the day and time it started, its seconds and its counts."""

    run_id: str
    started: str
    seconds: float
    tally: Tally

    @property
    def released(self) -> int:
        """The number of notes released."""
        return self.tally.outcomes[Outcome.RELEASED.value]


@dataclass(frozen=True)
class ComparedAmount:
    """An amount in the earlier and the later run, each beside its rate.

    `change` is that of the rate, in percent of the earlier one; None where there was none.
    """

    name: str
    amounts: tuple[float, float]
    rates: tuple[float | None, float | None]

    @property
    def change(self) -> float | None:
        """Return the change of the rate in percent."""
        before, after = self.rates
        return None if not before or after is None else 100 * (after / before - 1)


@dataclass(frozen=True)
class ComparedPart:
    """Amounts of one sort; `rate` says what their rates are, `digits` are those of the amounts."""

    title: str
    rate: str
    digits: int
    rows: tuple[ComparedAmount, ...]

    def describe_change(self, row: ComparedAmount) -> str:
        """Describe the change of a rate: in percent, as a factor from ten on, or as `new`.

        An amount that is shown as 0 counts as none: what is measured may be tiny and not 0.
        """
        before, after = (round(amount, self.digits) for amount in row.amounts)
        if row.change is None or not before:
            return "new" if after and not before else "–"
        factor = 1 + row.change / 100
        return f"× {factor:,.0f}" if factor >= _FACTOR else f"{row.change:+.1f} %"


@dataclass(frozen=True)
class RunComparison:
    """The parts in which an earlier and a later run are compared.

    A part is left out where it is empty, or has no rates since one of the runs had no such notes.
    """

    earlier: ComparedRun
    later: ComparedRun
    parts: tuple[ComparedPart, ...]


def compare_runs(earlier: ComparedRun, later: ComparedRun) -> RunComparison:
    """Compare two runs by rates, since nights differ in size."""
    runs = earlier, later
    tallies = [run.tally for run in runs]
    outcomes = [{each.value: tally.outcomes[each.value] for each in Outcome} for tally in tallies]
    planned, read, released = (
        [counts[among.value] for counts in outcomes]
        for among in (Outcome.PLANNED, Outcome.READ, Outcome.RELEASED)
    )
    labels, kinds = map(sum_labels, tallies), map(sum_kinds, tallies)
    detectors, reasons = [tally.detectors for tally in tallies], map(sum_reasons, tallies)
    parts = (
        _compare("Notes", "% of planned", outcomes, among=planned, per=100),
        _compare("Labels", "per released note", [*labels], among=released),
        _compare("Detectors", "per released note", detectors, among=released),
        _compare("Kinds of notes", "% of released", [*kinds], among=released, per=100),
        _compare("Quarantine", "% of read", [*reasons], among=read, per=100),
        _compare("Seconds", "per 1,000 notes read", [*map(_seconds, runs)], among=read, per=1000),
    )
    comparable = tuple(part for part in parts if any(None not in row.rates for row in part.rows))
    return RunComparison(earlier, later, comparable)


def format_comparison(comparison: RunComparison) -> str:
    """Return a comparison as a table for the terminal."""
    ids = [f"run {comparison.earlier.run_id}", f"run {comparison.later.run_id}"]
    lines: list[tuple[str, ...]] = [("", ids[0], "rate", ids[1], "rate", "change")]
    for part in comparison.parts:
        lines.append((f"{part.title}, {part.rate}", "", "", "", "", ""))
        for row in part.rows:
            cells = [
                cell
                for amount, rate in zip(row.amounts, row.rates, strict=True)
                for cell in (f"{amount:.{part.digits}f}", "-" if rate is None else f"{rate:.4g}")
            ]
            change = part.describe_change(row)
            lines.append((f"  {row.name}", *cells, "-" if change == "–" else change))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def sum_labels(tally: Tally) -> Counter[str]:
    """Return the number of replaced identifiers by label."""
    labels: Counter[str] = Counter()
    for (label, _, _), count in tally.spans.items():
        labels[label] += count
    return labels


def sum_kinds(tally: Tally) -> Counter[str]:
    """Return the number of released notes by kind."""
    kinds: Counter[str] = Counter()
    for (kind, _), count in tally.notes.items():
        kinds[kind] += count
    return kinds


def sum_reasons(tally: Tally) -> Counter[str]:
    """Return the number of notes in quarantine by reason."""
    reasons: Counter[str] = Counter()
    for (_, error, reason, _), count in tally.quarantine.items():
        reasons[reason or error] += count
    return reasons


def make_run_panels(runs: Sequence[ComparedRun]) -> list[Panel]:
    """Return small charts over runs, oldest first: notes, quarantine, labels, speed and memory."""
    if len(runs) < 2:
        return []
    refused = [each.tally.outcomes[Outcome.QUARANTINED.value] for each in runs]
    spans = [each.tally.spans.total() for each in runs]
    series: dict[str, list[float | None]] = {
        "Notes released": [each.released for each in runs],
        "Notes in quarantine": [*refused],
        "Quarantine, % of processed": [
            _rate(100 * count, count + each.released)
            for count, each in zip(refused, runs, strict=True)
        ],
        "Identifiers per released note": [
            _rate(count, each.released) for count, each in zip(spans, runs, strict=True)
        ],
        "Notes released per second": [_rate(each.released, each.seconds) for each in runs],
        "Seconds": [each.seconds for each in runs],
        "Peak memory of a worker, MB": [
            max(each.tally.peak_memory.values(), default=0) / 1024 or None for each in runs
        ],
    }
    return [
        make_panel(title, values, total=sum(value or 0 for value in values))
        for title, values in series.items()
    ]


def _compare(
    title: str,
    rate: str,
    amounts: Sequence[Mapping[str, float]],
    *,
    among: Sequence[int],
    per: float = 1,
) -> ComparedPart:
    before, after = amounts
    names = [name for name in {**after, **before} if before.get(name) or after.get(name)]
    if title != "Notes":  # whose order is that of the work
        names.sort(key=lambda name: (-max(before.get(name, 0), after.get(name, 0)), name))
    found = [(name, (before.get(name, 0), after.get(name, 0))) for name in names]
    rows = (
        ComparedAmount(name, pair, (_rate(per * pair[0], among[0]), _rate(per * pair[1], among[1])))
        for name, pair in found
    )
    return ComparedPart(title, rate, int(title == "Seconds"), tuple(rows))


def _seconds(run: ComparedRun) -> dict[str, float]:
    stages = {f"stage {name}": n / _SECOND for name, n in run.tally.microseconds.items()}
    return {"whole run": run.seconds} | stages


def _rate(amount: float, among: float) -> float | None:
    return amount / among if among else None
