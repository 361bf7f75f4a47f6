"""The lists that names are drawn from: strata of one frequency, origin and gender, and reserves."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from record.folding import fold
from record.label import Label
from surrogates.patient import lexicon

_RESERVE = "r"
_GENDERS = ("male", "female", "both")


@dataclass(frozen=True, slots=True)
class Stratum:
    """Names that may stand for one another, those of a first letter side by side.

    `blocks` gives for each letter, in their order, the place of its first name and their number;
    `largest` is the number of the most frequent letter, at most half of all.
    """

    name: str
    entries: tuple[str, ...] = field(repr=False)
    blocks: Mapping[str, tuple[int, int]] = field(repr=False)
    largest: int


@dataclass(frozen=True, slots=True)
class NameList:
    """The listed names of a role in a language.

    `places` leads from a folded name to its stratum and its place there. `reserve` maps a gender
    (empty for family names) to names that stand for names of no list, and for those alone.
    `genders` tells the gender of a folded name, listed or in reserve: `M`, `F`, or empty.
    """

    strata: Mapping[str, Stratum] = field(repr=False)
    places: Mapping[str, tuple[Stratum, int]] = field(repr=False)
    reserve: Mapping[str, "tuple[str, ...] | Invented"] = field(repr=False)
    genders: Mapping[str, str] = field(repr=False)


class Invented:
    """Family names put together of parts; far more than a list can hold, and nobody's.

    The number of a name parts into the places of its beginning, vowel, middle and end.
    """

    __slots__ = ("_parts", "_size")

    def __init__(self, parts: tuple[tuple[str, ...], ...]) -> None:
        self._parts = parts
        self._size = 1
        for each in parts:
            self._size *= len(each)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> str:
        pieces = []
        for part in reversed(self._parts):
            number, place = divmod(number, len(part))
            pieces.append(part[place])
        return "".join(reversed(pieces))


@cache
def family(locale: str) -> NameList:
    """Return the family names of a language (`fr`, `en`, `es`)."""
    strata = _strata("family", locale)
    return NameList(strata, _places(strata), {"": invented(locale)}, {})


@cache
def invented(locale: str) -> Invented:
    """Return the family names that nobody bears."""
    return Invented(tuple(tuple(line.split()) for line in lexicon.lines("invented", locale)))


@cache
def given(locale: str) -> NameList:
    """Return the given names of a language, strata by gender; `both` are those of either."""
    strata: dict[str, Stratum] = {}
    reserve: dict[str, tuple[str, ...]] = {}
    genders: dict[str, str] = {}
    for gender in _GENDERS:
        coded = _coded(f"given.{gender}", locale)
        strata |= _strata(f"given.{gender}", locale)
        reserve[gender] = coded.get(_RESERVE, ())
        letter = {"male": "M", "female": "F"}.get(gender, "")
        genders |= {fold(entry): letter for each in coded.values() for entry in each}
    both = (*reserve["male"], *reserve["female"])
    found = {"M": reserve["male"], "F": reserve["female"], "": both}
    return NameList(strata, _places(strata), found, genders)


@cache
def of_role(role: str, locale: str) -> NameList:
    """Return the names of a role, FIRST_NAME or any other."""
    return given(locale) if role == Label.FIRST_NAME else family(locale)


def role(value: str, locale: str) -> str:
    """Return whether a folded word is rather a given or a family name; empty where nothing tells.

    A word of both lists is what it is more frequent as.
    """
    as_given, as_family = _class(given(locale), value), _class(family(locale), value)
    if as_given == as_family:
        return ""
    return Label.FIRST_NAME if as_given < as_family else Label.LAST_NAME


def _class(names: NameList, value: str) -> str:
    place = names.places.get(value)
    # What no list holds is rarer than any class.
    return place[0].name.rpartition("/")[2][:1].replace("0", "2") if place else "9"


def _coded(kind: str, locale: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for entry, code in lexicon.rows(kind, locale):
        found.setdefault(code, []).append(entry)
    return {code: tuple(entries) for code, entries in found.items()}


def _strata(kind: str, locale: str) -> dict[str, Stratum]:
    coded, name = _coded(kind, locale), f"{kind}.{locale}"
    return {f"{name}/{c}": _stratum(f"{name}/{c}", coded[c]) for c in coded if c != _RESERVE}


def _stratum(name: str, entries: tuple[str, ...]) -> Stratum:
    # Within a letter the order is that of a digest, so that neighbours have nothing in common.
    ordered = sorted(entries, key=_order)
    blocks: dict[str, tuple[int, int]] = {}
    for place, entry in enumerate(ordered):
        first, size = blocks.get(fold(entry)[0], (place, 0))
        blocks[fold(entry)[0]] = first, size + 1
    return Stratum(name, tuple(ordered), blocks, max(size for _, size in blocks.values()))


def _order(entry: str) -> tuple[str, bytes]:
    folded = fold(entry)
    return folded[0], hashlib.sha256(folded.encode()).digest()


def _places(strata: Mapping[str, Stratum]) -> dict[str, tuple[Stratum, int]]:
    return {
        fold(entry): (stratum, place)
        for stratum in strata.values()
        for place, entry in enumerate(stratum.entries)
    }
