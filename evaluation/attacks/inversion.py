"""The attack of a look-up table: which word stands behind a vector, by vectors of known words.

The attacker has the representer, puts every word of a vocabulary into sentences of their own, and
keeps the mean of its vectors. A vector that was shared is read as the word with the nearest mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.sentence_pairs import Encode, Floats, Vectors, seeds, whitening
from models.private.sentences import Sentence
from models.tagger.encoders.bilstm import CASES, case_of

CARRIERS = 4
"""Sentences that each word is put into."""

TOP = (1, 5)
"""How many guesses are counted."""

_REACH = 5
_BLOCK = 512
_CASED = frozenset(CASES.index(name) for name in ("lower", "upper", "initial upper", "other"))


@dataclass(frozen=True)
class Slots:
    """Tokens of sentences: which sentence, which token in it, and which word of a vocabulary it is.

    All are [slots].
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    word: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.word)

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> "Slots":
        """Return some of them."""
        return Slots(self.sentence[chosen], self.token[chosen], self.word[chosen])

    def vectors(self, shared: Sequence[Vectors]) -> Floats:
        """Return the vectors of the tokens: [slots, size]."""
        found = [shared[row][place] for row, place in zip(self.sentence, self.token, strict=True)]
        return np.stack(found).astype(np.float64)


@dataclass(frozen=True)
class Codebook:
    """What the vectors of words look like.

    `means` is [words, size], white as far as the vectors of one word differ; `scale` whitens
    others; `kinds` tells of each word what its case can be.
    """

    means: Floats = field(repr=False)
    scale: Floats = field(repr=False)
    kinds: NDArray[np.int64] = field(repr=False)

    def distances(self, vectors: Floats, kinds: NDArray[np.int64]) -> Floats:
        """Return the squared distance of vectors from words, infinite where the case rules it out.

        [vectors, size], [vectors] -> [vectors, words]
        """
        white = vectors @ self.scale
        squares = (white**2).sum(1)[:, None] + (self.means**2).sum(1) - 2 * white @ self.means.T
        return np.where(kinds[:, None] == self.kinds, np.maximum(squares, 0), np.inf)


def slots_of(sentences: Sequence[Sentence], vocabulary: dict[str, int], *, phi: bool) -> Slots:
    """Find the tokens that identify somebody, or those that do not, as far as their word is known.

    `vocabulary` has words in folded case with their number.
    """
    rows = [
        (number, place, vocabulary[token.casefold()])
        for number, sentence in enumerate(sentences)
        for place, (token, hidden) in enumerate(zip(sentence.tokens, sentence.phi, strict=True))
        if hidden is phi and token.casefold() in vocabulary
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return Slots(*columns)


def make_codebook(
    words: Sequence[str],
    carriers: Sequence[tuple[Sentence, int]],
    encode: Encode,
    seed: int,
) -> Codebook:
    """Encode every word in drawn carriers, sentences with the place of the token to put it into.

    Raises ValueError where there is no carrier.
    """
    if not carriers:
        raise ValueError("no sentences to put words into")
    chance = np.random.default_rng(seed)
    drawn = chance.integers(len(carriers), size=(CARRIERS, len(words)))
    found = [
        _placed(words, [carriers[number] for number in row], encode, each)
        for row, each in zip(drawn, seeds(seed, CARRIERS, "carriers"), strict=True)
    ]
    means = np.mean(found, axis=0)
    scale = whitening(np.concatenate([each - means for each in found]))
    return Codebook(means @ scale, scale, kinds_of(words))


def carriers_of(sentences: Sequence[Sentence], *, phi: bool) -> list[tuple[Sentence, int]]:
    """Find places where identifiers stand, or where they do not, with the tokens around each."""
    return [
        window(sentence, place)
        for sentence in sentences
        for place, hidden in enumerate(sentence.phi)
        if hidden is phi
    ]


def window(sentence: Sentence, place: int) -> tuple[Sentence, int]:
    """Cut a sentence to the tokens around one; returns the rest and the place of the
    token there.
    """
    first, end = max(0, place - _REACH), place + _REACH + 1
    some = replace(
        sentence,
        tokens=sentence.tokens[first:end],
        offsets=sentence.offsets[first:end],
        casing=sentence.casing[first:end],
        spans=(),
    )
    return some, place - first


def kinds_of(words: Sequence[str]) -> NDArray[np.int64]:
    """Return what the case of each word can be, as far as it is of the word itself: [words]."""
    return np.array([kind_of_case(CASES.index(case_of(word))) for word in words], np.int64)


def kind_of_case(casing: int) -> int:
    """Return what the class of a token's case tells of the word: letters alone, or which digits."""
    return -1 if casing in _CASED else casing


def ranks(
    book: Codebook, vectors: Floats, kinds: NDArray[np.int64], words: NDArray[np.int64]
) -> Floats:
    """Return how many words are nearer to each vector than its own: [vectors].

    Of words that are as near as its own, half count.
    """
    found = np.empty(len(words))
    for start in range(0, len(words), _BLOCK):
        some = slice(start, start + _BLOCK)
        found[some] = place_of(-book.distances(vectors[some], kinds[some]), words[some])
    return found


def place_of(scores: Floats, words: NDArray[np.int64]) -> Floats:
    """Return how many others have a score above that of the right one; of equals half count.

    [rows, candidates], [rows] -> [rows]
    """
    own = scores[np.arange(len(words)), words][:, None]
    above, equal = (scores > own).sum(1), (scores == own).sum(1) - 1
    found: Floats = above + equal / 2
    return found


def kinds_at(sentences: Sequence[Sentence], slots: Slots) -> NDArray[np.int64]:
    """Return what the case of the tokens of slots tells of their words: [slots]."""
    pairs = zip(slots.sentence, slots.token, strict=True)
    return np.array([kind_of_case(sentences[row].casing[place]) for row, place in pairs], np.int64)


def blinded(sentences: Sequence[Sentence], words: Sequence[str], seed: int) -> list[Sentence]:
    """Put drawn words in the place of all identifiers: their vectors cannot tell what stood there.

    A word is drawn evenly among those whose case can be that of the token; the class of its case
    stays.
    """
    chance = np.random.default_rng(seed)
    by_kind: dict[int, list[str]] = {}
    for word, kind in zip(words, kinds_of(words).tolist(), strict=True):
        by_kind.setdefault(kind, []).append(word)
    found = []
    for sentence in sentences:
        tokens = list(sentence.tokens)
        for place, hidden in enumerate(sentence.phi):
            some = by_kind.get(kind_of_case(sentence.casing[place]), []) if hidden else []
            if some:
                tokens[place] = some[chance.integers(len(some))]
        found.append(replace(sentence, tokens=tuple(tokens)))
    return found


def _placed(
    words: Sequence[str],
    carriers: Sequence[tuple[Sentence, int]],
    encode: Encode,
    seed: int,
) -> Floats:
    filled = [
        replace(carrier, tokens=(*carrier.tokens[:at], word, *carrier.tokens[at + 1 :]))
        for word, (carrier, at) in zip(words, carriers, strict=True)
    ]
    encoded = encode(filled, seed)
    return np.stack([e[at] for e, (_, at) in zip(encoded, carriers, strict=True)]).astype(
        np.float64
    )
