"""Passages that a made note shares with the notes of a single patient: copies, however short.

Words are compared in small letters and with every number as one; a phrase that the notes of many
patients have is nobody's. Of notes with spans the words outside of them are looked through as well,
so that a copy with other names is still a copy.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

from evaluation.gate import Axis, Measured
from record.document import Annotated

PASSAGE = 8
"""Words in a row, from which on they are a passage."""

OTHERS = 5
"""Other patients with the same words in a row, from which on these are nobody's passage."""

PLANTED = 8
"""Complete notes, and as many passages, that are planted to see whether copies are found."""

PLANTED_WORDS = 12
"""Words of a passage that is planted."""

_WORD = re.compile(r"(?P<number>\d+(?:[.,:/-]\d+)*)|\w+")
_DIGITS = re.compile(r"\d+")
_ENTITY_SEAM = "\n"

Runs = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text as it is compared, and where it stands."""

    text: str = field(repr=False)
    start: int
    end: int


def read_words(text: str) -> list[Word]:
    """Return the words of a text in small letters, each number as `0`."""
    return [
        Word("0" if found["number"] else _DIGITS.sub("0", found[0].casefold()), *found.span())
        for found in _WORD.finditer(text)
    ]


def normalize(text: str) -> str:
    """Return a text whose letters with accents are one character each."""
    return unicodedata.normalize("NFC", text)


def views(note: Annotated) -> list[list[str]]:
    """Return the words of a note, and where it has spans those outside of them as well."""
    text, parts, at = note.document.text, [], 0
    for span in sorted(note.spans):
        parts.append(text[at : span.start])
        at = max(at, span.end)
    outside = _ENTITY_SEAM.join([*parts, text[at:]])
    texts = [text, outside] if note.spans else [text]
    return [[word.text for word in read_words(normalize(each))] for each in texts]


class PassageIndex:
    """Real notes by their runs of words; finds the runs that few patients' notes have.

    Runs are compared by 64 bits of their words. A run is a passage of each of its patients unless
    the notes of `others` further patients have it.
    """

    def __init__(
        self,
        notes: Iterable[Sequence[Sequence[str]]],
        owners: Iterable[str],
        *,
        length: int = PASSAGE,
        others: int = OTHERS,
    ) -> None:
        self._length = length
        self._hashes: dict[str, int] = {}
        by_owner: defaultdict[str, list[Runs]] = defaultdict(list)
        for note, owner in zip(notes, owners, strict=True):
            by_owner[owner] += [self._runs(view) for view in note]
        self._owners = list(by_owner)
        unique = [np.unique(np.concatenate(runs)) for runs in by_owner.values()]
        numbers = [np.full(len(runs), at, np.int32) for at, runs in enumerate(unique)]
        empty = np.zeros(0, np.uint64)
        runs = np.concatenate([*unique, empty])
        holders = np.concatenate([*numbers, np.zeros(0, np.int32)])
        _, inverse, counts = np.unique(runs, return_inverse=True, return_counts=True)
        is_own = (counts <= others)[inverse]
        order = np.argsort(runs[is_own], kind="stable")
        self._own_runs = runs[is_own][order]
        self._own_holders = holders[is_own][order]

    def __repr__(self) -> str:
        return f"PassageIndex({len(self._owners)} patients)"

    def find(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Return the longest passages of a note, as half-open ranges of its words."""
        is_own = self._is_own(self._runs(words))
        edges = np.flatnonzero(np.diff(np.concatenate([[False], is_own, [False]]).astype(np.int8)))
        pairs = list(pairwise(edges.tolist()))[::2]
        return [(start, end + self._length - 1) for start, end in pairs]

    def patients(self, note: Sequence[Sequence[str]]) -> set[str]:
        """Return the patients whose passages a note has, by any of its views."""
        found: set[str] = set()
        for view in note:
            runs = np.unique(self._runs(view))
            first = np.searchsorted(self._own_runs, runs, side="left")
            last = np.searchsorted(self._own_runs, runs, side="right")
            for start, end in zip(first.tolist(), last.tolist(), strict=True):
                found |= {self._owners[at] for at in self._own_holders[start:end].tolist()}
        return found

    def _is_own(self, runs: Runs) -> NDArray[np.bool_]:
        places = np.searchsorted(self._own_runs, runs)
        is_inside = places < len(self._own_runs)
        found = np.zeros(len(runs), np.bool_)
        found[is_inside] = self._own_runs[places[is_inside]] == runs[is_inside]
        return found

    def _runs(self, words: Sequence[str]) -> Runs:
        """Return a number for each run of words, equal where the words are. (runs,)"""
        count = max(0, len(words) - self._length + 1)
        hashed = np.fromiter(map(self._hash, words), np.uint64, len(words))
        total = np.zeros(count, np.uint64)
        for at in range(self._length):
            # Sums of products wrap around: what is left of them are 64 bits.
            total = total * _FACTOR + hashed[at : at + count]
        return total

    def _hash(self, word: str) -> int:
        known = self._hashes.get(word)
        if known is None:
            digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            known = self._hashes[word] = int.from_bytes(digest)
        return known


_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class PassageNotes:
    """Notes by their views (see `views`) and whose they are."""

    notes: Sequence[Sequence[Sequence[str]]] = field(repr=False)
    owners: Sequence[str] = field(repr=False)


def measure_passages(
    made: Sequence[Sequence[Sequence[str]]],
    real: PassageNotes,
    learnt: int,
    data: str,
    *,
    seed: int = 1,
) -> Measured:
    """Measure the share of made notes that share a passage with few patients' notes.

    The first `learnt` of the `real` notes are those of training; the null value is the share of the
    others with a passage of these, which chance and the house's phrases give. The control is the
    share of planted copies that are found: complete notes, and passages in made notes.
    """
    index = PassageIndex(real.notes, real.owners)
    holders = [index.patients(note) for note in made]
    copied = sum(map(bool, holders))
    by_patient: defaultdict[str, int] = defaultdict(int)
    for each in holders:
        for patient in each:
            by_patient[patient] += 1
    trained = PassageIndex(real.notes[:learnt], real.owners[:learnt])
    others = [bool(trained.patients(note)) for note in real.notes[learnt:]]
    share = copied / len(made)
    return Measured(
        name="copied-passages",
        axis=Axis.PRIVACY,
        value=share,
        low=share,
        high=share,
        data=data,
        null=sum(others) / len(others) if others else 0.0,
        control=_find_planted(index, made, real, Random(f"{seed}/planted")),  # noqa: S311
        detail={
            "notes": copied,
            "patients": len(by_patient),
            "most_of_a_patient": max(by_patient.values(), default=0),
            "words": PASSAGE,
            "others": OTHERS,
        },
    )


def _find_planted(
    index: PassageIndex,
    made: Sequence[Sequence[Sequence[str]]],
    real: PassageNotes,
    chance: Random,
) -> float:
    """Return the share of planted copies that are found; not a number where none can be planted."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for note, owner in zip(real.notes, real.owners, strict=True):
        texts[owner].append(f" {' '.join(note[0])} ")

    def is_own(words: Sequence[str]) -> bool:
        """Say so by comparing text with text, since the index is what is tested."""
        held = f" {' '.join(words)} "
        return sum(any(held in text for text in some) for some in texts.values()) <= OTHERS

    found: list[bool] = []
    planted = 0
    for at in chance.sample(range(len(real.notes)), len(real.notes)):
        words = real.notes[at][0]
        starts = range(len(words) - PLANTED_WORDS + 1)
        place = chance.choice(starts) if starts else 0
        passage = words[place : place + PLANTED_WORDS]
        if len(passage) < PLANTED_WORDS or not is_own(passage[:PASSAGE]):
            continue
        host = chance.choice(made)[0]
        cut = chance.randint(0, len(host))
        found.append(bool(index.patients([words])))
        found.append(bool(index.patients([[*host[:cut], *passage, *host[cut:]]])))
        planted += 1
        if planted == PLANTED:
            break
    return sum(found) / len(found) if planted == PLANTED else float("nan")


def shared_passages(one: str, other: str, *, length: int) -> list[list[tuple[int, int]]]:
    """Return the passages of so many words or more that two texts share, by character, in each."""
    read = [read_words(one), read_words(other)]
    runs = [
        [tuple(word.text for word in words[at : at + length]) for at in range(len(words))]
        for words in read
    ]
    both = {run for run in set(runs[0]) & set(runs[1]) if len(run) == length}
    found: list[list[tuple[int, int]]] = []
    for words, some in zip(read, runs, strict=True):
        ranges: list[tuple[int, int]] = []
        for at, run in enumerate(some):
            if run not in both:
                continue
            start, end = words[at].start, words[at + length - 1].end
            if ranges and start <= ranges[-1][1]:
                start = ranges.pop()[0]
            ranges.append((start, end))
        found.append(ranges)
    return found
