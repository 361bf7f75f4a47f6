"""Constrained decoding: which ids may come next, so that generated words are words of a list."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache

import torch
from torch import Tensor

from models.language.corpus.vocabulary import Vocabulary, WordVocabulary
from record.errors import ConfigError

SHORT = 3
"""Letters of a word that is not looked up: abbreviations are as often as words."""

_MASKS = 2048  # kept at once, each as many bytes as the vocabulary has ids
_NO_LETTERS = re.compile(r"[\W\d_]+")
_INCOMPLETE = "\ufffd"  # what bytes that are no character decode to


class KnownWords:
    """A finite automaton over ids: its states are what was written of a word, in small letters.

    A word is a run of letters; one of more than SHORT letters must be among `words`, in whatever
    case. Raises ConfigError for a vocabulary of whole words, which has none but those of its notes.
    """

    def __init__(self, vocabulary: Vocabulary, words: Collection[str]) -> None:
        if isinstance(vocabulary, WordVocabulary):
            problem, remedy = "the model writes whole words of its notes", "leave it out"
            raise ConfigError("--known-words", problem, remedy)
        self._words = {word.casefold() for word in words if len(word) > SHORT}
        self._ordered = sorted(self._words)
        self._marks, self._size = len(vocabulary.marks), vocabulary.size
        # For each id the letters that it adds to a word, and what it begins, None if it ends none.
        self._heads: list[str] = [""] * self._size
        self._tails: list[str | None] = [""] * self._size
        self._going: defaultdict[str, list[int]] = defaultdict(list)
        self._ending: defaultdict[str, list[int]] = defaultdict(list)
        self._ending[""] += range(self._marks)
        for number, text in _texts_behind_letter(vocabulary):
            self._place(number, text.casefold())
        # Half of all ids begin with a blank or a sign: a mask of their own is soon copied.
        self._closing = torch.zeros(self._size, dtype=torch.bool, device="cpu")
        self._closing[self._ending.pop("")] = True
        self._longest = max(map(len, (*self._going, *self._ending)), default=0)
        # Of each word one mask; most words come again and again.
        self.allowed = lru_cache(_MASKS)(self._allowed)

    def _place(self, number: int, text: str) -> None:
        runs = _NO_LETTERS.split(text)
        self._heads[number] = runs[0]
        if len(runs) == 1:
            self._tails[number] = None
            self._going[runs[0]].append(number)
            return
        self._tails[number] = runs[-1]
        if _INCOMPLETE not in text and all(map(self._ends, runs[1:-1])) and self._goes_on(runs[-1]):
            self._ending[runs[0]].append(number)

    def advance(self, part: str, number: int) -> str:
        """Return the state after one more id."""
        tail = self._tails[number]
        return part + self._heads[number] if tail is None else tail

    def _allowed(self, part: str) -> Tensor:
        """Return of each id whether it may follow a part of a word. (size,)"""
        numbers: list[int] = []
        for head in self._heads_behind(part):
            whole = part + head
            if head in self._going and self._goes_on(whole):
                numbers += self._going[head]
            if head in self._ending and self._ends(whole):
                numbers += self._ending[head]
        ends = self._ends(part)
        mask = self._closing.clone() if ends else torch.zeros_like(self._closing)
        mask[numbers] = True
        return mask

    def _heads_behind(self, part: str) -> set[str]:
        """Return the letters that may follow a part of a word, as far as one id may have them."""
        room = SHORT - len(part)
        if room > 0:
            return {*self._going, *self._ending}
        found = {""}  # ids without any letter or sign, which some models have
        for word in self._beginning_with(part):
            rest = word[len(part) : len(part) + self._longest]
            found.update(rest[:end] for end in range(1, len(rest) + 1))
        return found

    def _beginning_with(self, part: str) -> Iterator[str]:
        for at in range(bisect_left(self._ordered, part), len(self._ordered)):
            if not self._ordered[at].startswith(part):
                return
            yield self._ordered[at]

    def _goes_on(self, part: str) -> bool:
        return len(part) <= SHORT or next(self._beginning_with(part), None) is not None

    def _ends(self, word: str) -> bool:
        return len(word) <= SHORT or word in self._words


def _texts_behind_letter(vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Return what each id stands for behind a letter: alone, some lose the blank before them."""
    letter = vocabulary.encode("a")
    before = len(vocabulary.decode(letter))
    for number in range(len(vocabulary.marks), vocabulary.size):
        yield number, vocabulary.decode([*letter, number])[before:]


def keep_known_words(scores: Tensor, known: KnownWords, parts: list[str], states: Tensor) -> Tensor:
    """Rule out ids that end an unknown word outside of entities. (rows, vocabulary)

    Where nothing else may come, as at the end of the room, what may come stays.
    """
    outside = [row for row, state in enumerate(states.tolist()) if not state]
    if not outside:
        return scores
    rows = torch.tensor(outside, device=scores.device)
    allowed = torch.stack([known.allowed(parts[row]) for row in outside]).to(scores.device)
    masked = scores[rows].masked_fill(~allowed, float("-inf"))
    is_possible = masked.amax(1) > float("-inf")
    scores[rows[is_possible]] = masked[is_possible]
    return scores
