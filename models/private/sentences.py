"""Sentence splitting and fine tokenization of notes, the input of private representations.

After Friedrich et al. (ACL 2019): every sign stands alone and digits part from letters, so that
few tokens are unknown to embeddings; sentences also end at blank lines and before items of lists.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from models.tagger.encoders.bilstm import CASES, case_class
from models.tagger.encoders.words import words
from models.tagger.sequences.alignment import keep_disjoint, word_spans
from models.tagger.sequences.tags import WordSpan
from record.span import Span
from record.tokens import Token, is_break

PHI = "PHI"
"""The one label of sentences whose labels do not matter."""

LONGEST = 150
"""Tokens after which a sentence ends in any case: notes hold tables without a full stop."""

_CASES = {name: place for place, name in enumerate(CASES)}
_PARTS = re.compile(r"\w+|[^\w\s]")
_BLANK_LINES = 3  # line breaks in a row, which the authors' code asks for
_ENDS = frozenset(".!?…")
_ITEM = re.compile(
    r"[^\S\n\r]*(?:[-*•·‣▪–—][^\S\n\r]|\(?(?:\d{1,2}|[a-zA-Z])(?:\)|\.[-)]?[^\S\n\r]))"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens with their offsets, letter case and labelled spans.

    `offsets` are code points, half open; they never leave the process. `casing` are places in
    `models.tagger.encoders.bilstm.CASES`. `spans` are disjoint, in tokens.
    """

    tokens: tuple[str, ...] = field(repr=False)
    offsets: tuple[Token, ...] = field(repr=False)
    casing: tuple[int, ...]
    spans: tuple[WordSpan, ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each token, empty outside of spans."""
        held = [""] * len(self.tokens)
        for first, end, label in self.spans:
            held[first:end] = [label] * (end - first)
        return tuple(held)

    @property
    def phi(self) -> tuple[bool, ...]:
        """Return which tokens are part of an identifier."""
        return tuple(map(bool, self.labels))

    def binary(self) -> "Sentence":
        """Return the same sentence with one label for all spans."""
        return replace(self, spans=tuple((first, end, PHI) for first, end, _ in self.spans))


def sentences(text: str, spans: Iterable[Span] = ()) -> list[Sentence]:
    """Cut a text into sentences; all but white space is in one. None is empty.

    Spans grow to whole tokens; of overlapping ones the longest stays; one that a sentence ends
    in is in both parts.
    """
    cut = fine_tokens(text)
    found = keep_disjoint(word_spans(spans, cut, Counter()), Counter())
    return [_sentence(text, cut[first:end], first, found) for first, end in _ranges(text, cut)]


def fine_tokens(text: str) -> list[Token]:
    """Tokenize at every sign and between digits and letters; line breaks are not tokens."""
    return [
        (start + part.start(), start + part.end())
        for start, end in words(text)
        if not is_break(text, (start, end))
        for part in _PARTS.finditer(text[start:end])
    ]


def _sentence(text: str, cut: Sequence[Token], first: int, found: Iterable[WordSpan]) -> Sentence:
    tokens = tuple(text[start:end] for start, end in cut)
    inside = [
        (max(begin - first, 0), min(end - first, len(cut)), label)
        for begin, end, label in found
        if begin < first + len(cut) and end > first
    ]
    casing = tuple(_CASES[case_class(token)] for token in tokens)
    return Sentence(tokens, tuple(cut), casing, tuple(inside))


def _ranges(text: str, cut: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Return the first token of each sentence, and that behind its last."""
    first = 0
    for place, (before, after) in enumerate(pairwise(cut), start=1):
        if _is_boundary(text, before, after) or place - first >= LONGEST:
            yield first, place
            first = place
    if cut:
        yield first, len(cut)


def _is_boundary(text: str, before: Token, after: Token) -> bool:
    """Return whether a sentence ends between two tokens."""
    between = text[before[1] : after[0]]
    if not between:
        return False
    lines = between.count("\n") or between.count("\r")
    if lines >= _BLANK_LINES:
        return True
    if lines and _ITEM.match(text, before[1] + (max(between.rfind("\n"), between.rfind("\r")) + 1)):
        return True
    if text[before[0] : before[1]] not in _ENDS or text[after[0]].islower():
        return False
    # A full stop behind an initial or a title ends nothing, nor does one of `11 oct. 2024`.
    stop = before[0]
    is_short = _SHORT.search(text, max(0, stop - 6), stop) is not None
    if text[after[0]].isdigit():
        is_short = is_short or _BEFORE_NUMBER.search(text, max(0, stop - 6), stop) is not None
    return bool(lines) or not (text[stop] == "." and is_short)


_BEFORE_NUMBER = re.compile(
    r"(?:^|[^\w])(?:jan|janv|f[ée]vr|feb|mar|avr|apr|abr|mai|juin|jun|juil|jul|juill|ago|aug|sept?"
    r"|set|oct|okt|nov|d[ée]c|dez|dic|ene|apt|n[or]|num|p|pp)$",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:^|[^\w])(?:[^\W\d_]|Dra?s?|Prof|Sra?|Mmes?|Mlles?|Mrs?|Ms|St|Ste|Hr|Fr)$")
