"""The attack on what is repeated: several sights of one identifier tell more than each alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.inversion import (
    Codebook,
    Slots,
    place_of,
)
from evaluation.attacks.sentence_pairs import Floats

FEWEST = 2
MOST = 8
"""Sights of one identifier that are laid over each other, at least and at most."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """How many words are likelier than the true one, for each identifier, after all its sights."""

    ranks: Floats
    sights: NDArray[np.int64]


def intersect_vectors(
    book: Codebook, slots: Slots, vectors: Floats, kinds: NDArray[np.int64]
) -> Repeated:
    """Add up how far the vectors of one word are from each word of a vocabulary.

    The attacker knows which vectors are of one word, as who knows that a name stands in every
    letter of a patient does. `vectors` and `kinds` are those of `slots`.
    """
    found, sights = [], []
    for word in np.unique(slots.word):
        rows = np.flatnonzero(slots.word == word)[:MOST]
        if len(rows) >= FEWEST:
            total = book.distances(vectors[rows], kinds[rows]).sum(0)
            found.append(place_of(-total[None], np.array([word]))[0])
            sights.append(len(rows))
    return Repeated(np.array(found), np.array(sights, np.int64))


def intersect_words(
    drawn: Mapping[str, Sequence[str]],
    vocabulary: Iterable[str],
    choices: Callable[[str], Sequence[str]],
) -> Repeated:
    """Rank the words that an identifier can have been, by what it became in several places.

    `drawn` has, for each true word, the words that stand in its places; `choices` gives what a word
    of the vocabulary may become, each as likely as the others. A word that cannot become one of
    those seen is ruled out; of the rest, those with fewer choices are likelier.
    """
    words = sorted({*vocabulary, *drawn})
    becomes = [frozenset(choices(word)) for word in words]
    found = []
    for truth, seen in drawn.items():
        told = np.array([_likelihood(seen, some) for some in becomes])
        found.append(place_of(told[None], np.array([words.index(truth)]))[0])
    sights = np.array([len(seen) for seen in drawn.values()], np.int64)
    return Repeated(np.array(found), sights)


def _likelihood(seen: Sequence[str], becomes: frozenset[str]) -> float:
    """Return the logarithm of the chance that a word became what was seen."""
    if not all(word in becomes for word in seen):
        return -np.inf
    return float(-len(seen) * np.log(len(becomes)))
