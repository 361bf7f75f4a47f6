"""Calibrated thresholds: as high as the bound allows, and on average as safe as promised."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator

from evaluation.detection.alignment import Pair
from evaluation.detection.calibration import (
    calibrate,
    calibrate_pairs,
    documents_needed,
    miss_curves,
    token_scores,
)
from evaluation.detection.scores import format_scores, score_pairs
from record.errors import ConfigError
from record.span import Span

THRESHOLDS = np.linspace(0.01, 0.99, 50)


def documents(number: int, chance: Generator) -> list[Any]:
    """Scores of identifier tokens; some documents are harder than others, some have none."""
    sizes = chance.integers(0, 30, number)
    ease = chance.uniform(2, 12, number)
    return [chance.beta(a, 1, size) for size, a in zip(sizes, ease, strict=True)]


@pytest.mark.parametrize(("count", "alpha"), [(30, 0.1), (100, 0.05), (99, 0.01)])
def test_the_bound_holds_on_average_over_many_draws(count: int, alpha: float) -> None:
    """Each draw calibrates on some documents and looks at one more: what is missed there."""
    chance = np.random.default_rng(count)
    curves = miss_curves(documents(20_000, chance), THRESHOLDS)
    missed, refused = [], 0
    for _ in range(1500):
        rows = chance.choice(len(curves), count + 1, replace=False)
        try:
            found = calibrate(curves[rows[:-1]], THRESHOLDS, alpha)
        except ConfigError:
            refused += 1
            missed.append(0.0)  # nothing is released
            continue
        missed.append(curves[rows[-1], np.searchsorted(THRESHOLDS, found.threshold)])
    mean, error = np.mean(missed), np.std(missed) / np.sqrt(len(missed))
    assert mean <= alpha + 2 * error
    if alpha > 0.01:
        # Not safe by being useless: the bound is nearly reached.
        assert mean >= alpha - 2 / (count + 1) - 4 * error
        assert refused == 0


def test_by_hand() -> None:
    thresholds = np.array([0.1, 0.2, 0.3, 0.4])
    losses = np.zeros((19, 4))
    losses[0, 2:] = 0.5  # R = 0.5 / 19, bound (0.5 + 1) / 20 = 0.075
    losses[1, 3] = 1.0  # R = 1.5 / 19, bound 2.5 / 20 = 0.125
    found = calibrate(losses, thresholds, 0.1)
    assert (found.threshold, found.documents) == (0.3, 19)
    assert found.risk == pytest.approx(0.5 / 19)
    assert found.bound == pytest.approx(0.075)
    assert calibrate(losses, thresholds, 0.05).threshold == 0.2
    assert calibrate(losses, thresholds, 0.125).threshold == 0.4


@pytest.mark.parametrize(
    ("alpha", "needed"), [(0.05, 19), (0.1, 9), (0.01, 99), (0.5, 1), (0.3, 3)]
)
def test_too_few_documents_are_refused_with_the_number_needed(alpha: float, needed: int) -> None:
    assert documents_needed(alpha) == needed
    perfect = np.zeros((needed, 1))
    assert calibrate(perfect, np.array([0.5]), alpha).threshold == 0.5
    if needed > 1:
        with pytest.raises(ConfigError, match=f"at least {needed} documents"):
            calibrate(perfect[1:], np.array([0.5]), alpha)


def test_a_model_that_misses_too_much_is_refused() -> None:
    losses = np.full((100, 2), 0.2)
    with pytest.raises(ConfigError, match=r"0\.2000 \(bound 0\.2079\)"):
        calibrate(losses, np.array([0.1, 0.2]), 0.1)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, float("nan")])
def test_no_share_is_refused(alpha: float) -> None:
    with pytest.raises(ConfigError):
        calibrate(np.zeros((100, 1)), np.array([0.5]), alpha)


@pytest.mark.parametrize(
    ("losses", "thresholds"),
    [
        ([[0.2, 0.1]], [0.1, 0.2]),
        ([[0.1, 0.2]], [0.2, 0.1]),
        ([[0.1, 1.2]], [0.1, 0.2]),
        ([[0.1, np.nan]], [0.1, 0.2]),
        ([[0.1]], [0.1, 0.2]),
        ([0.1], [0.1]),
        (np.zeros((3, 0)), []),
    ],
)
def test_what_is_no_curve_is_refused(
    losses: list[list[float] | float] | np.ndarray, thresholds: list[float]
) -> None:
    with pytest.raises(ValueError, match=r"losses|thresholds"):
        calibrate(np.array(losses, dtype=float), np.array(thresholds, dtype=float), 0.5)


SCORES = st.lists(st.lists(st.floats(0, 1), max_size=6), min_size=1, max_size=5)


@given(SCORES)
def test_curves_are_shares_missed_and_never_fall(scores: list[list[float]]) -> None:
    curves = miss_curves([np.array(each) for each in scores], THRESHOLDS)
    assert (np.diff(curves, axis=1) >= 0).all()
    for row, each in zip(curves, scores, strict=True):
        for missed, threshold in zip(row, THRESHOLDS, strict=True):
            below = sum(score < threshold for score in each)
            assert missed == (below / len(each) if each else 0)


def test_what_rules_find_is_missed_at_no_threshold() -> None:
    assert not miss_curves([np.ones(3)], np.array([0.5, 1.0])).any()
    assert miss_curves([], THRESHOLDS).shape == (0, 50)
    with pytest.raises(ValueError, match="increase"):
        miss_curves([], THRESHOLDS[::-1])


TEXT = "Zoé Quill 12nov"
GOLD = (Span(0, 9, "NAME"), Span(10, 15, "DATE"))


def test_a_token_has_the_threshold_at_which_it_is_last_redacted() -> None:
    predicted = (
        Span(0, 3, "NAME", "model", 0.9),
        Span(0, 6, "NAME", "model", 0.4),  # half of the second token
        Span(6, 9, "NAME", "model", 0.7),
        Span(10, 12, "DATE", "rules.dates", 0.5),  # a rule's span always stays
    )
    assert token_scores(Pair("1", TEXT, GOLD, predicted)).tolist() == [0.9, 0.4, 1.0, 0.0]
    assert token_scores(Pair("1", TEXT, (), predicted)).tolist() == []


SPANS = st.lists(
    st.builds(
        lambda start, size, who, score: Span(start, min(start + size, 15), "X", who, score),
        st.integers(0, 14), st.integers(1, 9),
        st.sampled_from(["model", "rules.a"]), st.sampled_from([0.0, 0.2, 0.5, 0.9]),
    ),
    max_size=5,
)  # fmt: skip


@given(SPANS, st.sampled_from([0.001, 0.2, 0.201, 0.5, 0.9, 1.0]))
def test_leaving_spans_out_below_a_threshold_misses_what_the_curve_says(
    spans: list[Span], threshold: float
) -> None:
    kept = tuple(s for s in spans if s.score >= threshold or not s.detector.startswith("model"))
    redacted = score_pairs([Pair("1", TEXT, GOLD, kept)], resamples=1)["redacted"]
    scores = token_scores(Pair("1", TEXT, GOLD, tuple(spans)))
    (curve,) = miss_curves([scores], np.array([threshold]))
    assert 1 - curve[0] == pytest.approx(redacted)


def test_pairs_are_calibrated_and_reported() -> None:
    found = (Span(0, 9, "NAME", "model", 0.8), Span(10, 15, "DATE", "model", 0.3))
    pairs = [Pair(str(n), TEXT, GOLD, found) for n in range(99)]
    calibrated = calibrate_pairs(pairs, 0.02)
    assert calibrated.threshold == 0.3
    assert calibrate_pairs(pairs, 0.6).threshold == 0.8
    fields = ("threshold", "alpha", "risk", "bound", "documents")
    scores = score_pairs(pairs) | {
        "calibration": {name: getattr(calibrated, name) for name in fields}
    }
    assert "threshold          0.300 for an expected share of at most 0.02" in format_scores(scores)
