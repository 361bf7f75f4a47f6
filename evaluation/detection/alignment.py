"""Alignment of gold and predicted annotations of the same notes, tokenization, and B-cubed."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from record.document import Annotated
from record.errors import ConfigError
from record.span import Span


@dataclass(frozen=True, slots=True)
class BCubed:
    """Agreement of predicted with true clusters, as means over mentions, in [0, 1]."""

    precision: float
    recall: float
    mentions: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def b_cubed(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> BCubed:
    """Compare two clusterings of the same mentions, given as one cluster per mention.

    For each mention, precision is the share of its predicted cluster that belongs to its true
    cluster, recall the share of its true cluster that was predicted (Bagga and Baldwin, 1998).
    Without mentions both are 1. Raises ValueError where the numbers of mentions differ.
    """
    if len(truth) != len(predicted):
        raise ValueError("both clusterings must have the same mentions")
    if not truth:
        return BCubed(1.0, 1.0, 0)
    both = Counter(zip(truth, predicted, strict=True))
    true, found = Counter(truth), Counter(predicted)
    # A pair of clusters with n mentions in common gives each of them n of the cluster's size.
    precision = sum(n * n / found[cluster] for (_, cluster), n in both.items())
    recall = sum(n * n / true[cluster] for (cluster, _), n in both.items())
    return BCubed(precision / len(truth), recall / len(truth), len(truth))


Stretch = tuple[int, int]
"""Start and end in code points, half open."""

# Letters with their accents, digits, or one other character; digits are split from letters.
_TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*|\d+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Pair:
    """One text with its gold and its predicted spans.

    `person_id` and `kind` are those of the gold note.
    """

    note_id: str
    text: str = field(repr=False)
    gold: tuple[Span, ...]
    predicted: tuple[Span, ...]
    person_id: str | None = field(default=None, repr=False)
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PairedNotes:
    """The pairs in the order of the gold notes.

    `missing` counts gold notes without a prediction, whose spans all count as missed; `extra`
    counts predictions without gold, which are not scored.
    """

    pairs: tuple[Pair, ...]
    missing: int
    extra: int


def pair_annotations(
    gold: Iterable[Annotated],
    predicted: Iterable[Annotated],
    labels: Mapping[str, str] | None = None,
) -> PairedNotes:
    """Pair gold and predicted annotations by note id; `labels` renames labels on both sides.

    Raises ConfigError for a duplicate id, or if two texts of one id differ, since offsets would not
    be comparable.
    """
    found = _index_by_id("PRED", predicted)
    wanted = _index_by_id("GOLD", gold)
    pairs = []
    for note_id, annotated in wanted.items():
        other = found.get(note_id)
        text = annotated.document.text
        if other is not None and other.document.text != text:
            problem = f"the text of note {note_id} differs from GOLD"
            raise ConfigError("PRED", problem, "run detection on the texts of GOLD")
        document, spans = annotated.document, other.spans if other else ()
        wanted_spans, spans = _rename_labels(annotated.spans, labels), _rename_labels(spans, labels)
        pairs.append(Pair(note_id, text, wanted_spans, spans, document.person_id, document.kind))
    return PairedNotes(
        tuple(pairs), len(wanted.keys() - found.keys()), len(found.keys() - wanted.keys())
    )


def _index_by_id(name: str, notes: Iterable[Annotated]) -> dict[str, Annotated]:
    found: dict[str, Annotated] = {}
    for note in notes:
        note_id = note.document.note_id
        if note_id in found:
            raise ConfigError(name, f"duplicate note id {note_id}", "give each note a unique id")
        found[note_id] = note
    return found


def _rename_labels(spans: Sequence[Span], labels: Mapping[str, str] | None) -> tuple[Span, ...]:
    if not labels:
        return tuple(spans)
    return tuple(replace(span, label=labels.get(span.label, span.label)) for span in spans)


def tokenize(text: str) -> list[Stretch]:
    """Split a text into words, numbers and single other characters, without white space."""
    return [found.span() for found in _TOKEN.finditer(text)]


def merge_touching_spans(spans: Iterable[Span]) -> list[Stretch]:
    """Return the sorted ranges covered by spans; touching ranges are merged."""
    return _merge(((span.start, span.end) for span in spans), None)


def join_across_signs(spans: Iterable[Span], text: str) -> list[Stretch]:
    """Merge spans that are separated only by characters other than letters and digits."""
    return _merge(((span.start, span.end) for span in spans), text)


def _merge(stretches: Iterable[Stretch], text: str | None) -> list[Stretch]:
    merged: list[Stretch] = []
    for start, end in sorted(stretches):
        if merged and (
            start <= merged[-1][1]
            or (text and not any(char.isalnum() for char in text[merged[-1][1] : start]))
        ):
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


class Coverage:
    """Queries on sorted, disjoint ranges."""

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self._stretches = stretches
        self._starts = [start for start, _ in stretches]

    def parts(self, start: int, end: int) -> list[Stretch]:
        """Return the covered parts of a range."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        parts = []
        for low, high in self._stretches[first:]:
            if low >= end:
                break
            if high > start:
                parts.append((max(low, start), min(high, end)))
        return parts

    def holds(self, start: int, end: int) -> bool:
        """Return whether a range is covered entirely."""
        return self.parts(start, end) == [(start, end)]
