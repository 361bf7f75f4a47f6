"""The passages that few patients' notes have, without the notes, and where a text has them.

What is filled into a letter can so be chosen until it shares none with any patient.
"""

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.attacks.passages import (
    ENTITY_SEAM,
    HYPHEN,
    NUMBER,
    SOFT_AT_LINE_END,
    PassageIndex,
    Runs,
    is_ignored,
    read_words,
)
from record.span import Span

_CHUNK = re.compile(r"\S+|\s+")

Ranges = Sequence[tuple[int, int]]
"""The words of a passage, as half-open ranges of a text's characters."""


@dataclass(frozen=True)
class OwnPassages:
    """Runs of words that are a passage of some patients, as numbers (see `PassageIndex`).

    `index` has the runs without the patients.
    """

    index: PassageIndex = field(repr=False)

    @classmethod
    def from_bytes(cls, content: bytes) -> "OwnPassages":
        """Read what `to_bytes` returned; raises ValueError where it is damaged."""
        held = np.load(io.BytesIO(content), allow_pickle=False)
        if held.dtype != np.uint64 or held.ndim != 1 or not len(held):
            raise ValueError("not a list of runs")
        return cls(PassageIndex.of_runs(held[1:], int(held[0])))

    def to_bytes(self) -> bytes:
        """Return the runs with their length in words, as NumPy writes them."""
        runs: Runs = self.index.own_runs
        buffer = io.BytesIO()
        np.save(buffer, np.concatenate([np.array([self.index.length], np.uint64), runs]))
        return buffer.getvalue()

    def find(self, text: str, spans: Sequence[Span]) -> list[Ranges]:
        """Return every run of words of a text that is a passage, by any view of its words.

        Ranges are those of the words in the text; a word that was read otherwise than it is
        written may have a range within it.
        """
        found: dict[Ranges, None] = {}
        length = self.index.length
        for words in locate_views(text, spans):
            for at in self.index.own_starts([word for word, _, _ in words]):
                found[tuple((start, end) for _, start, end in words[at : at + length])] = None
        return list(found)


LocatedWord = tuple[str, int, int]
"""A word as it is compared, and its range in the text of the note."""


def locate_views(text: str, spans: Sequence[Span]) -> list[list[LocatedWord]]:
    """Return the words of all `passages.views` of a note, and where each stands in its text."""
    places = range(len(text))
    outside: list[str] = []
    outside_places: list[int] = []
    at = 0
    for span in sorted(spans):
        outside += (text[at : span.start], ENTITY_SEAM)
        outside_places += [*places[at : span.start], *[span.start] * len(ENTITY_SEAM)]
        at = max(at, span.end)
    whole = (text, list(places))
    rest = ("".join([*outside, text[at:]]), [*outside_places, *places[at:]])
    found = []
    for each in [whole, rest] if spans else [whole]:
        plain = _normalize(*each)
        for told, where in (plain, _join_words(*plain)):
            words = [
                (word.text, where[word.start], where[word.end - 1] + 1) for word in read_words(told)
            ]
            found += [words, [word for word in words if word[0] != NUMBER]]
    return found


def _normalize(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """Normalize as `passages.normalize` does, a run of other than white space at a time."""
    read: list[str] = []
    kept: list[int] = []
    text = SOFT_AT_LINE_END.sub("-", text)
    ignored = dict.fromkeys(ord(letter) for letter in set(text) if is_ignored(letter))
    for chunk in _chunks(text):
        one = text[slice(*chunk)]
        other = unicodedata.normalize("NFKC", one).translate(ignored)
        if one == other:
            kept += places[slice(*chunk)]
        elif other:
            # Which letter became which is not told: the first is the first, all others the last.
            kept += [places[chunk[0]], *[places[chunk[1] - 1]] * (len(other) - 1)]
        read.append(other)
    return "".join(read), kept


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    yield from (found.span() for found in _CHUNK.finditer(text))


def _join_words(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """Take out hyphens between letters, with the end of the line after them."""
    read: list[str] = []
    kept: list[int] = []
    at = 0
    for found in HYPHEN.finditer(text):
        read.append(text[at : found.start()])
        kept += places[at : found.start()]
        at = found.end()
    return "".join([*read, text[at:]]), [*kept, *places[at:]]
