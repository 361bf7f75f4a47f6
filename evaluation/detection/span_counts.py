"""Counts of spans and tokens found, missed and falsely detected in notes, and their sums."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.detection.alignment import (
    Coverage,
    Pair,
    Stretch,
    join_across_signs,
    merge_touching_spans,
    tokenize,
)
from evaluation.detection.identifier_types import IdentifierType, identifier_type
from record.label import is_marked
from record.span import Span

NOTHING = "nothing"
"""Label in a confusion matrix for tokens without a gold, or without a predicted, label."""

IsMedical = Callable[[str], bool]
"""Returns whether a word, as written, is a medical term."""


@dataclass(slots=True)
class ScoreTally:
    """True positives, false positives and false negatives; empty ratios are 0."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def compare(self, gold: set[Any], predicted: set[Any]) -> None:
        """Count the common elements and those of one side only."""
        both = len(gold & predicted)
        self.tp += both
        self.fp += len(predicted) - both
        self.fn += len(gold) - both

    def add(self, other: "ScoreTally") -> None:
        """Add the counts of another."""
        self.tp += other.tp
        self.fp += other.fp
        self.fn += other.fn

    def f1_parts(self) -> tuple[int, int]:
        """Return numerator and denominator of F1."""
        return 2 * self.tp, 2 * self.tp + self.fp + self.fn

    def to_json(self) -> dict[str, float | int]:
        """Return precision, recall, F1 and the counts they come from."""
        return {
            "precision": safe_ratio(self.tp, self.tp + self.fp),
            "recall": safe_ratio(self.tp, self.tp + self.fn),
            "f1": safe_ratio(*self.f1_parts()),
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
        }


@dataclass(slots=True)
class LabelCounts:
    """Exact spans and tokens of one label, and how many of its gold tokens are redacted."""

    spans: ScoreTally = field(default_factory=ScoreTally)
    tokens: ScoreTally = field(default_factory=ScoreTally)
    gold_tokens: int = 0
    redacted: int = 0

    def add(self, other: "LabelCounts") -> None:
        """Add the counts of another."""
        self.spans.add(other.spans)
        self.tokens.add(other.tokens)
        self.gold_tokens += other.gold_tokens
        self.redacted += other.redacted


@dataclass(slots=True)
class Counts:
    """All counts of one or several notes (micro average).

    `numbers` holds `notes`; `tokens`, `gold` tokens and `redacted` ones, false positive tokens
    (`over`), and the same for medical terms outside gold (`medical`, `medical_over`); `documents`
    with a gold span and how many of them are `safe`; the same for each identifier type
    (`direct_documents`, `direct_safe`) with its gold spans and those that leak (`direct_spans`,
    `direct_leaked`); `marked` predicted spans, which no score by label counts. `confusion` counts
    tokens by gold and predicted label. `leaks` are gold spans in order.
    """

    strict: ScoreTally = field(default_factory=ScoreTally)
    unlabelled: ScoreTally = field(default_factory=ScoreTally)
    merged: ScoreTally = field(default_factory=ScoreTally)
    token: ScoreTally = field(default_factory=ScoreTally)
    labels: defaultdict[str, LabelCounts] = field(default_factory=lambda: defaultdict(LabelCounts))
    numbers: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    leaks: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: "Counts") -> None:
        """Add the counts of another."""
        self.strict.add(other.strict)
        self.unlabelled.add(other.unlabelled)
        self.merged.add(other.merged)
        self.token.add(other.token)
        for label, found in other.labels.items():
            self.labels[label].add(found)
        self.numbers.update(other.numbers)
        self.confusion.update(other.confusion)
        self.leaks += other.leaks


def count_note(pair: Pair, is_medical: IsMedical | None = None) -> Counts:
    """Count one note; `evaluation.detection.scores.score_pairs` defines each count."""
    counts = Counts()
    gold = {(span.start, span.end, span.label) for span in pair.gold}
    predicted = {
        (span.start, span.end, span.label) for span in pair.predicted if not is_marked(span.label)
    }
    counts.strict.compare(gold, predicted)
    counts.unlabelled.compare(
        {key[:2] for key in gold}, {(span.start, span.end) for span in pair.predicted}
    )
    counts.numbers["marked"] += sum(is_marked(span.label) for span in pair.predicted)
    counts.merged.compare(
        set(join_across_signs(pair.gold, pair.text)),
        set(join_across_signs(pair.predicted, pair.text)),
    )
    for label in {key[2] for key in gold | predicted}:
        counts.labels[label].spans.compare(
            {key for key in gold if key[2] == label}, {key for key in predicted if key[2] == label}
        )
    _count_tokens(counts, pair, is_medical)
    _count_leaks(counts, pair)
    return counts


def find_missed(pair: Pair) -> list[Span]:
    """Return the gold spans of which a token, or part of one, is not covered by predicted spans."""
    tokens = tokenize(pair.text)
    starts = [start for start, _ in tokens]
    predicted = Coverage(merge_touching_spans(pair.predicted))
    return [
        span
        for span in sorted(set(pair.gold))
        if not all(
            predicted.holds(max(start, span.start), min(end, span.end))
            for start, end in [tokens[at] for at in _touched_tokens(span, tokens, starts)]
        )
    ]


def safe_ratio(part: float, whole: float) -> float:
    """Divide; return 0 for an empty whole."""
    return part / whole if whole else 0.0


def _count_tokens(counts: Counts, pair: Pair, is_medical: IsMedical | None) -> None:
    tokens = tokenize(pair.text)
    gold, predicted = (
        Coverage(merge_touching_spans(pair.gold)),
        Coverage(merge_touching_spans(pair.predicted)),
    )
    wanted = _label_tokens(pair.gold, tokens)
    marked = [span for span in pair.predicted if is_marked(span.label)]
    labelled = [span for span in pair.predicted if not is_marked(span.label)]
    given = _label_tokens(marked, tokens) | _label_tokens(labelled, tokens)
    numbers = counts.numbers
    numbers["tokens"] += len(tokens)
    for number, (start, end) in enumerate(tokens):
        label, other = wanted.get(number), given.get(number)
        if label is not None or other is not None:
            counts.confusion[label or NOTHING, other or NOTHING] += 1
        if label is None:
            numbers["over"] += other is not None
            if is_medical and is_medical(pair.text[start:end]):
                numbers["medical"] += 1
                numbers["medical_over"] += other is not None
            _count_token(counts, label, other, is_hit=False)
            continue
        is_redacted = all(predicted.holds(*part) for part in gold.parts(start, end))
        numbers["gold"] += 1
        numbers["redacted"] += is_redacted
        counts.labels[label].gold_tokens += 1
        counts.labels[label].redacted += is_redacted
        _count_token(counts, label, other, is_hit=is_redacted and label == other)


def _count_leaks(counts: Counts, pair: Pair) -> None:
    gold, leaks, numbers = set(pair.gold), find_missed(pair), counts.numbers
    numbers["notes"] += 1
    numbers["documents"] += bool(gold)
    numbers["safe"] += bool(gold) and not leaks
    for kind in IdentifierType:
        spans = sum(identifier_type(span.label) is kind for span in gold)
        leaked = sum(identifier_type(span.label) is kind for span in leaks)
        numbers[f"{kind}_spans"] += spans
        numbers[f"{kind}_leaked"] += leaked
        numbers[f"{kind}_documents"] += bool(spans)
        numbers[f"{kind}_safe"] += bool(spans) and not leaked
    counts.leaks = [
        {"label": leak.label, "note_id": pair.note_id, "start": leak.start, "end": leak.end}
        for leak in leaks
    ]


def _count_token(counts: Counts, label: str | None, other: str | None, *, is_hit: bool) -> None:
    if is_hit and label is not None:
        counts.token.tp += 1
        counts.labels[label].tokens.tp += 1
        return
    if label is not None:
        counts.token.fn += 1
        counts.labels[label].tokens.fn += 1
    if other is not None and not is_marked(other):
        counts.token.fp += 1
        counts.labels[other].tokens.fp += 1


def _label_tokens(spans: Sequence[Span], tokens: Sequence[Stretch]) -> dict[int, str]:
    """Return the label of each token touched by spans: of the longest, then leftmost span."""
    ranked = sorted(set(spans), key=lambda s: (s.start - s.end, s.start, s.label))
    labels: dict[int, str] = {}
    starts = [start for start, _ in tokens]
    for span in ranked:
        for number in _touched_tokens(span, tokens, starts):
            labels.setdefault(number, span.label)
    return labels


def _touched_tokens(span: Span, tokens: Sequence[Stretch], starts: Sequence[int]) -> range:
    # Tokens are sorted and disjoint: those that end after the start and start before the end.
    first = bisect_right(starts, span.start)
    if first and tokens[first - 1][1] > span.start:
        first -= 1
    return range(first, bisect_left(starts, span.end))
