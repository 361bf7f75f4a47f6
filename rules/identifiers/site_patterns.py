"""The numbers that one hospital gives its own patients and stays, as its configuration says."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import regex

from record.errors import ConfigError
from record.folding import fold
from record.label import Label
from record.span import Span
from rules.identifiers import labelled
from rules.identifiers.checksummed import stands_alone
from rules.matching.prefilter import atom, quantifier
from rules.matching.scanner import Pattern

_LONGEST = 64
_SHORTEST = 4
# Ways in which the variable parts of a shape may be shared out, at most.
_WAYS = 256
_PRINTABLE = "".join(map(chr, range(32, 127)))


class _PatternPiece(NamedTuple):
    """One character, set or group of an expression and how often it may stand."""

    text: str
    low: int
    high: int

    @property
    def inside(self) -> str:
        return self.text[3:-1] if self.text.startswith("(?:") else self.text[1:-1]

    @property
    def is_group(self) -> bool:
        return self.text[0] == "("


class _Unsound(Exception):
    """Carries what is wrong with a shape."""


def fault(shape: str) -> str:
    """Say what is wrong with a shape; empty where nothing is.

    A sound shape is a regular expression of characters, sets, groups, `|`, `?`, `{n}` and `{n,m}`,
    4 to 64 characters long, whose repetitions hold no repetition but an optional character that
    cannot be taken for the next. Nothing then has to be tried more than a few hundred times.
    """
    try:
        re.compile(shape)
        low, high, ways = _measure(shape, repeated=False)
    except re.error:
        return "not a regular expression"
    except _Unsound as problem:
        return str(problem)
    if high > _LONGEST:
        return "it may match more than 64 characters"
    if low < _SHORTEST:
        return "it may match fewer than 4 characters"
    return "too many parts of variable length" if ways > _WAYS else ""


def _measure(shape: str, *, repeated: bool) -> tuple[int, int, int]:
    """Return the least and the greatest width of an expression,
    and its ways of being shared out.
    """
    branches = _branches(shape)
    if repeated and len(branches) > 1:
        raise _Unsound("alternatives inside a repetition")
    measures = [_measure_branch(pieces, repeated=repeated) for pieces in branches]
    lows, highs, ways = zip(*measures, strict=True)
    return min(lows), max(highs), sum(ways) if len(ways) > 1 else ways[0]


def _measure_branch(pieces: list[_PatternPiece], *, repeated: bool) -> tuple[int, int, int]:
    low, high, ways = 0, 0, 1
    for place, piece in enumerate(pieces):
        varies = piece.high > piece.low
        if varies and repeated:
            # Refuse what varies inside a repetition, unless it is a character that the next
            # cannot be.
            following = pieces[place + 1 :]
            after = following[0] if following else None
            sure = after is not None and not after.is_group and after.low > 0
            if piece.is_group or piece.high > 1 or after is None or not sure:
                raise _Unsound("a repetition inside a repetition")
            if _characters(piece.text) & _characters(after.text):
                raise _Unsound("a repetition inside a repetition")
        least, most, within = 1, 1, 1
        if piece.is_group:
            least, most, within = _measure(piece.inside, repeated=repeated or piece.high > 1)
        low, high = low + least * piece.low, high + most * piece.high
        ways *= within * (piece.high - piece.low + 1 if not repeated else 1)
    return low, high, ways


def _characters(text: str) -> set[str]:
    return set(re.findall(text, _PRINTABLE))


def _branches(shape: str) -> list[list[_PatternPiece]]:
    branches: list[list[_PatternPiece]] = [[]]
    at = 0
    while at < len(shape):
        text = atom(shape, at)
        at += len(text)
        times = quantifier(shape, at)
        at += len(times)
        if text == "|":
            branches.append([])
        else:
            branches[-1].append(_piece(text, times))
    return branches


def _piece(text: str, times: str) -> _PatternPiece:
    if text in ("^", "$", ".") or (text[0] == "\\" and text[1:] not in _ESCAPES):
        raise _Unsound("an anchor, a reference or a dot")
    if text.startswith("(?") and not text.startswith("(?:"):
        raise _Unsound("a group with an extension")
    low, high = _bounds(times)
    return _PatternPiece(text, low, high)


_ESCAPES = ("d", ".", "-", "/", "(", ")", "+", "*", "?", "|", "[", "]", "\\", " ")


def _bounds(times: str) -> tuple[int, int]:
    if not times:
        return 1, 1
    if times == "?":
        return 0, 1
    counted = re.fullmatch(r"\{(\d+)(?:,(\d+))?\}", times)
    if counted is None:
        raise _Unsound("a repetition without an upper bound")
    return int(counted[1]), int(counted[2] or counted[1])


_DETECTOR = "rules.identifiers"

# Ten digits from 8, also with blanks between any two: how some hospitals number patients.
_TEN_DIGITS = r"8(?: ?[0-9]){9}"
# What is always there is found with all other expressions; a site's own is read by itself.
_COMPILED = {_TEN_DIGITS: Pattern(rf"\b{_TEN_DIGITS}\b")}


@dataclass(frozen=True, slots=True)
class SiteNumbers:
    """How a site numbers its patients and stays, and what it calls these numbers.

    Shapes are regular expressions over folded text (lower case, no accents) of characters, sets,
    groups, `|`, `?` and counted repetition: `8(?: ?[0-9]){9}`, `[a-z]{2}[0-9]{6}`. They match
    where no letter or digit stands beside them, so they must be distinctive. Words name whatever
    number stands after them: `IPP`, `Nº HC`. Raises ConfigError, with the name of the field, for
    a shape that is none, that could take long to match or that is shorter than four characters,
    and for a word without a letter.
    """

    patient_shapes: tuple[str, ...] = (_TEN_DIGITS,)
    visit_shapes: tuple[str, ...] = ()
    patient_words: tuple[str, ...] = ()
    visit_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("patient_shapes", "visit_shapes"):
            for place, shape in enumerate(getattr(self, field)):
                problem = fault(shape)
                if problem:
                    raise ConfigError(
                        f"{field}[{place}]",
                        problem,
                        "write characters, sets, groups, | ? and {n} or {n,m}, 4 to 64 long",
                    )
        for field in ("patient_words", "visit_words"):
            for place, word in enumerate(getattr(self, field)):
                if not any(map(str.isalpha, word)) or len(word) > 40:
                    raise ConfigError(
                        f"{field}[{place}]",
                        "no word",
                        "write what the site calls its numbers, 40 characters at most",
                    )

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], ...]]:
        # Compiled to C, a frozen class cannot be given its fields one by one, as pickle would.
        return SiteNumbers, (
            self.patient_shapes,
            self.visit_shapes,
            self.patient_words,
            self.visit_words,
        )


SITE = SiteNumbers()
"""What is assumed of a site that says nothing."""

# A table of the hospital's own: the stay stands in the cell after the patient.
_NEXT_CELL = re.compile(r" ?\| ?\n?([a-z]?[0-9]{6,12}(?:-[0-9]{1,2})?)(?![\-/]?[0-9a-z])")


def find(folded: str, site: SiteNumbers) -> Iterator[Span]:
    """Yield the site's own numbers in folded text, and the stay in the cell after a patient."""
    for label, shape in _shape_patterns(site):
        for match in shape.finditer(folded):
            if not stands_alone(folded, match.start(), match.end()):
                continue
            yield Span(match.start(), match.end(), label, _DETECTOR)
            stay = _NEXT_CELL.match(folded, match.end())
            if stay and label is Label.PATIENT_ID:
                yield Span(stay.start(1), stay.end(1), Label.VISIT_ID, _DETECTOR)


def find_named(folded: str, site: SiteNumbers) -> list[labelled.Named]:
    """Return the numbers of folded text that a word of the site's own names."""
    return [
        named
        for label, words in _word_patterns(site)
        for match in words.finditer(folded)
        for named in labelled.read_after(folded, match.start(), match.end(), label) or ()
    ]


class _CompiledShape(Protocol):
    """A compiled shape, by whatever package."""

    def finditer(self, text: str, /) -> Iterable[re.Match[str]]:
        """Return the matches in a text."""


@lru_cache(maxsize=8)
def _shape_patterns(site: SiteNumbers) -> tuple[tuple[Label, _CompiledShape], ...]:
    kinds = ((Label.PATIENT_ID, site.patient_shapes), (Label.VISIT_ID, site.visit_shapes))
    # `regex` takes a third of the time that `re` does for expressions that begin with a set.
    return tuple(
        (label, _COMPILED.get(shape) or regex.compile(shape))
        for label, shapes in kinds
        for shape in shapes
    )


@lru_cache(maxsize=8)
def _word_patterns(site: SiteNumbers) -> tuple[tuple[Label, re.Pattern[str]], ...]:
    kinds = ((Label.PATIENT_ID, site.patient_words), (Label.VISIT_ID, site.visit_words))
    return tuple(
        (label, re.compile(rf"(?<![a-z0-9])(?:{_alternatives(words)})(?![a-z])"))
        for label, words in kinds
        if words
    )


def _alternatives(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(fold(word)) for word in words)
