"""The whole names within a mention: words of one role side by side, with their particles."""

import re
from dataclasses import dataclass, field

from surrogates.patient.known_people import (
    LONGEST_ABBREVIATION,
    KnownPeople,
    NameReading,
    NameToken,
)
from surrogates.patient.name_words import TITLES

# What may stand between two words of one name.
_GAP = re.compile(r"[\s.,'’\-‐-―]*")
_VOWELS = frozenset("aeiouy")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_UNITS = 4096


@dataclass(slots=True)
class NameUnit:
    """A given or family name as written, of one word or several.

    `start` and `end` are offsets in the text of the reading, particles included; `words` are those
    that tell a name, without initials beside them; `is_short` is set where all are initials.
    """

    role: str
    start: int
    end: int
    words: tuple[NameToken, ...] = field(repr=False)
    is_short: bool = False

    @property
    def written(self) -> str:
        """The words as written, which tell the case."""
        return " ".join(word.text for word in self.words)


class UnitReader:
    """Reads mentions as whole names, with a cache."""

    __slots__ = ("_found", "_known_people")

    def __init__(self, known_people: KnownPeople) -> None:
        self._known_people = known_people
        self._found: dict[tuple[str, str], tuple[NameUnit, ...]] = {}

    def read(self, text: str, label: str) -> tuple[NameUnit, ...]:
        """Return the whole names in the text of a span of a name."""
        units = self._found.get((text, label))
        if units is None:
            if len(self._found) >= _UNITS:
                self._found.clear()
            units = find_units(self._known_people.read_name(text, label))
            self._found[text, label] = units
        return units


def find_units(reading: NameReading) -> tuple[NameUnit, ...]:
    """Return the whole names of a reading, from the left; titles are in none of them."""
    found: list[tuple[list[NameToken], list[int]]] = []
    before, last, is_open = -1, 0, False
    for word in reading.words:
        joins = bool(_GAP.fullmatch(reading.text, last, word.start))
        last = word.end
        if word.stays:
            is_title = word.folded in TITLES
            is_open = is_open and joins and not is_title
            start = before if before >= 0 and joins else word.start
            before = -1 if is_title else start
            continue
        start = before if before >= 0 and joins else word.start
        if is_open and joins and found[-1][0][0].role == word.role:
            found[-1][0].append(word)
            found[-1][1][1] = word.end
        else:
            found.append(([word], [start, word.end]))
        before, is_open = -1, True
    if before >= 0 and is_open:
        # `TOUR, de la`
        found[-1][1][1] = last
    return tuple(_unit(tokens, *place) for tokens, place in found)


def is_initial(word: NameToken) -> bool:
    """Return whether a word is an initial, an abbreviation with a dot, or two initials (`JP`)."""
    text, value = word.text, word.folded
    if len(text) == 1:
        return value in _LETTERS
    if word.is_dotted and len(text) <= LONGEST_ABBREVIATION:
        return True
    return len(text) == 2 and text.isupper() and not _VOWELS & set(value)


def _unit(tokens: list[NameToken], start: int, end: int) -> NameUnit:
    full = tuple(word for word in tokens if not is_initial(word))
    return NameUnit(tokens[0].role, start, end, full or tuple(tokens), not full)

