"""The whole names within a mention: words of one role side by side, with their particles."""

import re
from collections.abc import Set

from surrogates.patient.known_people import (
    FAMILY,
    GIVEN,
    LONGEST_ABBREVIATION,
    KnownPeople,
    MentionNames,
    NameReading,
    NameToken,
    NameUnit,
)
from surrogates.patient.name_pools import gender_of

# What may stand between two words of one name.
_GAP = re.compile(r"[\s.,'’\-‐-―]*")
_VOWELS = frozenset("aeiouy")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


def read_units(reading: NameReading, people: KnownPeople) -> MentionNames:
    """Return the whole names of a reading, which remembers them.

    A reading that patients share has no word of a record, so that they share this as well.
    """
    names = reading.names
    if names is None:
        names = reading.names = _read_units(reading, people)
    return names


def _read_units(reading: NameReading, people: KnownPeople) -> MentionNames:
    units = find_units(reading, people.titles)
    whole = [unit for unit in units if not unit.is_short]
    firsts = [(unit.role, unit.words[0].folded) for unit in whole]
    parts = [(role, people.correct(role, word) or word) for role, word in firsts]
    later = [
        (FAMILY, word.folded)
        for unit in whole
        for word in unit.words[1:]
        if unit.role == FAMILY and not people.knows(FAMILY, word.folded)
    ]
    is_either = any(
        not gender_of(word, people.locale)
        for word in reading.given
        if not people.knows(GIVEN, word)
    )
    is_told = reading.is_short or bool(reading.unlisted) or is_either
    return MentionNames(units, tuple(dict.fromkeys(parts)), tuple(later), is_told)


def find_units(reading: NameReading, titles: Set[str]) -> tuple[NameUnit, ...]:
    """Return the whole names of a reading, from the left; titles are in none of them."""
    found: list[tuple[list[NameToken], list[int]]] = []
    before, last, is_open = -1, 0, False
    for word in reading.words:
        joins = bool(_GAP.fullmatch(reading.text, last, word.start))
        last = word.end
        if word.stays:
            is_title = word.folded in titles
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
