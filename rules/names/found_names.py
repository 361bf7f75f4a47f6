"""The names found so far in one text, and which of their words are given and family names."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from record.label import Label
from rules.names.parsing import read
from rules.names.plausibility import is_address, is_person
from rules.names.words import FAMILY, GIVEN, INITIALS, PARTICLE, UPPER, NameWord

Found = tuple[int, int, str]

# How well a word fits a given name, and a family name, by what the lexicons know of it.
_AS_GIVEN = {GIVEN: 2.0, GIVEN | FAMILY: 0.6, 0: -1.0, FAMILY: -2.5}
_AS_FAMILY = {GIVEN: -2.0, GIVEN | FAMILY: 0.6, 0: 0.5, FAMILY: 2.0}
_INITIAL_FITS, _CASE_FITS, _PARTICLE_FITS = 3.0, 1.0, 0.7
# How likely an order of names is in a language: given names first, last, none, nothing else.
_ORDERS = {
    "fr": (0.6, 0.0, -1.0, -2.0),
    "es": (0.8, -0.5, -1.3, -2.0),
    "": (0.8, 0.0, -1.0, -2.0),
}
_OTHERS = (0.8, -0.5, -1.0, -2.0)
_GIVEN_FIRST, _GIVEN_LAST, _NO_GIVEN, _ONLY_GIVEN = range(4)
# Two family names are the rule there.
_TWO_SURNAMES = {"es": 0.5}
_MOST = 6

_MASK = GIVEN | FAMILY | PARTICLE | INITIALS | UPPER


def _is_given(piece: NameWord) -> bool:
    """Return whether a word alone is a given name; one with a hyphen is hardly a family name."""
    return piece.sure and (not piece.bits & FAMILY or "-" in piece.folded)


def label(pieces: Sequence[NameWord], lang: str) -> list[Found]:
    """Return which pieces are given and which family names; neighbours of one kind are joined.

    The lexicons, the case (`Jean DUPONT`) and the order that the language prefers are weighed
    together. A particle belongs to the word behind it.
    """
    groups = _group_words(tuple([piece.bits & _MASK for piece in pieces[:_MOST]]), lang)
    found = [(pieces[first].start, pieces[last].end, kind) for first, last, kind in groups]
    if len(pieces) > _MOST:
        found[-1] = (found[-1][0], pieces[-1].end, found[-1][2])
    return found


@lru_cache(maxsize=1 << 13)
def _group_words(written: tuple[int, ...], lang: str) -> tuple[tuple[int, int, str], ...]:
    """Return the first piece, the last and the kind of each part of a name."""
    words = [at for at, of in enumerate(written) if of & (INITIALS | PARTICLE) != PARTICLE]
    if not words:
        return ((0, len(written) - 1, str(Label.LAST_NAME)),)
    kinds = _choose_given_names(written, words, lang)
    groups: list[tuple[int, int, str]] = []
    first = 0
    for place, at in enumerate(words):
        alike = place + 1 < len(words) and kinds[place] == kinds[place + 1]
        # An initial beside a given name is a name of its own.
        if not (alike and not (written[at] ^ written[words[place + 1]]) & INITIALS):
            kind = Label.FIRST_NAME if kinds[place] else Label.LAST_NAME
            groups.append((first, at, str(kind)))
            first = at + 1
    return tuple(groups)


def _choose_given_names(written: tuple[int, ...], words: list[int], lang: str) -> tuple[bool, ...]:
    """Return for each word whether it is a given name."""
    of = [written[at] for at in words]
    if len(words) == 1 or all(one & INITIALS for one in of):
        return tuple(one & INITIALS != 0 for one in of)
    after_particle = [at > 0 and written[at - 1] & PARTICLE != 0 for at in words]
    orders = _ORDERS.get(lang, _OTHERS)
    surnames = _TWO_SURNAMES.get(lang, 0)
    best, score = (False,) * len(words), float("-inf")
    mixed = len({one & UPPER for one in of if not one & INITIALS}) > 1
    for order, reading in _readings(len(words)):
        total = 0.0
        for one, particle, is_given in zip(of, after_particle, reading, strict=True):
            if one & INITIALS:
                total += _INITIAL_FITS if is_given else -_INITIAL_FITS
                continue
            known = one & (GIVEN | FAMILY)
            total += _AS_GIVEN[known] if is_given else _AS_FAMILY[known]
            if mixed:
                total += -_CASE_FITS if (one & UPPER != 0) is is_given else _CASE_FITS
            total += _PARTICLE_FITS if particle and not is_given else 0
        fit = total + orders[order]
        fit += surnames if reading.count(False) == 2 else 0
        if fit > score:
            best, score = reading, fit
    return best


def _readings(size: int) -> Iterator[tuple[int, tuple[bool, ...]]]:
    yield _NO_GIVEN, (False,) * size
    for some in range(1, size):
        yield _GIVEN_FIRST, (True,) * some + (False,) * (size - some)
        yield _GIVEN_LAST, (False,) * some + (True,) * (size - some)
    yield _ONLY_GIVEN, (True,) * size


class FoundNames:
    """The names found so far in a text; `cased` and `folded` have its length.

    `titles` are the offsets where titles of persons begin.

    Offsets are code points, half open.
    """

    __slots__ = ("_begins", "_covered", "cased", "folded", "found", "lang")

    def __init__(self, cased: str, folded: str, lang: str, titles: frozenset[int]) -> None:
        self._begins = titles
        self.cased = cased
        self.folded = folded
        self.lang = lang
        self.found: list[Found] = []
        self._covered = bytearray(len(cased) + 1)

    def claim(self, names: Sequence[Found]) -> None:
        """Keep names, one after the other in the text."""
        self.found.extend(names)
        start, end = names[0][0], names[-1][1]
        self._covered[start:end] = b"\1" * (end - start)

    def taken(self, at: int) -> bool:
        """Return whether a name was found at an offset."""
        return self._covered[at] == 1

    def read(self, at: int, *, titles: bool = True) -> list[NameWord]:
        """Read the words of a name from an offset on, up to the title of another person."""
        pieces = read(self.cased, self.folded, at)
        for place, piece in enumerate(pieces):
            if titles and piece.start in self._begins:
                return pieces[:place]
        return pieces

    def label(self, pieces: Sequence[NameWord]) -> list[Found]:
        """Return which words are given and which family names; a lone given name is one."""
        if len(pieces) == 2 and pieces[0].folded == "d'" and _is_given(pieces[1]):
            # `la fille d'Inès`: of the family names with the particle few are given names.
            return [(pieces[1].start, pieces[1].end, Label.FIRST_NAME)]
        if len(pieces) == 1 and not pieces[0].bits & INITIALS:
            first = _is_given(pieces[0])
            kind = Label.FIRST_NAME if first else Label.LAST_NAME
            return [(pieces[0].start, pieces[0].end, kind)]
        return label(pieces, self.lang)

    def stands(self, pieces: Sequence[NameWord]) -> bool:
        """Return whether words are free, and no part of an address, a disease or a site."""
        return self.stands_at(pieces[0].start, pieces[-1].end)

    def stands_at(self, start: int, end: int, *, is_given: bool = False) -> bool:
        """Return whether a stretch is free, and no part of an address, a disease or a site."""
        return (
            self._covered.find(1, start, end) < 0
            and is_person(self.folded, start, end, is_given=is_given)
            and not is_address(self.folded, start)
        )
