"""The battery: what is learnt from real text is worth more than what frequent words alone teach."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evaluation.utility.language_tasks import (
    RatedPair,
    TaskTexts,
    correlation_bounds,
    count_casing,
    measure_case_restoration,
    measure_entailment,
    measure_word_likeness,
    read_entailment,
    read_rated_pairs,
    select_frequent,
)
from models.language.networks.evaluation_networks import (
    cosine_similarity,
    lowercase,
    random_vectors,
    train_truecaser,
    train_word_vectors,
)
from record.errors import ConfigError
from record.tokens import tokens

TOPICS = (("heart", "valve", "aorta", "pulse"), ("bone", "wrist", "cast", "joint"))


WORDS = ("pain", "cough", "fever", "today", "left", "Ana", "Luis", "gone", "again")


def real(count: int = 80, seed: int = 1) -> list[str]:
    """Notes in which names and the first word of a sentence have capitals."""
    chance = Random(seed)

    def sentence() -> str:
        first, *rest = chance.choices(WORDS, k=chance.randint(3, 6))
        return " ".join([first.capitalize(), *rest]) + "."

    return [" ".join(sentence() for _ in range(4)) for _ in range(count)]


def topical(count: int = 300) -> list[Any]:
    """Sentences of one topic each, so that words of a topic are alike."""
    chance = Random(3)
    return [" ".join(chance.choices(chance.choice(TOPICS), k=6)) for _ in range(count)]


def told_by(words: tuple[tuple[str, str, str, str], tuple[str, str, str, str]]) -> list[Any]:
    same = [RatedPair(a, b, 9.0) for topic in words for a in topic for b in topic if a < b]
    other = [RatedPair(a, b, 1.0) for a in words[0] for b in words[1]]
    return [*same, *other]


def stumbling(count: int, share: float) -> list[str]:
    """Notes as a weak generator writes them: some words stand where they do by chance alone."""
    chance = Random(2)
    words = [word for note in real() for word in note.split()]
    return [
        " ".join(chance.choice(words) if chance.random() < share else word for word in note.split())
        for note in real(count, seed=2)
    ]


def test_capitals_are_learnt_best_from_real_notes_and_worst_from_frequent_words() -> None:
    sources = TaskTexts(real(), stumbling(80, 0.25))
    found = measure_case_restoration(sources, real(10, seed=3), "d", characters=25_000)
    assert found.null is not None and found.control is not None
    assert found.low <= found.value <= found.high
    assert found.null + 0.05 < found.value < found.control - 0.03
    assert found.control > 0.9 and found.null < 0.75
    one, other = (train_truecaser(real(), characters=600, seed=4) for _ in range(2))
    assert one.restore("ana left") == other.restore("ana left")


@given(st.text(max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_words_with_capitals_are_counted_one_by_one(text: str, chance: Random) -> None:
    assert len(lowercase(text)) == len(text)
    restored = "".join(
        chance.choice((each, other)) for each, other in zip(lowercase(text), text, strict=True)
    )
    hits, inventions, misses = count_casing(text, restored)
    words = [(text[a:b], restored[a:b], lowercase(text[a:b])) for a, b in tokens(text)]
    capital = [word for word, _, plain in words if word != plain]
    assert hits + misses == len(capital)
    assert hits + inventions == sum(found != plain for _, found, plain in words)
    assert count_casing(text, text) == (len(capital), 0, 0)


def test_too_little_text_is_told() -> None:
    with pytest.raises(ValueError, match="at least 32 characters"):
        train_truecaser(["Short."], characters=100)


def test_likeness_of_words_is_that_of_their_topics() -> None:
    text = topical()
    made = measure_word_likeness(TaskTexts(text, topical(200)), told_by(TOPICS), "d")
    assert made.control is not None
    assert made.value > 0.6 and made.control > 0.6 and made.low <= made.value <= made.high
    assert made.detail["pairs that count"] == made.detail["pairs"] == 12 + 16
    nothing = random_vectors(sorted({w for topic in TOPICS for w in topic}))
    pairs = told_by(TOPICS)
    cosines = [cosine_similarity(nothing, each.one, each.other) for each in pairs]
    low, high = correlation_bounds(cosines, [each.score for each in pairs])
    assert low < 0 < high
    assert made.null == pytest.approx(
        spearmanr(cosines, [each.score for each in pairs]).statistic, abs=1e-6
    )
    one, other = (train_word_vectors([["a", "b"] * 9], seed=4) for _ in range(2))
    assert all((one[word] == other[word]).all() for word in ("a", "b"))


def test_only_pairs_of_frequent_words_count() -> None:
    pairs = [RatedPair("a", "b", 1.0), RatedPair("a", "c", 2.0)]
    sentences = [["a", "b"]] * 20 + [["c"]] * 19
    assert select_frequent(pairs, sentences, 20) == pairs[:1]
    assert select_frequent(pairs, sentences, 19) == pairs
    with pytest.raises(ConfigError, match="0 pairs"):
        measure_word_likeness(TaskTexts(topical(5), topical(5)), pairs, "d")


def test_what_follows_is_learnt_by_vectors(tmp_path: Path) -> None:
    chance = Random(5)
    lines = []
    for _ in range(240):
        first, second = chance.choice(TOPICS), chance.choice(TOPICS)
        label = "entailment" if second is TOPICS[0] else "contradiction"
        lines.append(
            json.dumps(
                {"sentence1": " ".join(chance.choices(first, k=4)),
                 "sentence2": chance.choice(second).upper(), "gold_label": label}
            )
        )  # fmt: skip
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(lines))
    pairs = read_entailment(path)
    found = measure_entailment(TaskTexts(topical(), topical(200)), pairs[:180], pairs[180:], "d")
    assert found.control is not None
    assert found.value > 0.8 and found.control > 0.8 and found.low <= found.value <= found.high


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    alike, sentences = tmp_path / "a.tsv", tmp_path / "s.jsonl"
    alike.write_text("word\tother\tscore\nHeart\tValve\t7.5\n\nbone\tcast\t3\n")
    assert read_rated_pairs(alike) == [
        RatedPair("heart", "valve", 7.5),
        RatedPair("bone", "cast", 3.0),
    ]
    alike.write_text('\ufeffMean,Stdev,Term1,Term2,CUI1\n7.5,1,Heart,Valve,\n3,2,bone,"cast",C1\n')
    assert read_rated_pairs(alike) == [
        RatedPair("heart", "valve", 7.5),
        RatedPair("bone", "cast", 3.0),
    ]
    alike.write_text("Mean,Term1,Term2\n1,a,b\nmuch,a,b\n")
    with pytest.raises(ConfigError, match="line 3"):
        read_rated_pairs(alike)
    alike.write_text("a\tb\t1\na b 1\n")
    with pytest.raises(ConfigError, match="line 2"):
        read_rated_pairs(alike)
    pair = {"sentence1": "A b", "sentence2": "C", "gold_label": "-"}
    sentences.write_text(json.dumps(pair))
    with pytest.raises(ConfigError, match="no pairs"):
        read_entailment(sentences)
    sentences.write_text(json.dumps(pair | {"gold_label": "neutral"}))
    assert read_entailment(sentences)[0].first == ["a", "b"]
    sentences.write_text("{}")
    with pytest.raises(ConfigError, match="line 1"):
        read_entailment(sentences)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_rated_pairs(tmp_path / "none")
