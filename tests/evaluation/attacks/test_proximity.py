"""Nearest real notes: against counting by hand, a reference library, and planted copies."""

import math
import random
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.attacks.proximity import (
    K1,
    SIZES,
    TOP,
    B,
    Nearest,
    WordCorpus,
    nearest_by_bm25,
    review,
    words_of,
)

NOTES = st.lists(st.lists(st.sampled_from("abcde"), max_size=12), min_size=1, max_size=6)


def grams(note: list[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(note[at : at + size]) for at in range(len(note) - size + 1))


def recall(synthetic: list[str], real: list[str], size: int) -> float:
    """ROUGE-N recall as its definition has it."""
    wanted, held = grams(synthetic, size), grams(real, size)
    total = sum(wanted.values())
    return sum((wanted & held).values()) / total if total else 0.0


def okapi(query: list[str], notes: list[list[str]]) -> list[float]:
    """BM25 of a query for each note, word by word."""
    usual = sum(map(len, notes)) / len(notes)
    scores = []
    for note in notes:
        count, score = Counter(note), 0.0
        for word in query:
            holding = sum(word in other for other in notes)
            rarity = math.log(1 + (len(notes) - holding + 0.5) / (holding + 0.5))
            long = K1 * (1 - B + B * len(note) / usual)
            score += rarity * count[word] * (K1 + 1) / (count[word] + long)
        scores.append(score)
    return scores


@settings(max_examples=60)
@given(NOTES.filter(any), NOTES)
def test_rouge_is_that_of_a_count_by_hand(
    real: list[list[str]], synthetic: list[list[str]]
) -> None:
    corpus = WordCorpus(real)
    for size in SIZES:
        for near in corpus.rouge(synthetic, size):
            each = [recall(synthetic[near.synthetic], note, size) for note in real]
            assert near.score == pytest.approx(max(each), abs=1e-12)
            assert near.real == each.index(max(each))


@settings(max_examples=60)
@given(NOTES.filter(any), NOTES)
def test_bm25_is_that_of_the_formula(real: Any, synthetic: Any) -> None:
    for near in nearest_by_bm25(synthetic, real):
        each = okapi(synthetic[near.synthetic], real)
        assert near.score == pytest.approx(max(each), abs=1e-9)
        assert each[near.real] == pytest.approx(max(each), abs=1e-9)


def test_a_note_of_other_words_is_nearest_to_the_first_and_scores_nothing() -> None:
    found = nearest_by_bm25([[], ["z"], ["b", "z"]], [["a"], [], ["b"]])
    assert [(near.real, near.score > 0) for near in found] == [(0, False), (0, False), (2, True)]


def made(chance: Random, words: list[str], length: int) -> str:
    return " ".join(chance.choice(words) for _ in range(length))


@pytest.fixture(scope="module")
def planted() -> tuple[list[str], list[str]]:
    """A thousand synthetic notes: 20 copies, 20 half copies, 20 copies with other names."""
    chance = random.Random(7)
    words = [f"w{number}" for number in range(400)]
    real = [f"Name{number} {made(chance, words, 60)} Name{number}" for number in range(1000)]
    synthetic = [made(chance, words, 62) for _ in range(940)]
    synthetic += real[:20]
    synthetic += [
        " ".join(note.split()[:31]) + " " + made(chance, words, 31) for note in real[20:40]
    ]
    synthetic += [f"Other {' '.join(note.split()[1:-1])} Other" for note in real[40:60]]
    return real, synthetic


def test_planted_copies_are_all_among_the_first(planted: tuple[list[str], list[str]]) -> None:
    real, synthetic = planted
    corpus = WordCorpus(map(words_of, real))
    told = [words_of(text) for text in synthetic]
    for size in SIZES:
        found = corpus.rouge(told, size)
        first = sorted(found, key=lambda near: -near.score)[:TOP]
        # Precision: all that was planted comes first, and nothing else before the last of it.
        assert {near.synthetic for near in first[:60]} == set(range(940, 1000))
        assert all(
            near.score == 1.0 and near.real == near.synthetic - 940 for near in found[940:960]
        )
    by_bm25 = nearest_by_bm25(told, list(map(words_of, real)))
    assert [near.real for near in by_bm25[940:1000]] == list(range(60))


def test_people_read_each_pair_once_and_nothing_but_structure_never(
    planted: tuple[list[str], list[str]],
) -> None:
    real, synthetic = planted
    corpus = WordCorpus(map(words_of, real))
    told = [words_of(text) for text in synthetic]
    by_rouge = {size: corpus.rouge(told, size) for size in SIZES}
    by_bm25 = nearest_by_bm25(told, list(map(words_of, real)))
    pairs = review(by_rouge, by_bm25, synthetic, real)
    places = [(pair.synthetic, pair.real) for pair in pairs]
    assert len(set(places)) == len(places)
    assert {(number, number - 940) for number in range(940, 1000)} <= set(places)
    assert {pair.found_by for pair in pairs} <= {"ROUGE-3", "ROUGE-5", "BM25"}


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("<PAR> - - - <PAR> x", "<PAR> - - - <PAR> y", 0),
        ("the same four words", "the same four words", 1),
        ("the same four words" + " more" * 1000, "the same four words", 1),  # however long
    ],
)
def test_what_is_worth_reading(one: str, other: str, count: int) -> None:
    near = [Nearest(0, 0, 1.0)]
    assert len(review({3: near, 5: near}, near, [one], [other])) == count


def test_nothing_to_compare_with_is_an_error() -> None:
    with pytest.raises(ValueError, match="no real notes"):
        WordCorpus([[], []])


def test_no_text_in_what_is_printed() -> None:
    assert repr(WordCorpus([["canary"]])) == "Corpus(1 notes)"
