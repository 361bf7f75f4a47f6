"""Runs of words are found wherever they stand in a text; what a model was taught is likelier."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.attacks.pretraining_overlap import (
    RUN,
    Floats,
    OwnedTexts,
    SharedRuns,
    measure_likelihood,
    measure_shared_runs,
    min_k_scores,
    overlap_id,
)

WORDS = st.sampled_from("abcd")
TEXTS = st.lists(WORDS, max_size=3 * RUN).map(" ".join)


def covered(note: str, texts: list[str]) -> float:
    """The definition, run by run."""
    words = note.split()
    held = {
        tuple(there[at : at + RUN])
        for there in map(str.split, texts)
        for at in range(len(there) - RUN + 1)
    }
    marked = {
        place
        for at in range(len(words) - RUN + 1)
        if tuple(words[at : at + RUN]) in held
        for place in range(at, at + RUN)
    }
    return len(marked) / len(words) if words else 0.0


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, max_size=3), st.data())
@settings(max_examples=150, deadline=None)
def test_runs_are_found_as_defined(notes: list[str], texts: list[str], data: st.DataObject) -> None:
    texts = [*texts, data.draw(st.sampled_from(notes))]  # chance seldom writes thirteen words alike
    runs = SharedRuns(notes)
    for text in texts:
        words = text.split()
        cut = data.draw(st.integers(0, len(words)))
        assert runs.look([" ".join(words[:cut]) + " ", " ".join(words[cut:])]) == len(words)
    assert runs.covered() == pytest.approx([covered(note, texts) for note in notes])


@given(st.lists(st.tuples(TEXTS, st.sampled_from("xyz")), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_phrases_of_the_house_are_those_of_another_patient(held: list[tuple[str, str]]) -> None:
    notes, owners = zip(*held, strict=True)
    expected = [
        covered(note, [other for other, his in held if his != owner]) for note, owner in held
    ]
    assert SharedRuns(notes).covered_by_others(owners) == pytest.approx(expected)


def test_case_signs_and_unknown_words_between() -> None:
    note = "Seen by Dr Smith on Monday, with a fever of 39 and a cough (since Friday)."
    assert SharedRuns([note]).look(["nothing of it"]) == 3
    runs = SharedRuns([note])
    runs.look(["... SEEN BY DR SMITH; on monday with a fever: of 39 and a cough since friday ..."])
    assert runs.covered() == [1.0]
    runs = SharedRuns([note])
    runs.look([note.replace("a fever", "a high fever").replace("and a", "and also a")])
    assert runs.covered() == [0.0]


def notes_of(chance: random.Random, count: int, length: int = 40) -> list[str]:
    return [" ".join(f"w{chance.randint(1, 400)}" for _ in range(length)) for _ in range(count)]


def test_notes_that_the_texts_hold_are_counted_beside_both_controls() -> None:
    chance = random.Random(5)
    notes = [*notes_of(chance, 38), "too short", "too short, too"]
    phrase = " ".join(f"p{number}" for number in range(RUN))
    notes[3] += f" {phrase}"
    notes[4] += f" {phrase}"
    web = notes_of(chance, 50)
    web[7] += " " + " ".join(notes[0].split()[5:25])
    web[9] = notes[1]
    owners = [f"p{number // 2}" for number in range(40)]
    found, shares = measure_shared_runs(notes, owners, ([text] for text in web), "some")
    assert found.name == "base-overlap-13-words" and found.data == "some"
    assert [place for place, share in enumerate(shares) if share] == [0, 1]
    assert shares[:2] == [0.5, 1.0]
    assert found.value == 2 / 40 and found.low < found.value < found.high
    assert (found.null, found.control) == (2 / 40, 38 / 40)
    assert found.detail["notes"] == 2
    with pytest.raises(ValueError, match="contain words"):
        measure_shared_runs(notes, owners, [["..."]], "some")


class Memory:
    """A model whose words are as likely as it has read them often."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        known = {pair for text in self.texts for pair in _pairs(text)}
        for text in texts:
            yield np.array([-1.0 if pair in known else -5.0 for pair in _pairs(text)])

    def overfitted(self, texts: Sequence[str]) -> "Memory":
        return Memory([*self.texts, *texts])


def _pairs(text: str) -> list[tuple[str, str]]:
    return list(pairwise(text.split()))


def owned(texts: Sequence[str], notes_of_each: int = 1) -> OwnedTexts:
    return OwnedTexts(texts, [f"p{number // notes_of_each}" for number in range(len(texts))])


def test_notes_that_a_model_has_read_are_told_from_new_ones() -> None:
    chance = random.Random(6)
    notes, unseen = notes_of(chance, 60), notes_of(chance, 60)
    innocent = measure_likelihood(Memory(notes_of(chance, 60)), owned(notes), owned(unseen), "some")
    assert innocent.low <= 0.5 <= innocent.high
    assert innocent.control is not None and innocent.control > 0.9
    assert innocent.null == pytest.approx(0.5, abs=0.25)
    read = measure_likelihood(Memory(notes[:40]), owned(notes), owned(unseen), "some")
    assert read.low > 0.6
    assert read.detail == {
        "notes": 60, "unseen": 60, "taught": 10, "patients": 60, "other patients": 60,
    }  # fmt: skip


def test_bounds_are_those_of_patients() -> None:
    chance = random.Random(6)
    notes, unseen = notes_of(chance, 60), notes_of(chance, 60)
    memory = Memory(notes[:30])
    alone = measure_likelihood(memory, owned(notes), owned(unseen), "some")
    together = measure_likelihood(memory, owned(notes, 10), owned(unseen, 10), "some")
    assert together.value == alone.value
    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    web = [[text] for text in notes[:30]]
    one, _ = measure_shared_runs(notes, list(map(str, range(60))), web, "some")
    of_six, _ = measure_shared_runs(notes, owned(notes, 10).owners, web, "some")
    assert one.value == of_six.value == 0.5
    assert of_six.high - of_six.low > 1.5 * (one.high - one.low)
    # That nothing was found in few notes, or in many of few patients, is no proof.
    for owners, least in ((list(map(str, range(60))), 0.04), (owned(notes, 10).owners, 0.3)):
        none, _ = measure_shared_runs(notes, owners, [["some other text"]], "some")
        assert (none.value, none.low) == (0.0, 0.0) and none.high > least
    with pytest.raises(ValueError, match="must have an owner"):
        OwnedTexts(notes, ["p"])


def test_min_k_is_the_mean_of_the_least_likely_fifth() -> None:
    class Fixed:
        def __init__(self, *told: Sequence[float]) -> None:
            self.told = told

        def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
            return iter(map(np.array, self.told))

        def overfitted(self, texts: Sequence[str]) -> Self:
            raise NotImplementedError

    assert min_k_scores(Fixed([-1.0, -9.0, -2.0, -3.0, -7.0, -1, -1, -1, -1, -1]), [""]) == [-8.0]
    assert min_k_scores(Fixed([-4.0]), [""]) == [-4.0]
    for told in ([], [-1.0, math.nan], [-math.inf]):
        with pytest.raises(ValueError, match="have tokens"):
            min_k_scores(Fixed(told), [""])


def test_few_notes_prove_nothing() -> None:
    chance = random.Random(7)
    with pytest.raises(ValueError, match="at least two"):
        measure_likelihood(
            Memory([]), owned(notes_of(chance, 5)), owned(notes_of(chance, 1)), "some"
        )


def test_what_was_measured_is_named_by_both() -> None:
    assert len({overlap_id(base, corpus) for base in "ab" for corpus in "ab"}) == 4
