"""The names found so far in one text, and the stretches that they take."""

from collections.abc import Sequence

from record.label import Label
from rules.names.given_or_family import Found, label
from rules.names.parsing import read
from rules.names.plausibility import is_address, is_person
from rules.names.words import FAMILY, INITIALS, NameWord


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
        if len(pieces) == 1 and not pieces[0].bits & INITIALS:
            first = pieces[0].sure and not pieces[0].bits & FAMILY
            kind = Label.FIRST_NAME if first else Label.LAST_NAME
            return [(pieces[0].start, pieces[0].end, kind)]
        return label(pieces, self.lang)

    def stands(self, pieces: Sequence[NameWord]) -> bool:
        """Return whether words are free, and no part of an address, a disease or a site."""
        start, end = pieces[0].start, pieces[-1].end
        return (
            self._covered.find(1, start, end) < 0
            and is_person(self.folded, start, end)
            and not is_address(self.folded, start)
        )
