"""Names of towns, regions and countries, looked up where one may begin."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from record.label import Label
from rules.matching.lexicon import (
    lexicon,
    longest_place,
    place_countries,
    place_rank,
    term_kind,
    wide_list,
    word_rank,
)
from rules.names.words import is_common

_FIRST_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[ '-]|\. ")
_MOST_WORDS = 9
# Where a language is at home; a note in it names other towns too, but seldom by a code alone.
_COUNTRIES = {
    "fr": frozenset(["fr", "be", "ch", "lu", "mc", "ca", "gp", "mq", "re", "gf"]),
    "en": frozenset(["us", "gb", "ca", "ie", "au", "nz"]),
    "es": frozenset(["es", "mx", "ar", "co", "cl", "pe", "ec", "ve"]),
    "de": frozenset(["de", "at", "ch", "lu"]),
    "nl": frozenset(["nl", "be"]),
}
_LONGEST = 60
_LISTS = (
    ("countries", Label.COUNTRY),
    ("regions", Label.REGION),
    ("cities", Label.CITY),
)


class Listed(NamedTuple):
    """A name of the lists at a place of a text; `end` is in code points, half open."""

    end: int
    name: str
    labels: frozenset[Label]


_Names = dict[str, dict[str, frozenset[Label]]]


@cache
def _names() -> _Names:
    """Index all names by their first word; hyphens count as blanks, the longest comes first."""
    labels: dict[str, set[Label]] = {}
    for which, label in _LISTS:
        for entry in lexicon(which):
            name = entry.replace("-", " ")
            labels.setdefault(name, set()).add(label)
            if name.startswith("saint"):
                labels.setdefault(re.sub(r"^saint(e?) ", r"st\1 ", name), set()).add(label)
    index: _Names = {}
    for name in sorted(labels, key=len, reverse=True):
        first = _FIRST_WORD.search(name)
        if first:
            index.setdefault(first.group(), {})[name] = frozenset(labels[name])
    return index


def find_listed(folded: str, at: int) -> Listed | None:
    """Return the longest listed name that begins at an offset of the folded text and
    ends a word.
    """
    first = _FIRST_WORD.match(folded, at)
    names = _names().get(first.group()) if first else None
    if not names:
        return None
    ahead = folded[at : at + _LONGEST].replace("-", " ").replace(". ", " ")
    for name, labels in names.items():
        size = len(name)
        if ahead.startswith(name) and not ahead[size : size + 1].isalnum():
            dots = folded[at : at + size + 1].count(". ")
            return Listed(at + size + dots, name, labels)
    return None


def label_of(name: str) -> frozenset[Label]:
    """Return what a folded name is in the lists; empty where it is in none."""
    plain = name.replace("-", " ").replace(". ", " ")
    first = _FIRST_WORD.search(plain)
    return _names().get(first.group() if first else "", {}).get(plain, frozenset())


@lru_cache(1 << 14)
def _begins_a_town(word: str) -> bool:
    saint = word in ("st", "ste") or word.startswith(("st ", "ste "))
    return saint or place_rank(word) > 0 or wide_list("wide_places").goes_on(word)


def wide_end(folded: str, at: int) -> int:
    """Return the end of the longest town of the wide list that begins at an offset,
    or the offset.
    """
    first = _FIRST_WORD.match(folded, at)
    if first is None or not _begins_a_town(first.group()):
        return at
    words: list[str] = []
    ends: list[int] = []
    next_at = at
    while len(words) < _MOST_WORDS and (word := _FIRST_WORD.match(folded, next_at)):
        words.append(word.group())
        ends.append(word.end())
        gap = _BETWEEN.match(folded, word.end())
        if gap is None or (len(words) == 2 and not _begins_a_town(" ".join(words))):
            break
        next_at = gap.end()
    count = longest_place(words)
    return ends[count - 1] if count else at


def surely_town(name: str, lang: str) -> bool:
    """Return whether a folded name is that of a town of the language and no everyday word."""
    if Label.CITY in label_of(name):
        return True
    name = name.replace(". ", " ")
    rank = place_rank(name)
    everyday = rank > 1 and 0 < word_rank(name) < 4
    if not 0 < rank < 4 or len(name) < 3 or everyday or is_common(name) or term_kind(name):
        return False
    countries = _COUNTRIES.get(lang)
    return countries is None or any(country in countries for country in place_countries(name))


def is_town(name: str) -> bool:
    """Return whether a folded name is that of a town, however small."""
    return Label.CITY in label_of(name) or place_rank(name) > 0
