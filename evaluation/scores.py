"""Scores of predicted spans against gold: exact spans, tokens, and what stayed readable."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scipy.stats import binomtest

from evaluation.align import Cover, Pair, join, tokenize, union
from record.span import Span

_CONFIDENCE = 0.95


@dataclass(slots=True)
class Tally:
    """True positives, false positives and false negatives; a share of nothing is 0."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def add(self, gold: set[Any], predicted: set[Any]) -> None:
        """Count what both have and what only one has."""
        both = len(gold & predicted)
        self.tp += both
        self.fp += len(predicted) - both
        self.fn += len(gold) - both

    def to_json(self) -> dict[str, float | int]:
        """Give precision, recall, F1 and the counts they come from."""
        return {
            "precision": _share(self.tp, self.tp + self.fp),
            "recall": _share(self.tp, self.tp + self.fn),
            "f1": _share(2 * self.tp, 2 * self.tp + self.fp + self.fn),
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
        }


@dataclass(slots=True)
class _Label:
    spans: Tally = field(default_factory=Tally)
    tokens: Tally = field(default_factory=Tally)
    gold_tokens: int = 0
    redacted: int = 0


@dataclass(slots=True)
class _Corpus:
    """What is added up over the documents (micro average)."""

    strict: Tally = field(default_factory=Tally)
    unlabelled: Tally = field(default_factory=Tally)
    merged: Tally = field(default_factory=Tally)
    token: Tally = field(default_factory=Tally)
    labels: defaultdict[str, _Label] = field(default_factory=lambda: defaultdict(_Label))
    counts: Counter[str] = field(default_factory=Counter)
    leaks: list[dict[str, Any]] = field(default_factory=list)


def score(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Score a corpus; gives one object with the keys of `cryptonym evaluate --json`.

    `strict` wants the same start, end and label, `unlabelled` the same start and end, `merged`
    the same after spans with only signs between them were joined on both sides. Tokens are words,
    numbers and single signs, never white space. A token is gold where a gold span touches it, and
    redacted where predicted spans of any label cover all of that; `token` wants the label, too.
    `redacted` is the share of gold tokens that are. A document is fully redacted when all of its
    gold tokens are; `low` and `high` bound the rate at 95 % (Wilson 1927), over documents with a
    gold span. `over_redaction` counts tokens that predicted spans touch and gold spans do not, in
    1,000 tokens. `leaks` are the gold spans with a token that is not redacted.
    """
    corpus = _Corpus()
    for pair in pairs:
        _add_spans(corpus, pair)
        _add_tokens(corpus, pair)
    counts = corpus.counts
    return {
        "strict": corpus.strict.to_json(),
        "unlabelled": corpus.unlabelled.to_json(),
        "merged": corpus.merged.to_json(),
        "token": corpus.token.to_json(),
        "redacted": _share(counts["redacted"], counts["gold"]),
        "fully_redacted": _fully(counts["safe"], counts["documents"]),
        "over_redaction": 1000 * _share(counts["over"], counts["tokens"]),
        "per_label": {name: _per_label(corpus.labels[name]) for name in sorted(corpus.labels)},
        "leaks": corpus.leaks,
    }


def tabulate(scores: Mapping[str, Any]) -> str:
    """Give scores as lines for people to read."""
    lines = [f"{'':<18}{'precision':>10}{'recall':>10}{'F1':>10}{'tp':>8}{'fp':>8}{'fn':>8}"]
    lines += [_row(name, scores[name]) for name in ("strict", "unlabelled", "merged", "token")]
    fully = scores["fully_redacted"]
    lines += [
        "",
        f"redacted           {scores['redacted']:.4f} of the gold tokens, whatever the label",
        f"fully redacted     {fully['rate']:.4f} ({fully['low']:.4f} to {fully['high']:.4f}) "
        f"of {fully['documents']} notes with a gold span",
        f"over-redaction     {scores['over_redaction']:.2f} of 1,000 tokens",
        f"leaks              {len(scores['leaks'])} gold spans not wholly covered",
        "",
        f"by label, strict  {'precision':>10}{'recall':>10}{'F1':>10}{'tp':>8}{'fp':>8}{'fn':>8}",
    ]
    return "\n".join(lines + [_row(name, found) for name, found in scores["per_label"].items()])


def _row(name: str, found: Mapping[str, Any]) -> str:
    shares = "".join(f"{found[key]:>10.4f}" for key in ("precision", "recall", "f1"))
    return f"{name:<18}{shares}" + "".join(f"{found[key]:>8}" for key in ("tp", "fp", "fn"))


def _add_spans(corpus: _Corpus, pair: Pair) -> None:
    gold = {(span.start, span.end, span.label) for span in pair.gold}
    predicted = {(span.start, span.end, span.label) for span in pair.predicted}
    corpus.strict.add(gold, predicted)
    corpus.unlabelled.add({key[:2] for key in gold}, {key[:2] for key in predicted})
    corpus.merged.add(set(join(pair.gold, pair.text)), set(join(pair.predicted, pair.text)))
    for label in {key[2] for key in gold | predicted}:
        corpus.labels[label].spans.add(
            {key for key in gold if key[2] == label}, {key for key in predicted if key[2] == label}
        )


def _add_tokens(corpus: _Corpus, pair: Pair) -> None:
    tokens = tokenize(pair.text)
    gold, predicted = Cover(union(pair.gold)), Cover(union(pair.predicted))
    wanted, given = _labels(pair.gold, tokens), _labels(pair.predicted, tokens)
    corpus.counts["tokens"] += len(tokens)
    for number, (start, end) in enumerate(tokens):
        label, other = wanted.get(number), given.get(number)
        if label is None:
            corpus.counts["over"] += other is not None
            _add_token(corpus, label, other, is_hit=False)
            continue
        is_redacted = all(predicted.holds(*part) for part in gold.parts(start, end))
        corpus.counts["gold"] += 1
        corpus.counts["redacted"] += is_redacted
        corpus.labels[label].gold_tokens += 1
        corpus.labels[label].redacted += is_redacted
        _add_token(corpus, label, other, is_hit=is_redacted and label == other)
    starts = [start for start, _ in tokens]
    leaks = [
        span
        for span in sorted(set(pair.gold))
        if not _is_safe(span, [tokens[at] for at in _touched(span, tokens, starts)], predicted)
    ]
    corpus.counts["documents"] += bool(pair.gold)
    corpus.counts["safe"] += bool(pair.gold) and not leaks
    corpus.leaks += [
        {"label": leak.label, "note_id": pair.note_id, "start": leak.start, "end": leak.end}
        for leak in leaks
    ]


def _add_token(corpus: _Corpus, label: str | None, other: str | None, *, is_hit: bool) -> None:
    if is_hit and label is not None:
        corpus.token.tp += 1
        corpus.labels[label].tokens.tp += 1
        return
    if label is not None:
        corpus.token.fn += 1
        corpus.labels[label].tokens.fn += 1
    if other is not None:
        corpus.token.fp += 1
        corpus.labels[other].tokens.fp += 1


def _labels(spans: Sequence[Span], tokens: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Give each token that spans touch one label: that of the longest span, then the leftmost."""
    ranked = sorted(set(spans), key=lambda s: (s.start - s.end, s.start, s.label))
    labels: dict[int, str] = {}
    starts = [start for start, _ in tokens]
    for span in ranked:
        for number in _touched(span, tokens, starts):
            labels.setdefault(number, span.label)
    return labels


def _touched(span: Span, tokens: Sequence[tuple[int, int]], starts: Sequence[int]) -> range:
    # Tokens are sorted and disjoint: those that end after the start and start before the end.
    first = bisect_right(starts, span.start)
    if first and tokens[first - 1][1] > span.start:
        first -= 1
    return range(first, bisect_left(starts, span.end))


def _is_safe(span: Span, tokens: Sequence[tuple[int, int]], predicted: Cover) -> bool:
    return all(predicted.holds(max(start, span.start), min(end, span.end)) for start, end in tokens)


def _fully(safe: int, documents: int) -> dict[str, float | int]:
    low, high = 0.0, 1.0
    if documents:
        interval = binomtest(safe, documents).proportion_ci(_CONFIDENCE, method="wilson")
        low, high = float(interval.low), float(interval.high)
    rate = _share(safe, documents)
    return {"rate": rate, "low": low, "high": high, "documents": documents}


def _per_label(label: _Label) -> dict[str, Any]:
    return {
        **label.spans.to_json(),
        "token": label.tokens.to_json(),
        "redacted": _share(label.redacted, label.gold_tokens),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
