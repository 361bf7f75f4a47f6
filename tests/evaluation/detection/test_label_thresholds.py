"""Thresholds by label: the bound holds on notes that were not looked at, and labels differ."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.detection.alignment import Pair
from evaluation.detection.label_thresholds import (
    PrecisionCurve,
    calibrate_labels,
    fit_precisions,
    split_by_person,
    trace_thresholds,
)
from record.errors import ConfigError
from record.span import Span

WORDS = 40


def note(number: int, chance: Any) -> Pair:
    """A note of words; names are scored well, jobs badly, and a few words are neither."""
    text = " ".join(["word"] * WORDS)
    gold, predicted = [], []
    for word in range(WORDS):
        start, kind = 5 * word, chance.random()
        if kind < 0.2:
            gold.append(Span(start, start + 4, "NAME"))
            predicted.append(Span(start, start + 4, "NAME", "model", chance.beta(9, 1)))
        elif kind < 0.3:
            gold.append(Span(start, start + 4, "JOB"))
            predicted.append(Span(start, start + 4, "JOB", "model", chance.beta(2, 6)))
        elif kind < 0.5:
            predicted.append(Span(start, start + 4, "NAME", "model", chance.beta(2, 2)))
        elif kind < 0.6:
            predicted.append(Span(start, start + 4, "JOB", "model", chance.beta(1, 30)))
    return Pair(str(number), text, tuple(gold), tuple(predicted), f"p{number}")


def notes(count: int, seed: int) -> list[Pair]:
    chance = np.random.default_rng(seed)
    return [note(number, chance) for number in range(count)]


def missed(pair: Pair, by_label: dict[str, float]) -> float:
    """The share of a note's gold words that thresholds miss, counted anew."""
    kept = {s.start for s in pair.predicted if s.score >= by_label.get(s.label, 0.0)}
    return sum(s.start not in kept for s in pair.gold) / max(len(pair.gold), 1)


def test_the_bound_holds_on_other_notes_on_average() -> None:
    losses = []
    for seed in range(20):
        found = calibrate_labels(notes(60, seed), notes(60, 100 + seed), 0.1)
        assert found.certified.bound <= 0.1
        losses.append(np.mean([missed(pair, found.by_label) for pair in notes(60, 200 + seed)]))
    assert np.mean(losses) <= 0.1 + 2 * np.std(losses) / np.sqrt(len(losses))
    assert np.mean(losses) > 0.05  # not safe by keeping everything


def test_a_label_that_is_scored_badly_has_a_lower_threshold() -> None:
    found = calibrate_labels(notes(60, 1), notes(60, 2), 0.1)
    assert found.by_label["JOB"] < found.by_label["NAME"]
    assert found.fitted == 60


def test_labels_apart_touch_less_than_one_threshold_for_all() -> None:
    fitting, certifying, others = notes(80, 3), notes(80, 4), notes(80, 5)
    found = calibrate_labels(fitting, certifying, 0.1)
    kept = [missed(pair, found.by_label) for pair in others]
    # One threshold for all labels that misses as little.
    single = max(
        at
        for at in np.linspace(0, 1, 101)
        if np.mean([missed(p, dict.fromkeys(("NAME", "JOB"), at)) for p in others]) <= np.mean(kept)
    )
    counts = [
        sum(
            span.score >= limits[span.label]
            for pair in others
            for span in pair.predicted
            if span.start not in {s.start for s in pair.gold}
        )
        for limits in (found.by_label, dict.fromkeys(("NAME", "JOB"), single))
    ]
    assert counts[0] < counts[1]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=60, max_size=120))
def test_precision_rises_with_the_score_and_sums_to_what_is_right(found: list[Any]) -> None:
    text = " ".join(["word"] * len(found))
    gold = tuple(Span(5 * at, 5 * at + 4, "N") for at, (_, right) in enumerate(found) if right)
    spans = tuple(
        Span(5 * at, 5 * at + 4, "N", "model", score) for at, (score, _) in enumerate(found)
    )
    curve = fit_precisions([Pair("1", text, gold, spans)])["N"]
    assert np.all(np.diff(curve.precisions) >= -1e-12)
    assert sum(curve.at(score) for score, _ in found) == pytest.approx(len(gold), abs=1e-6)


def test_below_what_was_seen_there_is_no_precision() -> None:
    curve = PrecisionCurve(np.array([0.2, 0.6]), np.array([0.5, 0.9]))
    assert [curve.at(score) for score in (0.1, 0.2, 0.59, 0.6, 1.0)] == [0, 0.5, 0.5, 0.9, 0.9]


def test_notes_of_a_person_stay_together() -> None:
    made = notes(30, 1)
    twice = [*made, *(Pair(f"{p.note_id}b", p.text, p.gold, (), p.person_id) for p in made)]
    one, other = split_by_person(twice)
    assert len(one) == len(other) == 30
    assert {p.person_id for p in one}.isdisjoint({p.person_id for p in other})


def test_spans_of_rules_cannot_be_calibrated() -> None:
    pair = Pair("1", "word", (Span(0, 4, "N"),), (Span(0, 4, "N", "rules.names"),))
    with pytest.raises(ConfigError):
        calibrate_labels([pair] * 30, [pair] * 30, 0.1)
    assert trace_thresholds([pair]) == []


def test_recall_and_touched_words_fall_with_the_threshold() -> None:
    made = notes(20, 7)
    points = trace_thresholds(made)
    for before, after in itertools.pairwise(points):
        assert before.recall >= after.recall
        assert before.touched >= after.touched
    # By counting anew, at one of them.
    (point,) = (each for each in points if each.threshold == 0.5)
    gold = {(p.note_id, s.start) for p in made for s in p.gold}
    kept = {(p.note_id, s.start) for p in made for s in p.predicted if s.score >= 0.5}
    assert point.recall == pytest.approx(len(gold & kept) / len(gold))
    assert point.touched == pytest.approx(1000 * len(kept - gold) / (20 * WORDS - len(gold)))
