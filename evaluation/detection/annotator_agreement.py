"""Agreement of two annotators of the same notes: exact spans, tokens, Cohen's kappa, mismatches."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from evaluation.detection.alignment import Pair
from evaluation.detection.span_counts import NOTHING, Counts, ScoreTally, count_note
from record.span import Span

Answer = TypeVar("Answer", bound=Hashable)
MismatchKind = Literal["missing", "label", "border", "border and label"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A place where two annotators differ: what each of them marked there, one of them perhaps
    nothing.

    `start` and `end` are the extent of all that was marked.
    """

    note_id: str
    start: int
    end: int
    first: tuple[Span, ...]
    second: tuple[Span, ...]

    @property
    def kind(self) -> MismatchKind:
        """Return in what they differ; `missing` where one of them marked nothing."""
        if not self.first or not self.second:
            return "missing"
        is_same_extent = _extents(self.first) == _extents(self.second)
        if is_same_extent:
            return "label"
        labels = ({span.label for span in side} for side in (self.first, self.second))
        return "border" if len(set(map(frozenset, labels))) == 1 else "border and label"


def find_mismatches(pair: Pair) -> list[Mismatch]:
    """Return where two annotations of a note differ, in order; `gold` is the first annotator.

    Differing spans that overlap, directly or by way of others, are one mismatch.
    """
    first, second = (_without_origin(spans) for spans in (pair.gold, pair.predicted))
    found: list[Mismatch] = []
    for span in sorted(first ^ second):
        ours: tuple[Span, ...] = (span,) if span in first else ()
        theirs: tuple[Span, ...] = () if span in first else (span,)
        if found and span.start < found[-1].end:
            last = found.pop()
            end = max(last.end, span.end)
            ours, theirs = last.first + ours, last.second + theirs
            found.append(Mismatch(pair.note_id, last.start, end, ours, theirs))
        else:
            found.append(Mismatch(pair.note_id, span.start, span.end, ours, theirs))
    return found


def measure_annotators(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Measure how far two annotators agree; `gold` is the first of them, `predicted` the second.

    `exact` compares start, end and label of spans, `token` the label of each word, number or
    sign; both over all labels (micro average) and for each in `per_label`. Neither annotator is
    right: F1 is the same whichever comes first. `kappa` is Cohen's over all tokens, unmarked ones
    included; for one label against everything else. It is None where chance alone would agree on
    everything. Empty annotations agree: F1 is 1.
    """
    total = Counts()
    for pair in pairs:
        total.add(count_note(pair))
    table = Counter(total.confusion)
    table[NOTHING, NOTHING] += total.numbers["tokens"] - table.total()
    labels = sorted(total.labels)
    return {
        "notes": total.numbers["notes"],
        **_measure(total.strict, _sum_tokens(table, labels), table),
        "per_label": {
            label: _measure(
                total.labels[label].spans,
                _sum_tokens(table, [label]),
                _one_against_all(table, label),
            )
            for label in labels
        },
    }


def cohens_kappa(table: Mapping[tuple[Answer, Answer], int]) -> float:
    """Return Cohen's kappa (1960) of counted pairs of answers; NaN if expected agreement is 1."""
    total = sum(table.values())
    if not total:
        return math.nan
    first: Counter[Answer] = Counter()
    second: Counter[Answer] = Counter()
    for (one, other), count in table.items():
        first[one] += count
        second[other] += count
    expected = sum(first[value] * second[value] for value in first) / total**2
    if expected == 1:
        return math.nan
    observed = sum(count for (one, other), count in table.items() if one == other) / total
    return (observed - expected) / (1 - expected)


def _measure(
    exact: ScoreTally, token: ScoreTally, table: Mapping[tuple[Answer, Answer], int]
) -> dict[str, Any]:
    kappa = cohens_kappa(table)
    return {
        "exact": _to_json(exact),
        "token": _to_json(token),
        "kappa": None if math.isnan(kappa) else kappa,
    }


def _to_json(tally: ScoreTally) -> dict[str, float | int]:
    agreed, all_ = tally.f1_parts()
    return {
        "f1": agreed / all_ if all_ else 1.0,
        "both": tally.tp,
        "first_only": tally.fn,
        "second_only": tally.fp,
    }


def _sum_tokens(table: Mapping[tuple[str, str], int], labels: Iterable[str]) -> ScoreTally:
    """Count the tokens of some labels; where both have different ones, each has one of its own."""
    tally = ScoreTally()
    for label in labels:
        both = table.get((label, label), 0)
        tally.add(
            ScoreTally(
                both,
                sum(count for (_, other), count in table.items() if other == label) - both,
                sum(count for (one, _), count in table.items() if one == label) - both,
            )
        )
    return tally


def _one_against_all(
    table: Mapping[tuple[str, str], int], label: str
) -> Counter[tuple[bool, bool]]:
    found: Counter[tuple[bool, bool]] = Counter()
    for (one, other), count in table.items():
        found[one == label, other == label] += count
    return found


def _without_origin(spans: Iterable[Span]) -> set[Span]:
    return {Span(span.start, span.end, span.label) for span in spans}


def _extents(spans: Iterable[Span]) -> set[tuple[int, int]]:
    return {(span.start, span.end) for span in spans}
