"""How much a synthetic letter resembles the letter it was made from: words, features, meaning.

The measures of Belkadi et al. (2023), section 4.1. Each is taken three times: for a letter and its
source, for a letter and the source of another, and for a source and itself.

ROUGE is counted here, not by `rouge-score`: its ROUGE-L in Python takes 45 ms for two letters of
420 words, that of rapidfuzz 0.1 ms, and all that is measured here 34 times as long (6.3 s for 60
letters, not 0.18 s). The numbers are the same (tested).
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from stop_words import StopWordError, get_stop_words

from evaluation.attacks.proximity import words_of
from evaluation.detection.intervals import percentile_interval
from evaluation.gate import Axis, Measured
from evaluation.utility.readability import formulas_of, readability
from record.errors import ConfigError

Floats = NDArray[np.float64] | NDArray[np.float32]

TOPS = (5, 10, 20, 50, 100)
"""How many of the most frequent words of a letter are its features."""


@dataclass(frozen=True)
class Refilled:
    """A source with the letters that were made from it, as texts in one language."""

    source: str = field(repr=False)
    made: Sequence[str] = field(repr=False)
    lang: str = ""


Score = Callable[[str, str, str], float]
"""Compares a letter with a source, both in the language named last; 1 for equal ones."""

Vectors = Callable[[str], Floats]
"""Gives a unit vector in context for each piece of a text: [pieces, width]."""

_KEPT = 64  # texts whose words and vectors are kept for the next comparison


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision and recall of what a letter has of its source, and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean; 0 where both are."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def rouge_words(text: str) -> list[str]:
    """Part a text into the words that ROUGE counts: small letters, without signs.

    Accents are composed, never dropped, and a letter of any script is one. The tokenizer of the
    `rouge-score` library keeps a to z and digits only, and parts `hôpital` into `h` and `pital`.
    """
    return [
        word for word in words_of(unicodedata.normalize("NFC", text)) if any(map(str.isalnum, word))
    ]


def rouge_n(made: Sequence[str], source: Sequence[str], size: int) -> Overlap:
    """Compare runs of `size` words, each as often as both have it (Lin 2004)."""
    one, other = (
        Counter(zip(*(words[start:] for start in range(size)), strict=False))
        for words in (made, source)
    )
    common = (one & other).total()
    return _overlap(common, one.total(), other.total())


def rouge_l(made: Sequence[str], source: Sequence[str]) -> Overlap:
    """Compare by the longest sequence of words that both have in order (Lin 2004)."""
    numbers: dict[str, int] = {}
    one, other = ([numbers.setdefault(word, len(numbers)) for word in ws] for ws in (made, source))
    return _overlap(LCSseq.similarity(one, other), len(one), len(other))


def bert_score(made: Floats, source: Floats) -> Overlap:
    """Compare unit vectors of pieces, each with the nearest of the other text.

    BERTScore (Zhang et al. 2020) without weights for rare words and without rescaling.
    """
    if not len(made) or not len(source):
        return _overlap(0, len(made), len(source))
    cosines = made @ source.T
    return Overlap(float(cosines.max(1).mean()), float(cosines.max(0).mean()))


def features(text: str, lang: str, most: int) -> list[str]:
    """Return the most frequent words, no stop words and no numbers; the first of equals first.

    Raises ConfigError where no stop words are known for the language.
    """
    stops = _stop_words(lang)
    words = [w for w in rouge_words(text) if any(map(str.isalpha, w)) and w not in stops]
    return [word for word, _ in Counter(words).most_common(most)]


def resemblance(
    letters: Sequence[Refilled],
    data: str,
    vectors: Vectors | None = None,
    tell: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Measure the mean ROUGE F, shared features and, with `vectors`, BERTScore F.

    The letters of one source count together as one; bounds are those of the bootstrap over
    sources. What chance gives is the score beside the source of the next. `tell` hears how many
    sources of how many are done. At least two sources (ValueError).
    """
    scores = _scores(vectors)
    rows = _rows(letters, scores, tell)
    detail = {"sources": len(letters), "letters": sum(len(each.made) for each in letters)}
    found = []
    for number, name in enumerate(scores):
        values, null, control = rows[:, number].T.tolist()
        low, high = percentile_interval(values)
        found.append(
            Measured(
                name, Axis.RESEMBLANCE, fmean(values), low, high, data,
                null=fmean(null), control=fmean(control), detail=detail,
            )
        )  # fmt: skip
    return found


def reading_ease(letters: Sequence[Refilled], data: str) -> Measured:
    """Measure how far the reading ease of letters is from that of their sources, in points.

    The mean of the absolute differences, each by the first formula of the letter's language; texts
    without words are left out. What chance gives is that of letters and the next source. `detail`
    has the means of every formula, for letters and sources. Raises ConfigError where a language
    has no formula, ValueError where no text has words.
    """
    ranked = sorted(letters, key=lambda each: each.lang)
    told = lru_cache(_KEPT)(readability)

    def shifts(pairs: Iterable[Refilled]) -> list[float]:
        found = (_shift(each, told) for each in pairs)
        return [each for each in found if each is not None]

    values = shifts(ranked)
    if not values:
        raise ValueError("no text has words")
    low, high = percentile_interval(values)
    detail: dict[str, float | int | str] = {"sources": len(letters)}
    for lang in sorted({each.lang for each in letters}):
        some = [each for each in letters if each.lang == lang]
        detail |= _eases("sources", [each.source for each in some], lang)
        detail |= _eases("letters", [text for each in some for text in each.made], lang)
    return Measured(
        "reading-ease-shift", Axis.RESEMBLANCE, fmean(values), low, high, data,
        null=fmean(shifts(shifted(ranked))), control=0.0, detail=detail,
    )  # fmt: skip


def _shift(pair: Refilled, told: Callable[[str, str], Mapping[str, float]]) -> float | None:
    """Return the mean distance of letters from their source; none without words to compare."""
    name = next(iter(formulas_of(pair.lang)))
    source = told(pair.source, pair.lang).get(name)
    made = [found[name] for text in pair.made if (found := told(text, pair.lang))]
    if source is None or not made:
        return None
    return fmean(abs(each - source) for each in made)


def _eases(side: str, texts: Sequence[str], lang: str) -> dict[str, float]:
    """Return the mean of every formula over texts that have words."""
    numbers = [found for text in texts if (found := readability(text, lang))]
    return {
        f"{name} of {side}": round(fmean(each[name] for each in numbers), 2)
        for name in formulas_of(lang)
        if numbers
    }


def shifted(letters: Sequence[Refilled]) -> list[Refilled]:
    """Put the letters of each source beside the next source; at least two (ValueError)."""
    if len(letters) < 2:
        raise ValueError("letters of at least two sources are needed")
    nexts = [*letters[1:], letters[0]]
    return [
        Refilled(n.source, each.made, each.lang) for each, n in zip(letters, nexts, strict=True)
    ]


def _scores(vectors: Vectors | None) -> dict[str, Score]:
    # A letter is compared several times, soon after one another.
    words = lru_cache(_KEPT)(rouge_words)
    scores: dict[str, Score] = {
        "rouge-1": lambda one, other, lang: rouge_n(words(one), words(other), 1).f1,
        "rouge-2": lambda one, other, lang: rouge_n(words(one), words(other), 2).f1,
        "rouge-l": lambda one, other, lang: rouge_l(words(one), words(other)).f1,
    }
    if vectors:
        told = lru_cache(_KEPT)(vectors)
        scores["bertscore"] = lambda one, other, lang: bert_score(told(one), told(other)).f1
    ranked = lru_cache(_KEPT)(partial(features, most=max(TOPS)))

    def top(one: str, other: str, lang: str, most: int) -> float:
        first, second = set(ranked(one, lang)[:most]), set(ranked(other, lang)[:most])
        return len(first & second) / len(second) if second else float(first == second)

    return scores | {f"top-{most}-features": partial(top, most=most) for most in TOPS}


def _rows(
    letters: Sequence[Refilled],
    scores: Mapping[str, Score],
    tell: Callable[[int, int], None],
) -> Floats:
    """Score each source: [sources, scores, 3]: its letters, letters of another, and itself."""
    rows = np.empty((len(letters), len(scores), 3))
    pairs = zip(rows, letters, shifted(letters), strict=True)
    for done, (row, each, other) in enumerate(pairs, start=1):
        itself = Refilled(each.source, [each.source], each.lang)
        for number, score in enumerate(scores.values()):
            row[number] = [
                fmean(score(made, pair.source, pair.lang) for made in pair.made)
                for pair in (each, other, itself)
            ]
        tell(done, len(letters))
    return rows


def _overlap(common: int, made: int, source: int) -> Overlap:
    if not made or not source:  # nothing is like nothing, and like nothing else
        return Overlap(float(made == source), float(made == source))
    return Overlap(common / made, common / source)


@cache
def _stop_words(lang: str) -> frozenset[str]:
    try:
        return frozenset(get_stop_words(lang))
    except StopWordError:
        problem = f"no stop words are known for {lang or 'notes without a language'}"
        raise ConfigError("lang", problem, "give a language, as fr, en or es") from None
