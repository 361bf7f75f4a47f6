"""Thresholds of a tagger: what they add to the best sequence, what they leave out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.decoding import ChainDecoder, apply_thresholds
from models.tagger.sequences.chain_inference import ChainInference
from models.tagger.sequences.tags import TagScheme
from models.tagger.thresholds import SpanThresholds

SCHEME = TagScheme(("CITY", "NAME"))
WORDS = 7


def made(seed: int, thresholds: SpanThresholds | None = None) -> ChainDecoder:
    chance = np.random.default_rng(seed)
    size = len(SCHEME)
    learned = (chance.normal(size=shape) for shape in ((size, size), (size,), (size,)))
    return ChainDecoder(ChainInference.of_learned(SCHEME, *learned), thresholds)


def decoded(seed: int, thresholds: SpanThresholds | None = None) -> list[Any]:
    scores = np.random.default_rng(seed + 1).normal(size=(2, WORDS, len(SCHEME)))
    return made(seed, thresholds).decode(scores.astype(np.float32), np.array([WORDS, 4]))


def words(spans: list[Any]) -> set[int]:
    return {word for first, end, _, _ in spans for word in range(first, end)}


seeds = st.integers(0, 10_000)
limits = st.floats(0, 1)


@given(seeds)
def test_without_a_threshold_for_any_label_nothing_changes(seed: int) -> None:
    assert decoded(seed, SpanThresholds({})) == decoded(seed)


@given(seeds)
def test_at_zero_every_word_is_reported(seed: int) -> None:
    found = decoded(seed, SpanThresholds(dict.fromkeys(SCHEME.labels, 0.0)))
    assert [words(each) for each in found] == [set(range(WORDS)), set(range(4))]


@given(seeds, limits)
def test_others_are_added_and_nothing_is_left_out(seed: int, least: float) -> None:
    best, found = decoded(seed), decoded(seed, SpanThresholds({}, least, joins=False))
    for before, after in zip(best, found, strict=True):
        assert set(before) <= set(after)
        assert all(
            score >= least and end - first == 1 for first, end, _, score in set(after) - set(before)
        )


@given(seeds, limits, limits)
def test_a_lower_threshold_covers_more(seed: int, one: float, other: float) -> None:
    low, high = sorted((one, other))
    more, less = (
        decoded(seed, SpanThresholds(dict.fromkeys(SCHEME.labels, at))) for at in (low, high)
    )
    for wide, narrow in zip(more, less, strict=True):
        assert words(wide) >= words(narrow)


@given(seeds, limits, st.booleans())
def test_spans_are_disjoint_in_order_and_reach_their_threshold(
    seed: int, least: float, joins: bool
) -> None:
    for found in decoded(seed, SpanThresholds({"NAME": least}, joins=joins)):
        edges = [edge for first, end, _, _ in found for edge in (first, end)]
        assert edges == sorted(edges)
        assert all(score >= least for _, _, label, score in found if label == "NAME")


@pytest.mark.parametrize(
    ("by_label", "joins", "expected"),
    [
        ({}, True, [(3, 4, "CITY", 0.6)]),
        ({"NAME": 0.3}, True, [(0, 2, "NAME", 0.3), (3, 4, "CITY", 0.6)]),
        ({"NAME": 0.3}, False, [(0, 1, "NAME", 0.4), (1, 2, "NAME", 0.3), (3, 4, "CITY", 0.6)]),
        ({"NAME": 0.35, "CITY": 0.7}, True, [(0, 1, "NAME", 0.4)]),
        ({"CITY": 0.2}, True, [(2, 3, "CITY", 0.25), (3, 4, "CITY", 0.6)]),
    ],
)
def test_by_hand(by_label: dict[str, float], joins: bool, expected: list[Any]) -> None:
    """Names at words 0 and 1, a town at 2 that is likelier none, and one at 3."""
    shares = np.zeros((5, len(SCHEME)))
    shares[:, 0] = [0.6, 0.7, 0.75, 0.4, 1.0]
    shares[0, SCHEME.tags.index("U-NAME")] = 0.4
    shares[1, SCHEME.tags.index("B-NAME")] = 0.2
    shares[1, SCHEME.tags.index("U-CITY")] = 0.1
    shares[2, SCHEME.tags.index("U-CITY")] = 0.25
    shares[3, SCHEME.tags.index("U-CITY")] = 0.6
    best = [(3, 4, "CITY", 0.6)]
    found = apply_thresholds(best, shares, SCHEME, SpanThresholds(by_label, joins=joins))
    assert [(*each[:3], round(each[3], 9)) for each in found] == expected
