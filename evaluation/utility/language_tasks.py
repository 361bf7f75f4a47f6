"""Utility of synthetic notes for three language tasks, compared with real notes.

The tasks of Melamud and Shivade (2019), section 5.3: word similarity, entailment, and restoring
capitals. Each number is compared with that of real notes, and of random words with their
frequencies.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from scipy.stats import bootstrap, spearmanr

from evaluation.detection.intervals import CONFIDENCE, RESAMPLES, ratio_intervals
from evaluation.gate import Axis, Measured
from models.language.networks.evaluation_networks import (
    Floats,
    WordPair,
    cosine_similarity,
    lowercase,
    random_vectors,
    train_entailment,
    train_truecaser,
    train_word_vectors,
)
from record.errors import ConfigError
from record.tokens import tokens
from synthesis.corpus_statistics import words_in

LEAST = 20
"""How often both words of a pair must occur in the real notes for it to count."""

_FEWEST_PAIRS = 3
_COLUMNS = ("term1", "term2", "mean")


@dataclass(frozen=True)
class TaskTexts:
    """Training texts: real ones, synthetic ones, and random words by frequency."""

    real: Sequence[str] = field(repr=False)
    synthetic: Sequence[str] = field(repr=False)
    seed: int = 1

    @property
    def by_frequency(self) -> list[str]:
        """As many words as the synthetic texts have, drawn independently from the real ones."""
        counts = Counter(word for text in self.real for word in words_in(text))
        words, weights = list(counts), list(counts.values())
        chance = Random(self.seed)  # noqa: S311 - what is drawn is no secret
        return [
            " ".join(chance.choices(words, weights, k=len(words_in(text))))
            for text in self.synthetic
        ]

    def sentences(self, texts: Iterable[str]) -> list[list[str]]:
        """Return texts as lines of lowercase words."""
        lines = (line for text in texts for line in text.splitlines())
        return [[word.lower() for word in words_in(line)] for line in lines if line.strip()]


# Capitals


def measure_case_restoration(
    sources: TaskTexts, test: Sequence[str], data: str, *, characters: int
) -> Measured:
    """Measure the F1 of capitals restored in lowercased real notes of other patients.

    The model learns from synthetic notes. All models read the same number of characters. The bounds
    are those of the bootstrap over test notes.
    """

    def counts(texts: Sequence[str]) -> Floats:
        model = train_truecaser(texts, characters=characters, seed=sources.seed)
        return np.array(
            [count_casing(text, model.restore(lowercase(text))) for text in test], np.float32
        )

    made, real, drawn = map(counts, (sources.synthetic, sources.real, sources.by_frequency))
    low, high = ratio_intervals(_f1_parts(made)[:, None].astype(np.float64))[0]
    return Measured(
        "case-restoration", Axis.UTILITY, _f1(made), float(low), float(high), data,
        null=_f1(drawn), control=_f1(real), detail={"notes": len(test), "characters": characters},
    )  # fmt: skip


def count_casing(text: str, restored: str) -> tuple[int, int, int]:
    """Count words with capitals: restored exactly, wrongly, and not at all."""
    hits = inventions = misses = 0
    for start, end in tokens(text):
        word, found = text[start:end], restored[start:end]
        plain = lowercase(word)
        hits += word != plain and found == word
        inventions += found not in (plain, word)
        misses += word not in (plain, found)
    return hits, inventions, misses


def _f1_parts(counts: Floats) -> Floats:
    """Return numerator and denominator of F1 for each note: [notes, 2]"""
    hits, inventions, misses = counts.T
    return np.stack([2 * hits, 2 * hits + inventions + misses], axis=1)


def _f1(counts: Floats) -> float:
    above, below = _f1_parts(counts).sum(0)
    return float(above / below) if below else 0.0


# Word similarity


@dataclass(frozen=True)
class RatedPair:
    """Two words, and their similarity as rated by people."""

    one: str
    other: str
    score: float


def read_rated_pairs(path: Path) -> list[RatedPair]:
    """Read pairs of words with a similarity rating; raises ConfigError.

    Each line is either two words and a number separated by tabs, where a first line without a
    number is a heading and skipped; or comma-separated values under a heading with Term1, Term2 and
    Mean, as in UMNSRS (Pakhomov et al., 2010).
    """
    remedy = "give two words and a number on each line, separated by tabs"
    lines = list(_read_lines(path, remedy))
    # The columns of words and rating, if this is a comma-separated heading
    head = lines[:1]
    names = [name.strip().lower() for line in head for name in line.split(",")]
    places = [names.index(name) for name in _COLUMNS] if set(_COLUMNS) <= set(names) else None
    found: list[RatedPair] = []
    for number, line in enumerate(lines, start=1):
        try:
            parts = line.split("\t") if places is None else next(csv.reader([line]))
            one, other, score = (parts[place] for place in places or range(3))
            found.append(RatedPair(one.strip().lower(), other.strip().lower(), float(score)))
        except (IndexError, ValueError, csv.Error):
            if number == 1:
                continue
            raise ConfigError(
                f"{path}, line {number}", "not a pair of words with a number", remedy
            ) from None
    return found


def select_frequent(
    pairs: Iterable[RatedPair], real: Iterable[Sequence[str]], least: int
) -> list[RatedPair]:
    """Return the pairs whose words both occur often enough in real sentences."""
    counts = Counter(word for sentence in real for word in sentence)
    return [each for each in pairs if min(counts[each.one], counts[each.other]) >= least]


def measure_word_likeness(
    sources: TaskTexts, pairs: Sequence[RatedPair], data: str, *, least: int = LEAST
) -> Measured:
    """Measure Spearman's correlation of cosine similarities of words with ratings by people.

    Only pairs whose words are frequent in the real notes count. The bounds are those of the
    bootstrap over pairs. Raises ConfigError if too few pairs count.
    """
    real = sources.sentences(sources.real)
    kept = select_frequent(pairs, real, least)
    if len(kept) < _FEWEST_PAIRS:
        problem = (
            f"only {len(kept)} pairs have words that both occur {least} times in the real notes"
        )
        raise ConfigError("--word-pairs", problem, "give another file, or more notes")
    ratings = [each.score for each in kept]

    def cosines(vectors: Mapping[str, Floats]) -> list[float]:
        return [cosine_similarity(vectors, each.one, each.other) for each in kept]

    made = train_word_vectors(sources.sentences(sources.synthetic), seed=sources.seed)
    found = cosines(made)
    known = {word for each in kept for word in (each.one, each.other)}
    chance = cosines(random_vectors(sorted(known), seed=sources.seed))
    low, high = correlation_bounds(found, ratings)
    value = _correlation(found, ratings)
    return Measured(
        "word-likeness", Axis.UTILITY, value, min(low, value), max(high, value), data,
        null=_correlation(chance, ratings),
        control=_correlation(cosines(train_word_vectors(real, seed=sources.seed)), ratings),
        detail={
            "pairs": len(pairs), "pairs that count": len(kept),
            "with words unknown": sum(not {each.one, each.other} <= made.keys() for each in kept),
        },
    )  # fmt: skip


def correlation_bounds(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Bound Spearman's correlation by the percentile bootstrap over pairs."""
    if len(set(one)) == 1 or len(set(other)) == 1:
        return -1.0, 1.0  # undefined without variation
    found = bootstrap(
        (one, other), _correlation, paired=True, vectorized=False,
        n_resamples=RESAMPLES // 4, confidence_level=CONFIDENCE, method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    if len(set(one)) == 1 or len(set(other)) == 1:
        return 0.0
    return float(spearmanr(one, other).statistic)


# Entailment


def read_entailment(path: Path) -> list[WordPair]:
    """Read JSON Lines with `sentence1`, `sentence2` and `gold_label`, as in SNLI and MedNLI.

    Pairs without a consensus label (`-`) are skipped. Raises ConfigError.
    """
    remedy = "give JSON Lines with sentence1, sentence2 and gold_label"
    found = []
    for number, line in enumerate(_read_lines(path, remedy), start=1):
        try:
            held = json.loads(line)
            first, second, label = (held[n] for n in ("sentence1", "sentence2", "gold_label"))
            both = [[word.lower() for word in words_in(each)] for each in (first, second)]
        except (ValueError, KeyError, TypeError):
            raise ConfigError(f"{path}, line {number}", "not a pair of sentences", remedy) from None
        if label != "-":
            found.append(WordPair(both[0], both[1], str(label)))
    if not found:
        raise ConfigError(str(path), "no pairs of sentences", remedy)
    return found


def measure_entailment(
    sources: TaskTexts, train: Sequence[WordPair], test: Sequence[WordPair], data: str
) -> Measured:
    """Measure the accuracy of entailment prediction with word vectors learnt from synthetic notes.

    The bounds are those of the bootstrap over test pairs.
    """

    def right(texts: Sequence[str]) -> list[bool]:
        vectors = train_word_vectors(sources.sentences(texts), seed=sources.seed)
        return train_entailment(train, vectors, seed=sources.seed).is_correct(test)

    made, real, drawn = map(right, (sources.synthetic, sources.real, sources.by_frequency))
    rows = np.array([[[each, 1.0]] for each in made], np.float64)
    low, high = ratio_intervals(rows)[0]
    return Measured(
        "entailment", Axis.UTILITY, float(np.mean(made)), float(low), float(high), data,
        null=float(np.mean(drawn)), control=float(np.mean(real)),
        detail={"pairs to learn from": len(train), "pairs": len(test)},
    )  # fmt: skip


def _read_lines(path: Path, remedy: str) -> Iterator[str]:
    try:
        content = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", remedy) from None
    return (line for line in content.splitlines() if line.strip())
