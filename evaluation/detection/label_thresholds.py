"""A threshold for each label of a tagger, with a bound on what is missed.

Scores of a label are first read as a precision, by isotonic regression on one half of the notes
(Zadrozny and Elkan, KDD 2002): the same precision then asks for another score of each label. On the
other half the lowest precision that is accepted is chosen by conformal risk control.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from evaluation.detection.alignment import Coverage, Pair, merge_touching_spans, tokenize
from evaluation.detection.calibration import (
    MODEL,
    CalibratedThreshold,
    calibrate_pairs,
    token_scores,
)
from record.errors import ConfigError
from record.span import Span

FEWEST_TOKENS = 50
"""Labels with fewer predicted tokens are read as all labels together."""

TRACED = (0.01, 0.02, 0.05, *(number / 10 for number in range(1, 10)), 0.95, 0.99)
"""Thresholds at which `trace_thresholds` looks."""

_ANY = ""
_DIGITS = 4


@dataclass(frozen=True)
class LabelThresholds:
    """Thresholds by label, and their guarantee.

    `certified.threshold` is the precision that the least of the spans kept have, whatever their
    label; the bound is that of `CalibratedThreshold`. `fitted` notes gave the precisions.
    """

    by_label: dict[str, float]
    certified: CalibratedThreshold
    fitted: int


def split_by_person(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Split notes into halves of as many persons; a note without a person is one of its own."""
    by_person: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_person[pair.person_id or f"note {pair.note_id}"].append(pair)
    halves: tuple[list[Pair], list[Pair]] = ([], [])
    for number, person in enumerate(sorted(by_person)):
        halves[number % 2].extend(by_person[person])
    return halves


def calibrate_labels(
    fitting: Sequence[Pair], certifying: Sequence[Pair], alpha: float
) -> LabelThresholds:
    """Choose thresholds of all labels so that at most `alpha` of a note's tokens are missed.

    The predictions must hold every span of the tagger down to a low score (`detect --min-score`),
    word by word. The two sets of notes must have no person in common: the bound is that of
    `calibrate_pairs` on the second. Raises ConfigError like it.
    """
    curves = fit_precisions(fitting)
    if not curves:
        problem = "no span of the tagger has a score"
        remedy = "detect with --model and --min-score 0.01"
        raise ConfigError("calibration", problem, remedy)
    read = [
        replace(
            pair,
            predicted=tuple(
                replace(span, score=_precision_of(span.label, span.score, curves))
                if _by_model(span)
                else span
                for span in pair.predicted
            ),
        )
        for pair in certifying
    ]
    certified = calibrate_pairs(read, alpha)
    labels = sorted({s.label for p in [*fitting, *certifying] for s in p.predicted if _by_model(s)})
    by_label = thresholds_at(certified.threshold, labels, curves)
    return LabelThresholds(by_label, certified, len(fitting))


def thresholds_at(
    precision: float, labels: Iterable[str], curves: Mapping[str, "PrecisionCurve"]
) -> dict[str, float]:
    """Return the lowest score of each label with that precision; 1 where no score reaches it."""
    return {label: _least_score(label, precision, curves) for label in labels}


@dataclass(frozen=True)
class PrecisionCurve:
    """The precision of a label's tokens by their score: a step at each of increasing scores."""

    scores: NDArray[np.float64]
    precisions: NDArray[np.float64]

    def at(self, score: float) -> float:
        """Return the precision at a score; below the lowest that was seen it is 0."""
        place = int(np.searchsorted(self.scores, score, side="right")) - 1
        return float(self.precisions[place]) if place >= 0 else 0.0


def fit_precisions(pairs: Iterable[Pair]) -> dict[str, PrecisionCurve]:
    """Fit how precise the tagger's tokens are by label and score; the label "" is all of them.

    A token is right if gold covers it, under whatever label.
    """
    seen: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for pair in pairs:
        gold = Coverage(merge_touching_spans(pair.gold))
        tokens = tokenize(pair.text)
        for span in pair.predicted:
            if not _by_model(span):
                continue
            for start, end in tokens:
                if span.start <= start and end <= span.end:
                    is_right = bool(gold.parts(start, end))
                    seen[span.label].append((span.score, is_right))
                    seen[_ANY].append((span.score, is_right))
    return {
        label: _fit(found)
        for label, found in seen.items()
        if label == _ANY or len(found) >= FEWEST_TOKENS
    }


def _fit(found: Sequence[tuple[float, bool]]) -> PrecisionCurve:
    scores, counts = np.unique([score for score, _ in found], return_counts=True)
    right = np.zeros(len(scores))
    np.add.at(right, np.searchsorted(scores, [score for score, _ in found]), [r for _, r in found])
    return PrecisionCurve(scores, isotonic_regression(right / counts, weights=counts).x)


def _precision_of(label: str, score: float, curves: Mapping[str, PrecisionCurve]) -> float:
    return min(1.0, max(0.0, curves.get(label, curves[_ANY]).at(score)))


def _least_score(label: str, precision: float, curves: Mapping[str, PrecisionCurve]) -> float:
    curve = curves.get(label, curves[_ANY])
    place = int(np.searchsorted(curve.precisions, precision, side="left"))
    if place == len(curve.scores):
        return 1.0
    # Rounded down, so that what was seen at this score stays.
    return float(np.floor(curve.scores[place] * 10**_DIGITS) / 10**_DIGITS)


def _by_model(span: Span) -> bool:
    return span.detector.startswith(MODEL)


@dataclass(frozen=True)
class ThresholdPoint:
    """What one threshold for the scores of all the tagger's spans would leave.

    `recall` is the share of gold tokens that are covered, `touched` the tokens outside gold that
    are, in a thousand of those.
    """

    threshold: float
    recall: float
    touched: float


def trace_thresholds(pairs: Sequence[Pair]) -> list[ThresholdPoint]:
    """Return recall and touched tokens along the threshold; empty if the tagger found nothing."""
    if not any(_by_model(span) for pair in pairs for span in pair.predicted):
        return []
    found = np.concatenate([token_scores(pair) for pair in pairs])
    others = np.concatenate([_scores_outside_gold(pair) for pair in pairs])
    return [
        ThresholdPoint(
            float(at),
            float((found >= at).mean()) if len(found) else 0.0,
            1000 * float((others >= at).mean()) if len(others) else 0.0,
        )
        for at in TRACED
    ]


def _scores_outside_gold(pair: Pair) -> NDArray[np.float64]:
    """Return for each token outside gold the highest threshold at which it is touched."""
    gold = Coverage(merge_touching_spans(pair.gold))
    spans = sorted(
        (span.start, span.end, span.score if _by_model(span) else 1.0) for span in pair.predicted
    )
    scores, first = [], 0
    for start, end in tokenize(pair.text):
        while first < len(spans) and spans[first][1] <= start:
            first += 1
        if not gold.parts(start, end):
            over = itertools.takewhile(lambda span: span[0] < end, spans[first:])  # noqa: B023
            scores.append(max((score for _, _, score in over), default=0.0))
    return np.array(scores)
