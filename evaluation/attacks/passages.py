"""Passages that a made note shares with the notes of a single patient: copies, however short.

Words are compared in small letters and with every number as one; a phrase that the notes of many
patients have is nobody's. A note is looked through in several views, so that it is still a copy
with other names, other numbers between its words, or words parted at other places.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

from evaluation.gate import Axis, Measured
from record.document import Annotated, Document

PASSAGE = 8
"""Words in a row, from which on they are a passage."""

OTHERS = 5
"""Other patients with the same words in a row, from which on these are nobody's passage."""

PLANTED = 8
"""Complete notes, and as many passages, that are planted to see whether copies are found."""

PLANTED_WORDS = 12
"""Words of a passage that is planted."""

NUMBER = "0"
_WORD = re.compile(r"(?P<number>\d+(?:[.,:/-]\d+)*)|[^\W_]+")
_DIGITS = re.compile(r"\d+")
_SOFT_HYPHEN = "\u00ad"
SOFT_AT_LINE_END = re.compile(rf"{_SOFT_HYPHEN}(?=\s*[\n\r])")
_LETTER = r"[^\W\d_]"
_LINE_END = r"[ \t]*(?:\r\n|[\n\r\v\f\x85\u2028\u2029])[ \t]*"
HYPHEN = re.compile(rf"(?<={_LETTER})[-\u2010](?:{_LINE_END})?(?={_LETTER})")
ENTITY_SEAM = "\n\n"  # no line end at which a word goes on

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
        Word(NUMBER if found["number"] else _DIGITS.sub(NUMBER, found[0].casefold()), *found.span())
        for found in _WORD.finditer(text)
    ]


def normalize(text: str) -> str:
    """Return a text in its compatibility form (NFKC), without characters that show nothing.

    Letters with accents, ligatures and letters of full width are what they stand for. Soft hyphens
    at the end of a line are hyphens.
    """
    composed = SOFT_AT_LINE_END.sub("-", unicodedata.normalize("NFKC", text))
    ignored = [ord(letter) for letter in set(composed) if is_ignored(letter)]
    return composed.translate(dict.fromkeys(ignored))


def is_ignored(letter: str) -> bool:
    """Whether it is a format or control character, or a mark that goes with no letter as one."""
    category = unicodedata.category(letter)
    return category == "Mn" or (category.startswith("C") and not letter.isspace())


def views(note: Annotated) -> list[list[str]]:
    """Return the words of a note, first as they are, then in each other way that may show a copy.

    These are: without numbers, as those of a list; with words joined that have a hyphen, which may
    stand at the end of a line; and where the note has spans all of it outside of them. Views that
    are equal are returned once.
    """
    text, parts, at = note.document.text, [], 0
    for span in sorted(note.spans):
        parts.append(text[at : span.start])
        at = max(at, span.end)
    outside = ENTITY_SEAM.join([*parts, text[at:]])
    texts = [text, outside] if note.spans else [text]
    found: dict[tuple[str, ...], None] = {}
    for each in map(normalize, texts):
        for read in (each, HYPHEN.sub("", each)):
            words = [word.text for word in read_words(read)]
            found[tuple(words)] = None
            found[tuple(word for word in words if word != NUMBER)] = None
    return [list(words) for words in found]


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

    @classmethod
    def of_runs(cls, own_runs: Runs, length: int) -> "PassageIndex":
        """Return an index that knows the passages (`own_runs`) and none of their patients."""
        index = cls((), (), length=length)
        index._own_runs = own_runs
        return index

    @property
    def length(self) -> int:
        """The words of a run."""
        return self._length

    @property
    def own_runs(self) -> Runs:
        """The runs that few patients have, in order, each once. (runs,)"""
        return np.unique(self._own_runs)

    def __repr__(self) -> str:
        return f"PassageIndex({len(self._owners)} patients)"

    def own_starts(self, words: Sequence[str]) -> list[int]:
        """Return where in a text's words a run begins that few patients have."""
        found: list[int] = np.flatnonzero(self._is_own(self._runs(words))).tolist()
        return found

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
    """Notes and whose they are."""

    notes: Sequence[Annotated] = field(repr=False)
    owners: Sequence[str] = field(repr=False)


def measure_passages(
    made: Sequence[Annotated],
    real: PassageNotes,
    learnt: int,
    data: str,
    *,
    seed: int = 1,
) -> Measured:
    """Measure the share of made notes that share a passage with few patients' notes.

    The first `learnt` of the `real` notes are those of training; the null value is the share of the
    others with a passage of these, which chance and the house's phrases give. The control is the
    share of planted copies that are found: complete notes, and passages in made notes, whose
    characters are changed in several ways.
    """
    known = [views(note) for note in real.notes]
    index = PassageIndex(known, real.owners)
    holders = [index.patients(views(note)) for note in made]
    copied = sum(map(bool, holders))
    by_patient: defaultdict[str, int] = defaultdict(int)
    for each in holders:
        for patient in each:
            by_patient[patient] += 1
    trained = PassageIndex(known[:learnt], real.owners[:learnt])
    others = [bool(trained.patients(note)) for note in known[learnt:]]
    share = copied / len(made)
    return Measured(
        name="copied-passages",
        axis=Axis.PRIVACY,
        value=share,
        low=share,
        high=share,
        data=data,
        null=sum(others) / len(others) if others else 0.0,
        control=_find_planted(index, made, real, known, Random(f"{seed}/planted")),  # noqa: S311
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
    made: Sequence[Annotated],
    real: PassageNotes,
    known: Sequence[Sequence[Sequence[str]]],
    chance: Random,
) -> float:
    """Return the share of planted copies that are found; not a number where none can be planted.

    `known` are the views of the real notes.
    """
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for read, owner in zip(known, real.owners, strict=True):
        texts[owner] += [f" {' '.join(view)} " for view in read]

    def is_own(words: Sequence[Word]) -> bool:
        """Say so by comparing text with text, since the index is what is tested."""
        held = f" {' '.join(word.text for word in words)} "
        return sum(any(held in text for text in some) for some in texts.values()) <= OTHERS

    found: list[bool] = []
    planted = 0
    for note in chance.sample(real.notes, len(real.notes)):
        change = _CHANGES[planted % len(_CHANGES)]
        text = normalize(note.document.text)
        words = read_words(text)
        if change is _number_items:
            words = [word for word in words if word.text != NUMBER]
        starts = range(len(words) - PLANTED_WORDS + 1)
        place = chance.choice(starts) if starts else 0
        passage = words[place : place + PLANTED_WORDS]
        if len(passage) < PLANTED_WORDS or not is_own(passage[:PASSAGE]):
            continue
        whole, part = (
            change([text[word.start : word.end] for word in some]) for some in (words, passage)
        )
        host = chance.choice(made).document.text
        cut = chance.choice([0, *(word.start for word in read_words(host))])
        for copy in (whole, f"{host[:cut]}\n\n{part}\n\n{host[cut:]}"):
            found.append(bool(index.patients(views(Annotated(Document("", copy), ())))))
        planted += 1
        if planted == PLANTED:
            break
    return sum(found) / len(found) if planted == PLANTED else float("nan")


def _insert(mark: str) -> Callable[[Sequence[str]], str]:
    def change(words: Sequence[str]) -> str:
        return " ".join(
            f"{word[: len(word) // 2]}{mark}{word[len(word) // 2 :]}"
            if word.isalpha() and len(word) > 1
            else word
            for word in words
        )

    return change


def _use_ligatures(words: Sequence[str]) -> str:
    return " ".join(words).replace("fi", "\ufb01").replace("fl", "\ufb02")


def _widen(words: Sequence[str]) -> str:
    return " ".join(words).translate(_FULL_WIDTH)


def _number_items(words: Sequence[str]) -> str:
    return " ".join(
        word if at % _ITEM else f"{at // _ITEM + 1}. {word}" for at, word in enumerate(words)
    )


_ITEM = 6  # words of an item of a list: fewer than a passage has
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
_CHANGES: tuple[Callable[[Sequence[str]], str], ...] = (
    " ".join,
    _insert("\u200b"),
    _insert(_SOFT_HYPHEN),
    _insert("-\n"),
    "_".join,
    _use_ligatures,
    _widen,
    _number_items,
)
"""How planted copies are written, in turn: as they are, and as systems and people change texts."""


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
