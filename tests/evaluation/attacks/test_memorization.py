"""What a model remembers: closed forms, floors, and a planted number that ranks first."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, spearmanr

from evaluation.attacks.memorization import (
    compare_with_floor,
    counterfactual_scores,
    draw_half_splits,
    measure_influence,
    separate_members,
    smallest_detectable_auc,
)
from evaluation.detection.intervals import mean_interval
from models.language.training.training import UnigramModel

LOGS = st.lists(st.floats(-20, 0), min_size=1, max_size=30)


def unigram(notes: Sequence[Sequence[str]], words: str | list[str]) -> dict[str, float]:
    """Log probabilities with add-one smoothing."""
    count = {word: 1 + sum(note.count(word) for note in notes) for word in words}
    return {word: math.log(count[word] / sum(count.values())) for word in words}


def test_a_unigram_model_has_its_closed_form() -> None:
    notes = [["a", "b"], ["a", "a", "c"], ["b", "d", "d", "d"]]
    words = "abcd"
    total, size = sum(map(len, notes)), len(words)
    for left_out, note in enumerate(notes):
        rest = notes[:left_out] + notes[left_out + 1 :]
        full, without = unigram(notes, words), unigram(rest, words)
        found = measure_influence([full[word] for word in note], [without[word] for word in note])
        changes = []
        for word in note:
            held = sum(each.count(word) for each in notes)
            ratio = (held + 1) / (held - note.count(word) + 1)
            changes.append(math.log(ratio * (total - len(note) + size) / (total + size)))
        assert found.largest == pytest.approx(max(map(abs, changes)), abs=1e-9)
        assert found.mean == pytest.approx(np.mean(changes), abs=1e-9)
        assert found.signed == pytest.approx(max(changes, key=abs), abs=1e-9)


@given(LOGS)
def test_identical_models_remember_nothing(logs: list[float]) -> None:
    assert measure_influence(logs, logs) == measure_influence([0.0], [0.0])


@given(LOGS, st.randoms())
def test_the_largest_change_bounds_the_mean(logs: list[float], chance: Random) -> None:
    others = [chance.uniform(-20, 0) for _ in logs]
    found = measure_influence(logs, others)
    assert abs(found.mean) <= found.largest + 1e-9
    assert abs(found.signed) == found.largest


@pytest.mark.parametrize(("one", "other"), [([], []), ([0.0], [0.0, 1.0]), ([-math.inf], [0.0])])
def test_what_cannot_be_compared_is_refused(one: list[float], other: list[float]) -> None:
    with pytest.raises(ValueError, match=r"same tokens|finite"):
        measure_influence(one, other)


def test_an_excess_is_bounded_from_its_floor() -> None:
    chance = np.random.default_rng(1)
    floors = chance.normal(4, 1, 200)
    found = compare_with_floor(floors + chance.normal(2, 0.5, 200), floors)
    assert found.low < 2 < found.high
    assert found.score - found.floor == pytest.approx(2, abs=0.2)
    same = compare_with_floor(floors, floors)
    assert same.low == same.high == 0.0


def test_every_note_is_in_half_of_the_models() -> None:
    halves = draw_half_splits(101, 8)
    assert (halves.sum(0) == 4).all()
    assert not (halves == draw_half_splits(101, 8, seed=2)).all()
    with pytest.raises(ValueError, match="even"):
        draw_half_splits(10, 3)


def test_the_note_with_a_planted_number_ranks_first_by_either_estimator() -> None:
    words = [f"w{number}" for number in range(30)]
    chance = np.random.default_rng(4)
    notes = [list(chance.choice(words, 40)) for _ in range(30)]
    notes[17] += ["481516234200"] * 3
    held = [*words, "481516234200"]
    full = unigram(notes, held)
    left_out = [unigram(notes[:k] + notes[k + 1 :], held) for k in range(len(notes))]
    largest = [
        measure_influence([full[word] for word in note], [without[word] for word in note]).largest
        for note, without in zip(notes, left_out, strict=True)
    ]
    halves = draw_half_splits(len(notes), 16)
    models = [
        unigram([note for note, is_in in zip(notes, half, strict=True) if is_in], held)
        for half in halves
    ]
    told = [[np.mean([model[word] for word in note]) for note in notes] for model in models]
    assert int(np.argmax(largest)) == int(np.argmax(counterfactual_scores(told, halves))) == 17


def test_the_product_s_unigram_has_the_closed_form_too() -> None:
    notes = [[0, 1], [0, 0, 2], [1, 3, 3, 3]]
    total = sum(map(len, notes))
    for left_out, note in enumerate(notes):
        rest = notes[:left_out] + notes[left_out + 1 :]
        seen, unseen = (
            [math.log(model.probability(number)) for number in note]
            for model in (UnigramModel(notes, 5), UnigramModel(rest, 5))
        )
        counts = [sum(each.count(number) for each in notes) for number in note]
        changes = [
            math.log((count + 1) / (count - note.count(number) + 1))
            + math.log((total - len(note) + 5) / (total + 5))
            for number, count in zip(note, counts, strict=True)
        ]
        assert measure_influence(seen, unseen).signed == pytest.approx(
            max(changes, key=abs), abs=1e-9
        )


class Bigram:
    """A model of the next word by the last one, with a half added to every count."""

    def __init__(self, notes: Sequence[Sequence[str]], words: int) -> None:
        self._words = words
        self._pairs = Counter(pair for note in notes for pair in pairwise(["", *note]))
        self._firsts = Counter(first for note in notes for first in ["", *note[:-1]])

    def told(self, note: Sequence[str]) -> list[float]:
        """Log probabilities of the words of a note."""
        return [
            math.log((self._pairs[pair] + 0.5) / (self._firsts[pair[0]] + 0.5 * self._words))
            for pair in pairwise(["", *note])
        ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_models_of_halves_rank_notes_as_leaving_each_out_does(seed: int) -> None:
    chance = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 201)
    words = [f"w{number}" for number in range(200)]
    notes = [list(chance.choice(words, 40, p=weights / weights.sum())) for _ in range(30)]
    full = Bigram(notes, 200)
    left_out = [Bigram(notes[:place] + notes[place + 1 :], 200) for place in range(30)]
    alone = [
        measure_influence(full.told(note), without.told(note))
        for note, without in zip(notes, left_out, strict=True)
    ]
    halves = draw_half_splits(30, 16, seed=seed)
    models = [
        Bigram([note for note, is_in in zip(notes, half, strict=True) if is_in], 200)
        for half in halves
    ]
    scores = counterfactual_scores(
        [[np.mean(m.told(note)) for note in notes] for m in models], halves
    )
    assert spearmanr(scores, [each.mean for each in alone]).statistic >= 0.6


def test_a_note_that_every_model_saw_has_no_score() -> None:
    scores = counterfactual_scores([[-1.0, -2.0], [-1.5, -2.5]], [[True, True], [True, False]])
    assert math.isnan(scores[0])
    assert scores[1] == pytest.approx(0.5)


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=12), st.lists(st.integers(0, 9), min_size=2)
)
def test_the_area_is_the_share_of_pairs_in_order(members: list[int], others: list[int]) -> None:
    pairs = [(one > other) + (one == other) / 2 for one in members for other in others]
    found = separate_members(members, others)
    assert found.auc == pytest.approx(np.mean(pairs))
    assert 0 <= found.low <= found.high <= 1


def test_an_attack_on_noise_holds_a_half_as_often_as_promised() -> None:
    chance = np.random.default_rng(9)
    held = 0
    for _ in range(200):
        found = separate_members(*(chance.normal(size=40).tolist() for _ in range(2)))
        held += found.low <= 0.5 <= found.high
    assert 0.03 <= 1 - held / 200 <= 0.07
    leak = separate_members(chance.normal(3, 1, 40).tolist(), chance.normal(size=40).tolist())
    assert leak.low > 0.9


def test_notes_of_a_patient_are_drawn_together() -> None:
    chance = np.random.default_rng(4)
    scores = chance.normal(size=(2, 30))
    alone = separate_members(*scores.tolist())
    # The same patients with ten equal notes each know no more than with one.
    many = np.repeat(scores, 10, axis=1)
    whose = [f"{number}" for number in np.repeat(np.arange(30), 10)]
    together = separate_members(*many.tolist(), patients=(whose, whose))
    apart = separate_members(*many.tolist())
    assert alone.auc == pytest.approx(together.auc)
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high))
    assert together.detectable == alone.detectable > apart.detectable
    assert apart.high - apart.low < 0.5 * (together.high - together.low)
    mean = mean_interval(scores[0].tolist())
    assert mean_interval(many[0].tolist(), whose) == pytest.approx(mean)
    assert mean_interval(many[0].tolist())[0] > mean[0]


def test_patients_who_differ_hold_a_half_as_often_as_promised() -> None:
    chance = np.random.default_rng(5)
    whose = [f"{number // 4}" for number in range(160)]
    held = {True: 0, False: 0}
    for _ in range(200):
        members, others = (
            (np.repeat(chance.normal(size=40), 4) + 0.3 * chance.normal(size=160)).tolist()
            for _ in range(2)
        )
        for is_by_patient in held:
            patients = (whose, whose) if is_by_patient else None
            found = separate_members(members, others, patients=patients)
            held[is_by_patient] += found.low <= 0.5 <= found.high
    assert held[True] >= 180 > 170 > held[False]  # notes counted one by one are too sure


def test_of_one_patient_nothing_is_known() -> None:
    found = separate_members([1.0, 2.0], [0.0, 0.5], patients=(["a", "a"], ["b", "c"]))
    assert (found.low, found.high, found.detectable) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("count", [20, 100])
def test_what_is_detectable_is_detected_four_times_of_five(count: int) -> None:
    area = smallest_detectable_auc(count, count)
    shift = norm.ppf(area) * 2**0.5  # of two normal scores with that area between them
    chance = np.random.default_rng(2)
    seen = sum(
        separate_members(
            chance.normal(shift, 1, count).tolist(), chance.normal(size=count).tolist()
        ).low > 0.5
        for _ in range(200)
    )  # fmt: skip
    assert 0.7 <= seen / 200 <= 0.93
    assert smallest_detectable_auc(4 * count, 4 * count) < area


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=20), st.integers(0, 9))
def test_halves_keep_a_patient_together(patients: list[str], seed: int) -> None:
    halves = draw_half_splits(len(patients), 4, patients=patients, seed=seed)
    assert (halves.sum(0) == 2).all()
    for name in set(patients):
        same = halves[:, [place for place, each in enumerate(patients) if each == name]]
        assert (same == same[:, :1]).all()


def test_one_note_tells_nothing() -> None:
    with pytest.raises(ValueError, match="at least two"):
        separate_members([1.0], [0.0, 1.0])
    with pytest.raises(ValueError, match="at least two"):
        compare_with_floor([1.0], [0.0])
