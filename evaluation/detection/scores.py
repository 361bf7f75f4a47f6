"""Scores of predicted spans against gold: exact spans, tokens, leaks, over-redaction, maskers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest

from evaluation.detection.alignment import Pair
from evaluation.detection.auc import area_under_curve
from evaluation.detection.identifier_types import WEIGHTS, IdentifierType
from evaluation.detection.intervals import CONFIDENCE, RESAMPLES, ratio_intervals
from evaluation.detection.span_counts import Counts, IsMedical, ScoreTally, count_note, safe_ratio
from evaluation.gate import Axis, Measured
from record.label import RULE_MARK, is_marked


class ConfidenceTally:
    """Collects the scores of predicted spans, correct and wrong ones.

    A span is correct if start, end and label equal those of a gold span.
    """

    def __init__(self) -> None:
        self._right: list[float] = []
        self._wrong: list[float] = []

    def add(self, pair: Pair) -> None:
        """Add the spans of one note."""
        gold = {(span.start, span.end, span.label) for span in pair.gold}
        for span in pair.predicted:
            if is_marked(span.label):
                continue
            is_right = (span.start, span.end, span.label) in gold
            (self._right if is_right else self._wrong).append(span.score)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of `right` and `wrong` spans, and `auc`.

        `auc` is the probability that a correct span has a higher score than a wrong one, ties
        counting half (Mann and Whitney, 1947); None if either kind is missing.
        """
        return {
            "right": len(self._right),
            "wrong": len(self._wrong),
            "auc": area_under_curve(self._right, self._wrong)
            if self._right and self._wrong
            else None,
        }


_OVERALL = ("strict_f1", "token_f1", "redacted", "fully_redacted")


def score_pairs(
    pairs: Iterable[Pair], is_medical: IsMedical | None = None, *, resamples: int = RESAMPLES
) -> dict[str, Any]:
    """Score a corpus; returns an object with the keys of `cryptonym evaluate --json`.

    `strict` requires the same start, end and label, `unlabelled` the same start and end, `merged`
    the same after joining spans on both sides across punctuation. Tokens are words, numbers and
    single other characters. A token is gold where a gold span touches it, and redacted where
    predicted spans of any label cover that part; `token` also requires the label. `redacted` is the
    share of gold tokens that are redacted. A document is fully redacted when all of its gold tokens
    are; `low` and `high` bound the rate at 95 % (Wilson 1927), over documents with a gold span.
    `over_redaction` is the number of tokens per 1,000 touched by predicted but not by gold spans.
    `leaks` are the gold spans with a token that is not redacted. `marked` is the number of spans
    that rules found beside a tagger with labels of its own, and for which it has none
    (`record.label.RULE_MARK`): they count in all but `strict`, `token`, labels and `confidence`.

    `fully_redacted_files` is the share of patients with all documents fully redacted; a note
    without a person counts as its own patient. `intervals` come from resampling patients.
    `confusion` counts tokens by gold label and the label of the predicted span that touches them,
    `nothing` for none. `over_redaction_medical` requires `is_medical` and is None without it. Leaks
    are weighted as `evaluation.detection.identifier_types` defines. `confidence` shows whether the
    scores of predicted spans separate correct from wrong ones.
    """
    total, confidence = Counts(), ConfidenceTally()
    by_kind: defaultdict[str, Counts] = defaultdict(Counts)
    by_patient: defaultdict[tuple[str, str], Counts] = defaultdict(Counts)
    for pair in pairs:
        found = count_note(pair, is_medical)
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
        "marked": total.numbers["marked"],
        "fully_redacted_files": _fully_redacted_files(patients),
        "intervals": {name: bounds[name, ""] for name in _OVERALL}
        | {"patients": len(patients), "resamples": resamples, "confidence": CONFIDENCE},
        "confusion": _confusion(total),
        "over_redaction_medical": _medical_over_redaction(total) if is_medical else None,
        "leaks_by_strength": {kind.value: _leaks_of_type(total, kind) for kind in IdentifierType},
        "weighted_leaks": _weighted_leaks(total),
        "confidence": confidence.summary(),
    }


def format_scores(scores: Mapping[str, Any]) -> str:
    """Return scores as a table for people to read."""
    fully, files = scores["fully_redacted"], scores["fully_redacted_files"]
    medical, strengths = scores["over_redaction_medical"], scores["leaks_by_strength"]
    lines = [f"{'':<18}{_COLUMNS}"]
    lines += [
        _format_row(name, scores[name]) for name in ("strict", "unlabelled", "merged", "token")
    ]
    lines += [
        "",
        f"redacted           {scores['redacted']:.4f} of gold tokens, with any label",
        f"fully redacted     {fully['rate']:.4f} {_format_bounds(fully)} "
        f"of {fully['documents']} notes with a gold span",
        f"whole files        {files['rate']:.4f} {_format_bounds(files)} "
        f"of {files['patients']} patients with a gold span",
        f"over-redaction     {scores['over_redaction']:.2f} per 1,000 tokens"
        + (f"; {medical['per_1000']:.2f} per 1,000 medical terms" if medical else ""),
        f"leaks              {len(scores['leaks'])} gold spans not fully covered: "
        + ", ".join(f"{strengths[kind]['leaked']} {kind}" for kind in strengths)
        + f"; weighted {scores['weighted_leaks']['rate']:.4f}",
        _format_confidence(scores["confidence"]),
        *_format_marked(scores["marked"]),
        "",
        f"95 % intervals over {scores['intervals']['patients']} patients",
        *(f"{name:<18} {_format_bounds(scores['intervals'][name])}" for name in _OVERALL),
        "",
        f"{'by label, strict':<18}{_COLUMNS}",
    ]
    lines += [_format_row(name, found) for name, found in scores["per_label"].items()]
    if calibrated := scores.get("calibration"):
        lines += ["", _format_threshold(calibrated)]
    lines += ["", f"{'by note kind':<18}{'notes':>10}{'strict F1':>10}{'redacted':>10}"]
    lines[-1] += "  fully redacted"
    for name, found in scores["per_kind"].items():
        lines.append(
            f"{name or 'unknown':<18}{found['fully_redacted']['documents']:>10}"
            f"{found['strict']['f1']:>10.4f}{found['redacted']:>10.4f}"
            f"  {found['fully_redacted']['rate']:.4f} {_format_bounds(found['fully_redacted'])}"
        )
    return "\n".join(lines)


def _format_confidence(confidence: Mapping[str, Any]) -> str:
    auc, wrong = confidence["auc"], confidence["wrong"]
    shown = "undefined: all spans are correct, or all are wrong" if auc is None else f"{auc:.4f}"
    return f"confidence AUC     {shown} (scores of correct and wrong spans; {wrong} are wrong)"


def _format_marked(count: int) -> list[str]:
    if not count:
        return []
    return [
        f"rules beside       {count} spans labelled {RULE_MARK}..., as they have none of the "
        "tagger's labels: not in the scores by label"
    ]


_COLUMNS = f"{'precision':>10}{'recall':>10}{'F1':>10}{'tp':>8}{'fp':>8}{'fn':>8}"


def _format_row(name: str, found: Mapping[str, Any]) -> str:
    shares = "".join(f"{found[key]:>10.4f}" for key in ("precision", "recall", "f1"))
    return f"{name:<18}{shares}" + "".join(f"{found[key]:>8}" for key in ("tp", "fp", "fn"))


def _format_threshold(found: Mapping[str, Any]) -> str:
    return (
        f"threshold          {found['threshold']:.3f} for an expected share of at most "
        f"{found['alpha']:g} of a note's gold tokens missed (here {found['risk']:.4f}, bound "
        f"{found['bound']:.4f}, {found['documents']} notes)"
    )


def _format_bounds(bounds: Mapping[str, float]) -> str:
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
        "redacted": safe_ratio(numbers["redacted"], numbers["gold"]),
        "fully_redacted": _fully_redacted(numbers["safe"], numbers["documents"]),
        "over_redaction": 1000 * safe_ratio(numbers["over"], numbers["tokens"]),
    }


def _bounds(
    patients: Sequence[Counts], labels: Sequence[str], resamples: int
) -> dict[tuple[str, str], dict[str, float]]:
    """Return bounds for the scores of the corpus (with an empty label) and of each label."""
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


def _fully_redacted(safe: int, documents: int, what: str = "documents") -> dict[str, float | int]:
    low, high = 0.0, 1.0
    if documents:
        interval = binomtest(safe, documents).proportion_ci(CONFIDENCE, method="wilson")
        low, high = float(interval.low), float(interval.high)
    return {"rate": safe_ratio(safe, documents), "low": low, "high": high, what: documents}


def _fully_redacted_files(patients: Iterable[Counts]) -> dict[str, float | int]:
    files = [counts.numbers for counts in patients if counts.numbers["documents"]]
    safe = sum(numbers["safe"] == numbers["documents"] for numbers in files)
    return _fully_redacted(safe, len(files), "patients")


def _per_label(
    counts: Counts, name: str, bounds: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    found = counts.labels[name]
    return {
        **found.spans.to_json(),
        "token": found.tokens.to_json(),
        "redacted": safe_ratio(found.redacted, found.gold_tokens),
        "gold_tokens": found.gold_tokens,
        "intervals": {key: bounds[key, name] for key in ("f1", "redacted")},
    }


def _confusion(counts: Counts) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (gold, predicted), number in sorted(counts.confusion.items()):
        table.setdefault(gold, {})[predicted] = number
    return table


def _medical_over_redaction(counts: Counts) -> dict[str, float | int]:
    numbers = counts.numbers
    return {
        "terms": numbers["medical"],
        "redacted": numbers["medical_over"],
        "per_1000": 1000 * safe_ratio(numbers["medical_over"], numbers["medical"]),
        "share_of_over_redaction": safe_ratio(numbers["medical_over"], numbers["over"]),
    }


def _leaks_of_type(counts: Counts, kind: IdentifierType) -> dict[str, Any]:
    numbers = counts.numbers
    spans, leaked = numbers[f"{kind}_spans"], numbers[f"{kind}_leaked"]
    return {
        "spans": spans,
        "leaked": leaked,
        "rate": safe_ratio(leaked, spans),
        "fully_redacted": _fully_redacted(numbers[f"{kind}_safe"], numbers[f"{kind}_documents"]),
    }


def _weighted_leaks(counts: Counts) -> dict[str, Any]:
    weights = {kind.value: weight for kind, weight in WEIGHTS.items()}
    leaked, spans = (
        sum(weight * counts.numbers[f"{kind}_{what}"] for kind, weight in weights.items())
        for what in ("leaked", "spans")
    )
    return {"rate": safe_ratio(leaked, spans), "weights": weights}


def measure_masker(pairs: Iterable[Pair], data: str) -> list[Measured]:
    """Measure a masker, whose masked identifiers are the predicted spans, over tokens.

    `masker-recall` is the share of tokens of gold spans that are masked as identifiers, whatever
    the label, with `detail` by gold label; `masker-precision` the share of masked tokens within
    gold spans; `letters-masked` the share of letters with gold spans of which no token was missed.
    Bounds come from resampling persons. Measures without data are not reported.
    """
    total, by_person = Counts(), dict[str, Counts]()
    for pair in pairs:
        found = count_note(pair)
        total.add(found)
        person = f"note {pair.note_id}" if pair.person_id is None else f"person {pair.person_id}"
        by_person.setdefault(person, Counts()).add(found)
    parts = np.array([_ratio_parts(each) for each in by_person.values()], np.float64)
    recalls = {
        f"{label} ({found.gold_tokens})": round(found.redacted / found.gold_tokens, 4)
        for label, found in sorted(total.labels.items())
        if found.gold_tokens
    }
    measured = []
    names = ("masker-recall", "masker-precision", "letters-masked")
    for number, (name, (above, below)) in enumerate(zip(names, _ratio_parts(total), strict=True)):
        if below:
            low, high = ratio_intervals(parts)[number].tolist()
            detail = {**(recalls if not number else {}), "persons": len(by_person)}
            value = above / below
            measured.append(Measured(name, Axis.DETECTION, value, low, high, data, detail=detail))
    return measured


def _ratio_parts(counts: Counts) -> list[tuple[int, int]]:
    """Return numerator and denominator of each share."""
    numbers = counts.numbers
    hits = numbers["redacted"]
    return [
        (hits, numbers["gold"]),
        (hits, hits + numbers["over"]),
        (numbers["safe"], numbers["documents"]),
    ]
