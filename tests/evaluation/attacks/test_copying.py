"""What made notes give away: nothing where they are new, all of it where they are copies."""

import random
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from evaluation.attacks.copying import (
    RealNotes,
    attack_membership,
    measure_nearness,
)
from evaluation.attacks.proximity import SIZES, WordCorpus


def note(chance: Random, length: int = 60) -> list[str]:
    return [f"w{chance.randint(1, 300)}" for _ in range(length)]


@pytest.fixture(scope="module")
def real() -> RealNotes:
    chance = random.Random(3)
    trained = [note(chance) for _ in range(120)]
    patients = [f"p{number // 2}" for number in range(120)]
    return RealNotes(trained, patients, [note(chance) for _ in range(60)])


@pytest.fixture(scope="module")
def corpus(real: RealNotes) -> WordCorpus:
    return WordCorpus(real.trained)


@pytest.fixture(scope="module")
def new() -> list[Any]:
    chance = random.Random(8)
    return [note(chance) for _ in range(60)]


def test_new_notes_give_nothing_away(real: RealNotes, corpus: WordCorpus, new: list[Any]) -> None:
    for each in measure_nearness(new, real, corpus, "fiction").measured:
        assert each.control == 1.0
        assert each.value == pytest.approx(each.null, abs=0.02)
    told = attack_membership(new, real, "fiction").measured
    assert told.low <= 0.5 <= told.high
    assert told.control == 1.0


def test_copies_are_seen(real: RealNotes, corpus: WordCorpus, new: list[Any]) -> None:
    made = [*new[:30], *real.trained[:30]]
    near = measure_nearness(made, real, corpus, "fiction")
    assert {each.name for each in near.measured} == {f"nearest-rouge-{size}" for size in SIZES}
    assert all(each.detail["largest"] == 1.0 for each in near.measured)
    assert [each.real for each in near.found[3][30:]] == list(range(30))
    assert attack_membership(made, real, "fiction").measured.low > 0.5


def test_the_more_is_copied_the_surer_the_attack(real: RealNotes, new: list[Any]) -> None:
    told = [
        attack_membership(
            [*new[: 60 - count], *real.trained[:count]], real, "fiction"
        ).measured.value
        for count in (0, 20, 60)
    ]
    assert all(one < other for one, other in pairwise(told))


@pytest.mark.parametrize(
    ("trained", "patients", "held_out"),
    [
        ([["a"]] * 3, ["1"] * 2, [["b"]] * 2),
        ([["a"]], ["1"], [["b"]] * 2),
        ([["a"]] * 2, ["1"] * 2, []),
    ],
)
def test_too_little_to_compare_with_is_refused(
    trained: list[list[str]], patients: list[str], held_out: list[list[str]]
) -> None:
    with pytest.raises(ValueError, match=r"patient|at least two"):
        RealNotes(trained, patients, held_out)


def test_no_text_in_what_is_printed(real: RealNotes) -> None:
    assert "w1" not in repr(real)
