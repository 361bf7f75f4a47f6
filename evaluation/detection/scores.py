"""Scores of predicted spans against gold: exact spans, tokens, and what stayed readable."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest

from evaluation.detection.alignment import Pair
from evaluation.detection.auc import area
from evaluation.detection.identifier_types import WEIGHTS, Strength
from evaluation.detection.intervals import CONFIDENCE, RESAMPLES, ratio_intervals
from evaluation.detection.span_counts import Counts, IsMedical, ScoreTally, count, share


class Confidence:
    """Collects the scores of predicted spans, right and wrong ones.

    Right is a span with start, end and label of a gold one.
    """

    def __init__(self) -> None:
        self._right: list[float] = []
        self._wrong: list[float] = []

    def add(self, pair: Pair) -> None:
        """Take in one note."""
        gold = {(span.start, span.end, span.label) for span in pair.gold}
        for span in pair.predicted:
            is_right = (span.start, span.end, span.label) in gold
            (self._right if is_right else self._wrong).append(span.score)

    def summary(self) -> dict[str, Any]:
        """Return `right` and `wrong`, in numbers of spans, and `auc`.

        That is the chance that of one right and one wrong span the right one has the higher score,
        ties counting half (the statistic of Mann and Whitney, 1947, over all pairs); None where
        there are none of a kind.
        """
        return {
            "right": len(self._right),
            "wrong": len(self._wrong),
            "auc": area(self._right, self._wrong) if self._right and self._wrong else None,
        }


_OVERALL = ("strict_f1", "token_f1", "redacted", "fully_redacted")


def score(
    pairs: Iterable[Pair], is_medical: IsMedical | None = None, *, resamples: int = RESAMPLES
) -> dict[str, Any]:
    """Score a corpus; returns one object with the keys of `cryptonym evaluate --json`.

    `strict` wants the same start, end and label, `unlabelled` the same start and end, `merged`
    the same after spans with only signs between them were joined on both sides. Tokens are words,
    numbers and single signs, never white space. A token is gold where a gold span touches it, and
    redacted where predicted spans of any label cover all of that; `token` wants the label, too.
    `redacted` is the share of gold tokens that are. A document is fully redacted when all of its
    gold tokens are; `low` and `high` bound the rate at 95 % (Wilson 1927), over documents with a
    gold span. `over_redaction` counts tokens that predicted spans touch and gold spans do not, in
    1,000 tokens. `leaks` are the gold spans with a token that is not redacted.

    `fully_redacted_files` is the share of patients all of whose documents are; a note without a
    person counts as its own patient. `intervals` come from resampling patients. `confusion` counts
    tokens by gold label and the label of the predicted span that touches them, `nothing` where
    there is none. `over_redaction_medical` wants `is_medical` and is None without it. A leak weighs
    what `evaluation.detection.identifier_types` says. `confidence` tells whether the scores of
    predicted spans order their errors.
    """
    total, confidence = Counts(), Confidence()
    by_kind: defaultdict[str, Counts] = defaultdict(Counts)
    by_patient: defaultdict[tuple[str, str], Counts] = defaultdict(Counts)
    for pair in pairs:
        found = count(pair, is_medical)
        confidence.add(pair)
        person = ("note", pair.note_id) if pair.person_id is None else ("person", pair.person_id)
        for counts in (total, by_kind[pair.kind], by_patient[person]):
            counts.add(found)
    patients = list(by_patient.values())
    labels = sorted(total.labels)
    bounds = _bounds(patients, labels, resamples)
    return {
        **_summary(total),
        "per_label": {name: _per_label(total, name, bounds) for name in labels},
        "per_kind": {name: _summary(by_kind[name]) for name in sorted(by_kind)},
        "leaks": total.leaks,
        "notes": total.numbers["notes"],
        "fully_redacted_files": _files(patients),
        "intervals": {name: bounds[name, ""] for name in _OVERALL}
        | {"patients": len(patients), "resamples": resamples, "confidence": CONFIDENCE},
        "confusion": _confusion(total),
        "over_redaction_medical": _medical(total) if is_medical else None,
        "leaks_by_strength": {kind.value: _strength(total, kind) for kind in Strength},
        "weighted_leaks": _weighted(total),
        "confidence": confidence.summary(),
    }


def tabulate(scores: Mapping[str, Any]) -> str:
    """Return scores as lines for people to read."""
    fully, files = scores["fully_redacted"], scores["fully_redacted_files"]
    medical, strengths = scores["over_redaction_medical"], scores["leaks_by_strength"]
    lines = [f"{'':<18}{_COLUMNS}"]
    lines += [_row(name, scores[name]) for name in ("strict", "unlabelled", "merged", "token")]
    lines += [
        "",
        f"redacted           {scores['redacted']:.4f} of the gold tokens, whatever the label",
        f"fully redacted     {fully['rate']:.4f} {_within(fully)} "
        f"of {fully['documents']} notes with a gold span",
        f"whole files        {files['rate']:.4f} {_within(files)} "
        f"of {files['patients']} patients with a gold span",
        f"over-redaction     {scores['over_redaction']:.2f} of 1,000 tokens"
        + (f"; {medical['per_1000']:.2f} of 1,000 medical terms" if medical else ""),
        f"leaks              {len(scores['leaks'])} gold spans not wholly covered: "
        + ", ".join(f"{strengths[kind]['leaked']} {kind}" for kind in strengths)
        + f"; weighted {scores['weighted_leaks']['rate']:.4f}",
        _ordered(scores["confidence"]),
        "",
        f"95 % intervals over {scores['intervals']['patients']} patients",
        *(f"{name:<18} {_within(scores['intervals'][name])}" for name in _OVERALL),
        "",
        f"{'by label, strict':<18}{_COLUMNS}",
    ]
    lines += [_row(name, found) for name, found in scores["per_label"].items()]
    if calibrated := scores.get("calibration"):
        lines += ["", _threshold(calibrated)]
    lines += ["", f"{'by kind of note':<18}{'notes':>10}{'strict F1':>10}{'redacted':>10}"]
    lines[-1] += "  fully redacted"
    for name, found in scores["per_kind"].items():
        lines.append(
            f"{name or 'not named':<18}{found['fully_redacted']['documents']:>10}"
            f"{found['strict']['f1']:>10.4f}{found['redacted']:>10.4f}"
            f"  {found['fully_redacted']['rate']:.4f} {_within(found['fully_redacted'])}"
        )
    return "\n".join(lines)


def _ordered(confidence: Mapping[str, Any]) -> str:
    auc, wrong = confidence["auc"], confidence["wrong"]
    told = "not told: none is wrong, or none is right" if auc is None else f"{auc:.4f}"
    return f"order of errors    {told} (AUC of scores; {wrong} predicted spans are wrong)"


_COLUMNS = f"{'precision':>10}{'recall':>10}{'F1':>10}{'tp':>8}{'fp':>8}{'fn':>8}"


def _row(name: str, found: Mapping[str, Any]) -> str:
    shares = "".join(f"{found[key]:>10.4f}" for key in ("precision", "recall", "f1"))
    return f"{name:<18}{shares}" + "".join(f"{found[key]:>8}" for key in ("tp", "fp", "fn"))


def _threshold(found: Mapping[str, Any]) -> str:
    return (
        f"threshold          {found['threshold']:.3f} for an expected share of at most "
        f"{found['alpha']:g} of a note's gold tokens missed (here {found['risk']:.4f}, bound "
        f"{found['bound']:.4f}, {found['documents']} notes)"
    )


def _within(bounds: Mapping[str, float]) -> str:
    return f"({bounds['low']:.4f} to {bounds['high']:.4f})"


def _summary(counts: Counts) -> dict[str, Any]:
    numbers = counts.numbers
    tallies: dict[str, ScoreTally] = {
        "strict": counts.strict,
        "unlabelled": counts.unlabelled,
        "merged": counts.merged,
        "token": counts.token,
    }
    return {
        **{name: tally.to_json() for name, tally in tallies.items()},
        "redacted": share(numbers["redacted"], numbers["gold"]),
        "fully_redacted": _fully(numbers["safe"], numbers["documents"]),
        "over_redaction": 1000 * share(numbers["over"], numbers["tokens"]),
    }


def _bounds(
    patients: Sequence[Counts], labels: Sequence[str], resamples: int
) -> dict[tuple[str, str], dict[str, float]]:
    """Bound the scores of the corpus (under no label) and of each label."""
    keys = [(name, "") for name in _OVERALL]
    keys += [(name, label) for label in labels for name in ("f1", "redacted")]
    parts = np.zeros((len(patients), len(keys), 2))
    places = {key: place for place, key in enumerate(keys)}
    for row, counts in zip(parts, patients, strict=True):
        numbers = counts.numbers
        row[0], row[1] = counts.strict.f1_parts(), counts.token.f1_parts()
        row[2] = numbers["redacted"], numbers["gold"]
        row[3] = numbers["safe"], numbers["documents"]
        for label, found in counts.labels.items():
            row[places["f1", label]] = found.spans.f1_parts()
            row[places["redacted", label]] = found.redacted, found.gold_tokens
    bounds = ratio_intervals(parts, resamples=resamples)
    return {
        key: {"low": float(low), "high": float(high)}
        for key, (low, high) in zip(keys, bounds, strict=True)
    }


def _fully(safe: int, documents: int, what: str = "documents") -> dict[str, float | int]:
    low, high = 0.0, 1.0
    if documents:
        interval = binomtest(safe, documents).proportion_ci(CONFIDENCE, method="wilson")
        low, high = float(interval.low), float(interval.high)
    return {"rate": share(safe, documents), "low": low, "high": high, what: documents}


def _files(patients: Iterable[Counts]) -> dict[str, float | int]:
    files = [counts.numbers for counts in patients if counts.numbers["documents"]]
    safe = sum(numbers["safe"] == numbers["documents"] for numbers in files)
    return _fully(safe, len(files), "patients")


def _per_label(
    counts: Counts, name: str, bounds: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    found = counts.labels[name]
    return {
        **found.spans.to_json(),
        "token": found.tokens.to_json(),
        "redacted": share(found.redacted, found.gold_tokens),
        "gold_tokens": found.gold_tokens,
        "intervals": {key: bounds[key, name] for key in ("f1", "redacted")},
    }


def _confusion(counts: Counts) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (gold, predicted), number in sorted(counts.confusion.items()):
        table.setdefault(gold, {})[predicted] = number
    return table


def _medical(counts: Counts) -> dict[str, float | int]:
    numbers = counts.numbers
    return {
        "terms": numbers["medical"],
        "redacted": numbers["medical_over"],
        "per_1000": 1000 * share(numbers["medical_over"], numbers["medical"]),
        "share_of_over_redaction": share(numbers["medical_over"], numbers["over"]),
    }


def _strength(counts: Counts, kind: Strength) -> dict[str, Any]:
    numbers = counts.numbers
    spans, leaked = numbers[f"{kind}_spans"], numbers[f"{kind}_leaked"]
    return {
        "spans": spans,
        "leaked": leaked,
        "rate": share(leaked, spans),
        "fully_redacted": _fully(numbers[f"{kind}_safe"], numbers[f"{kind}_documents"]),
    }


def _weighted(counts: Counts) -> dict[str, Any]:
    weights = {kind.value: weight for kind, weight in WEIGHTS.items()}
    leaked, spans = (
        sum(weight * counts.numbers[f"{kind}_{what}"] for kind, weight in weights.items())
        for what in ("leaked", "spans")
    )
    return {"rate": share(leaked, spans), "weights": weights}
