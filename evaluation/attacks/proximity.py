"""Which real note a synthetic one is nearest to, and which pairs people should read.

The screening of Libbi et al. (2021), section 4.3: the nearest training document by ROUGE-3, by
ROUGE-5 and by BM25, filtered to the pairs worth a reader's time.
ROUGE-N is counted here: `rouge-score` compares two texts, and has no search among many.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import bm25s
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

SIZES = (3, 5)
"""Lengths of the n-grams, in words."""

TOP = 100
"""Pairs of each list that go to the readers."""

_ROWS = 256  # synthetic notes compared at a time, which bounds memory
_WORD = re.compile(r"<\w+>|\w+|[^\w\s]")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Nearest:
    """The real note that a synthetic one is nearest to: places in the two lists, and how near."""

    synthetic: int
    real: int
    score: float


@dataclass(frozen=True, slots=True)
class NearestPair:
    """A synthetic and a real note for people to read: places in the two lists, found by what."""

    synthetic: int
    real: int
    found_by: str
    score: float


def words_of(text: str) -> list[str]:
    """Part a text into words in small letters, signs, and tags in angle brackets."""
    return [word if word.startswith("<") else word.lower() for word in _WORD.findall(text)]


class WordCorpus:
    """Real notes, indexed by their n-grams; compared with any number of others.

    Comparisons are products of sparse matrices over what notes share, an inverted index: pairs
    that share nothing cost nothing.
    """

    def __init__(self, notes: Iterable[Sequence[str]]) -> None:
        held = [list(note) for note in notes]
        if not any(held):
            raise ValueError("there are no real notes to compare with")
        self._size = len(held)
        self._grams = {size: _Columns() for size in SIZES}
        self._index = {
            size: _matrix(_grams(held, size), columns, grow=True).T.tocsr()
            for size, columns in self._grams.items()
        }

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"Corpus({len(self)} notes)"

    def rouge(self, synthetic: Sequence[Sequence[str]], size: int) -> list[Nearest]:
        """Find the nearest note by the share of the synthetic note's n-grams that is found in it.

        That is ROUGE-N recall (Lin 2004) with the synthetic note as the reference: 1 where all of
        it was copied. Each n-gram counts as often as both notes have it. Ties go to the first.
        """
        found: list[Nearest] = []
        for start in range(0, len(synthetic), _ROWS):
            notes = synthetic[start : start + _ROWS]
            rows = _matrix(_grams(notes, size), self._grams[size], grow=False)
            totals = np.array([max(len(note) - size + 1, 1) for note in notes], np.float64)
            scores = rows @ self._index[size]
            dense = scores.toarray()
            best = dense.argmax(1)
            nearest = dense[np.arange(len(best)), best] / totals
            found += [
                Nearest(start + number, real, score)
                for number, (real, score) in enumerate(
                    zip(best.tolist(), nearest.tolist(), strict=True)
                )
            ]
        return found


def _grams(notes: Iterable[Sequence[str]], size: int) -> Iterator[dict[object, float]]:
    return (dict.fromkeys(_occurrences(note, size), 1.0) for note in notes)


class _Columns(dict[object, int]):
    """Numbers what notes are made of, in the order in which it is met."""

    def number(self, thing: object) -> int:
        return self.setdefault(thing, len(self))


def _occurrences(note: Sequence[str], size: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Return each n-gram with its number among its equals: their overlap is then that of sets."""
    seen: Counter[tuple[str, ...]] = Counter()
    for start in range(len(note) - size + 1):
        gram = tuple(note[start : start + size])
        yield gram, seen[gram]
        seen[gram] += 1


def _matrix(
    rows: Iterable[Mapping[object, float]], columns: _Columns, *, grow: bool
) -> sparse.csr_matrix:
    """Lay counts out as a matrix; what has no column yet gets one, or is left out."""
    starts, places, values = [0], array("q"), array("d")
    for row in rows:
        for thing, value in row.items():
            place = columns.number(thing) if grow else columns.get(thing, -1)
            if place >= 0:
                places.append(place)
                values.append(value)
        starts.append(len(places))
    shape = (len(starts) - 1, len(columns))
    data = np.frombuffer(values, np.float64).copy()
    return sparse.csr_matrix((data, np.frombuffer(places, np.int64).copy(), starts), shape)


def review(
    by_rouge: Mapping[int, Sequence[Nearest]],
    by_bm25: Sequence[Nearest],
    synthetic: Sequence[str],
    real: Sequence[str],
) -> list[NearestPair]:
    """Choose the pairs that people should read, nearest first.

    `by_rouge` maps the length of the n-grams to the nearest notes; the lists run along `synthetic`.
    Of each list by ROUGE the first `TOP` pairs are taken, one that several lists hold once, and
    the BM25 pair of every note among them that it pairs differently. Left out are pairs that share
    structure alone: tags, signs, numbers of lists.
    """
    chosen: dict[tuple[int, int], NearestPair] = {}
    for size, found in by_rouge.items():
        for near in sorted(found, key=lambda near: (-near.score, near.synthetic))[:TOP]:
            place = near.synthetic, near.real
            chosen.setdefault(place, NearestPair(*place, f"ROUGE-{size}", near.score))
    for number in sorted({place[0] for place in chosen}):
        near = by_bm25[number]
        place = near.synthetic, near.real
        chosen.setdefault(place, NearestPair(*place, "BM25", near.score))
    return [
        pair
        for pair in chosen.values()
        if _shares_words(synthetic[pair.synthetic], real[pair.real])
    ]


def _shares_words(one: str, other: str) -> bool:
    """Return whether two notes have an n-gram in common that holds more words than signs."""
    size = min(SIZES)
    grams = [{gram for gram, _ in _occurrences(words_of(text), size)} for text in (one, other)]
    return any(
        sum(any(map(str.isalpha, word)) and word[0] != "<" for word in gram) * 2 > size
        for gram in set.intersection(*grams)
    )


K1, B = 1.2, 0.75
"""Saturation of repeated words and weight of the length."""


def nearest_by_bm25(
    synthetic: Sequence[Sequence[str]], real: Sequence[Sequence[str]]
) -> list[Nearest]:
    """Find the nearest note by Okapi BM25, each word of the synthetic note as a query term.

    The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)), never negative
    (Robertson and Zaragoza 2009, as in Lucene). Ties go to the first.
    """
    numbers: dict[str, int] = {}
    documents = [[numbers.setdefault(word, len(numbers)) for word in note] for note in real]
    index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    index.index((documents, numbers), create_empty_token=False, show_progress=False)
    found = []
    for place, note in enumerate(synthetic):
        query = [numbers[word] for word in note if word in numbers]
        # The library leaves out the constant factor k1 + 1, as Lucene does.
        scores = (K1 + 1) * (
            index.get_scores_from_ids(query) if query else np.zeros(len(documents))
        )
        nearest = int(scores.argmax())
        found.append(Nearest(place, nearest, float(scores[nearest])))
    return found
