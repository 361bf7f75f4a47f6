"""Resemblance: equal letters score 1, what was masked scores less, and others agree on ROUGE."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from evaluation.gate import Axis
from evaluation.utility.readability import readability
from evaluation.utility.resemblance import (
    TOPS,
    Refilled,
    bert_score,
    features,
    reading_ease,
    resemblance,
    rouge_l,
    rouge_n,
    rouge_words,
)
from record.errors import ConfigError

WORDS = "fièvre toux Noël œdème cœur straße niño 37 été la de el the pain".split()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


class OurWords:
    """Return the library our words: its own ones lose accents."""

    def tokenize(self, text: str) -> list[str]:
        return rouge_words(text)


LIBRARY = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=OurWords())


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_rouge_is_that_of_the_library(one: str, other: str) -> None:
    if not one or not other:
        return
    made, source = rouge_words(one), rouge_words(other)
    expected = LIBRARY.score(other, one)
    ours = {"rouge1": rouge_n(made, source, 1), "rougeL": rouge_l(made, source)}
    if min(len(made), len(source)) > 1:  # two texts without pairs of words are alike to us
        ours["rouge2"] = rouge_n(made, source, 2)
    for name, found in ours.items():
        told = expected[name]
        assert (found.precision, found.recall, found.f1) == pytest.approx(tuple(told)), name


def test_accents_and_letters_of_all_scripts_count() -> None:
    decomposed = "Ho\u0302pital, Noe\u0308l: 37,5 \u0394"
    assert rouge_words(decomposed) == ["hôpital", "noël", "37", "5", "δ"]
    assert RougeScorer(["rouge1"])._tokenizer.tokenize("Hôpital") == ["h", "pital"]


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(0, 99))
def test_bert_score_is_that_of_the_formula(rows: int, columns: int, width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)

    def unit(count: int) -> Any:
        found = chance.normal(size=(count, width))
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    made, source = unit(rows), unit(columns)
    cosines = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in source] for x in made]
    precision = sum(map(max, cosines)) / rows
    recall = sum(map(max, zip(*cosines, strict=True))) / columns
    found = bert_score(made, source)
    assert (found.precision, found.recall) == pytest.approx((precision, recall))
    assert bert_score(made, made).f1 == pytest.approx(1)


def test_nothing_is_like_nothing_else() -> None:
    empty, some = np.zeros((0, 3)), np.eye(3)
    assert bert_score(empty, empty).f1 == rouge_l([], []).f1 == 1
    assert bert_score(empty, some).f1 == rouge_l([], ["a"]).f1 == rouge_n(["a"], [], 1).f1 == 0


def letters(count: int = 12, size: int = 80, masked: float = 0.0) -> list[Refilled]:
    """Letters of made-up words, of which a share is exchanged in what was made of them."""
    chance = Random(3)
    made = []
    for number in range(count):
        source = [f"word{chance.choice('abcdefghijklmnop')}{number}" for _ in range(size)]
        for at in range(9, size, 10):
            source[at] += "."
        order = chance.sample(range(size), size)
        copies = []
        for copy in range(2):
            words = list(source)
            for at in order[: int(masked * size)]:
                words[at] = f"other{copy}" + "." * source[at].endswith(".")
            copies.append(" ".join(words))
        made.append(Refilled(" ".join(source), copies, "en"))
    return made


def vectors(text: str) -> np.ndarray:
    """One direction for each word."""
    found = np.zeros((len(text.split()), 64))
    for row, word in zip(found, text.split(), strict=True):
        row[sum(word.encode()) % 64] = 1
    return found


def measured(masked: float) -> dict[Any, Any]:
    return {each.name: each for each in resemblance(letters(masked=masked), "fiction", vectors)}


def test_equal_letters_score_one() -> None:
    found = measured(0.0)
    assert set(found) == {
        *("rouge-1", "rouge-2", "rouge-l", "bertscore"),
        *(f"top-{most}-features" for most in TOPS),
    }
    for each in found.values():
        assert each.axis is Axis.RESEMBLANCE
        assert each.value == each.low == each.high == each.control == pytest.approx(1)
        assert each.null is not None and each.null < 0.8
        assert each.detail == {"sources": 12, "letters": 24}
    ease = reading_ease(letters(), "fiction")
    assert ease.null is not None
    assert ease.value == ease.low == ease.high == ease.control == 0 < ease.null
    assert ease.detail["smog of letters"] == ease.detail["smog of sources"]


def test_the_more_is_masked_the_less_is_alike() -> None:
    rows = [measured(share) for share in (0.0, 0.3, 0.8)]
    for name in ("rouge-1", "rouge-2", "rouge-l", "bertscore", "top-10-features"):
        values = [row[name].value for row in rows]
        assert values == sorted(values, reverse=True)
        assert values[0] > values[-1]
        assert all(row[name].low <= row[name].value <= row[name].high for row in rows)


def test_features_are_frequent_words_that_mean_something() -> None:
    text = "Le patient a de la fièvre. Fièvre et toux, 37 37 37 ; la toux, la fièvre."
    assert features(text, "fr", 2) == ["fièvre", "toux"]
    with pytest.raises(ConfigError, match="no stop words"):
        features(text, "", 5)


def test_one_source_tells_nothing_by_chance() -> None:
    with pytest.raises(ValueError, match="at least two sources"):
        resemblance(letters(1), "fiction")


def test_each_language_has_its_own_formula() -> None:
    french = [Refilled("Une toux sèche.", ["Une toux.", "--"], "fr"), Refilled("-", ["Oui."], "fr")]
    ease = reading_ease([*letters(2), *french], "fiction")
    sizes = [readability(text, "fr")["kandel-moles"] for text in (french[0].source, "Une toux.")]
    assert ease.value == pytest.approx(abs(sizes[0] - sizes[1]) / 3), "the English are as they were"
    assert {"smog of letters", "kandel-moles of sources"} <= set(ease.detail)
    with pytest.raises(ValueError, match="no text has words"):
        reading_ease([Refilled("-", ["-"], "fr")] * 2, "fiction")
    with pytest.raises(ConfigError, match="no measure of readability"):
        reading_ease([Refilled("ja", ["nein"], "de")] * 2, "fiction")
