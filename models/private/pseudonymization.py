"""Pseudonymization of words by random nearest neighbours, for training data and fake pairs.

The automatic pseudonymization of Friedrich et al. (ACL 2019). It promises no least distance
between a word and what replaces it, and a word in many sentences can be told from what its
replacements have in common: what comes out is pseudonymized, not anonymous.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from models.private.embeddings import Embeddings
from models.private.sentences import Sentence

_LETTERS = 3  # the shortest word that others must not contain
_DIGITS = "0123456789"


@dataclass(frozen=True, eq=False)
class NeighbourReplacer:
    """Replaces a word by one of its nearest neighbours by cosine, uniformly at random.

    With one neighbour every word stays. Else digits become others in the same shape, and a word
    is one of its own neighbours; stop words, signs and words without a vector stay. With
    `excludes` no word of three letters or more becomes one that contains it, itself among them.
    """

    embeddings: Embeddings = field(repr=False)
    neighbours: int
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    excludes: bool = True
    _found: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.neighbours < 1:
            raise ValueError("neighbours must be at least 1")

    def choices(self, token: str) -> list[str]:
        """Return the case-folded words that may replace a token; itself alone if it is kept.

        Digits are not covered: any digit may replace another.
        """
        word = token.casefold()
        if word not in self._found:
            self._found[word] = self._choices(word)
        return self._found[word]

    def prepare(self, sentences: Sequence[Sentence]) -> None:
        """Look up the choices of all identifying words together, which takes far less time."""
        words = sorted(
            {
                token.casefold()
                for sentence in sentences
                for token, is_phi in zip(sentence.tokens, sentence.phi, strict=True)
                if is_phi and not self._is_kept(token.casefold())
            }
            - self._found.keys()
        )
        if not words:
            return
        vectors = self.embeddings.vectors(words)
        wanted = min(2 * self.neighbours + 20, len(self._replacement_words.words))
        for word, vector, places in zip(
            words, vectors, self._replacement_words.nearest(vectors, wanted), strict=True
        ):
            near = [self._replacement_words.words[place] for place in places]
            kept = self._allowed(word, near) if vector.any() else [word]
            if len(kept) >= self.neighbours or wanted == len(self._replacement_words.words):
                self._found[word] = kept

    def replace(
        self, sentence: Sentence, rng: random.Random, memory: dict[str, str] | None = None
    ) -> Sentence:
        """Replace every identifying token; with a `memory` the same word always by the same."""
        tokens = list(sentence.tokens)
        for first, end, _ in sentence.spans:
            for place in range(first, end):
                tokens[place] = self._replacement(tokens[place], rng, memory)
        return replace(sentence, tokens=tuple(tokens))

    def replace_one(self, sentence: Sentence, rng: random.Random) -> Sentence | None:
        """Change exactly one identifying token; None where none of them can change."""
        places = [place for place, is_phi in enumerate(sentence.phi) if is_phi]
        for place in rng.sample(places, len(places)):
            token = sentence.tokens[place]
            new = self._different_replacement(token, rng)
            if new != token:
                tokens = (*sentence.tokens[:place], new, *sentence.tokens[place + 1 :])
                return replace(sentence, tokens=tokens)
        return None

    def _replacement(self, token: str, rng: random.Random, memory: dict[str, str] | None) -> str:
        word = token.casefold()
        if memory is not None and word in memory:
            return _cased(token, memory[word])
        new = self._digits(word, rng) if _has_digit(word) else rng.choice(self.choices(word))
        if memory is not None:
            memory[word] = new
        return _cased(token, new)

    def _different_replacement(self, token: str, rng: random.Random) -> str:
        word = token.casefold()
        if _has_digit(word):
            new = self._digits(word, rng)
            while new == word and self.neighbours > 1:
                new = self._digits(word, rng)
            return _cased(token, new)
        others = [choice for choice in self.choices(word) if choice != word]
        return _cased(token, rng.choice(others)) if others else token

    def _digits(self, word: str, rng: random.Random) -> str:
        if self.neighbours == 1:
            return word
        return "".join(rng.choice(_DIGITS) if char.isdecimal() else char for char in word)

    def _choices(self, word: str) -> list[str]:
        if self._is_kept(word):
            return [word]
        vector = self.embeddings.vectors([word])
        if not vector.any():
            return [word]
        places = self._replacement_words.nearest(vector, len(self._replacement_words.words))[0]
        return self._allowed(word, [self._replacement_words.words[place] for place in places])

    def _allowed(self, word: str, near: Sequence[str]) -> list[str]:
        """Keep the neighbours that a word may become, the nearest first, itself where it may."""
        if self.excludes and len(word) >= _LETTERS:
            kept = [other for other in near if word not in other]
        else:
            kept = [word, *(other for other in near if other != word)]
        return kept[: self.neighbours] or [word]

    def _is_kept(self, word: str) -> bool:
        return self.neighbours == 1 or word in self.stop_words or not word[:1].isalpha()

    @cached_property
    def _replacement_words(self) -> Embeddings:
        """The words that may replace others: those of letters alone."""
        held = self.embeddings
        places = [place for place, word in enumerate(held.words) if word.isalpha()]
        none = np.zeros((0, held.size), np.float32)
        return Embeddings([held.words[place] for place in places], held.matrix[places], none)


def pseudonymize(
    notes: Sequence[Sequence[Sentence]],
    pseudonymizer: NeighbourReplacer,
    rng: random.Random,
    *,
    consistent: bool = False,
) -> list[Sentence]:
    """Replace every identifying token of all notes, and shuffle their sentences.

    `consistent` replaces a word the same way throughout a note: then what its replacements have
    in common tells nothing of it. What others shall read is drawn by `random.SystemRandom`: who
    can guess the seed of another source can undo it.
    """
    made = []
    for note in notes:
        pseudonymizer.prepare(note)
        memory: dict[str, str] | None = {} if consistent else None
        made += [pseudonymizer.replace(sentence, rng, memory) for sentence in note]
    rng.shuffle(made)
    return made


def _has_digit(word: str) -> bool:
    return any(char.isdecimal() for char in word)


def _cased(token: str, word: str) -> str:
    """Write a case-folded word in the case of a token."""
    if word == token.casefold():
        return token
    if token.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if token[:1].isupper() else word
