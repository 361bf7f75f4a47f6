"""The lists that all names of a role and gender are drawn from, and the forms of whole names."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from locales import word_lists
from record.folding import fold
from record.label import Label
from surrogates.patient import lexicon, name_lists

# How many slots a name of a class of frequency has; names of any other class have one. A surrogate
# is then about as frequent as names are, whatever the original, so that a name that detection
# missed does not stand out. Few enough that two names of a patient seldom meet.
_FAMILY_SLOTS = {"1": 4, "2": 2}
_GIVEN_SLOTS = {"1": 16, "2": 4}
_MALE, _FEMALE = "M", "F"
_EITHER = "given.both"
_GENDERED = {_MALE: "given.male", _FEMALE: "given.female"}


@dataclass(frozen=True, slots=True)
class NamePool:
    """All listed names of a role and gender in the order of a digest, a frequent one in many slots.

    `places` leads from a folded name to its first slot.
    """

    name: str
    slots: tuple[str, ...] = field(repr=False)
    places: Mapping[str, int] = field(repr=False)


@dataclass(frozen=True, slots=True)
class NameForm:
    """The form of a whole name: its number of words, what joins them, and a particle before."""

    words: int = 1
    joint: str = ""
    particle: str = ""


_SINGLE = NameForm()
_HYPHEN = NameForm(2, "-")
_APART = NameForm(2, " ")
# Of a hundred names, how many have a form other than one word, by language and role. Orders of
# magnitude, which nothing but plausible text depends on.
_FORMS: dict[tuple[str, str], tuple[tuple[int, NameForm], ...]] = {
    ("fr", Label.FIRST_NAME): ((7, _HYPHEN),),
    ("fr", Label.LAST_NAME): ((4, _HYPHEN), (1, NameForm(particle="de "))),
    ("en", Label.FIRST_NAME): ((2, _HYPHEN),),
    ("en", Label.LAST_NAME): ((4, _HYPHEN),),
    ("es", Label.FIRST_NAME): ((20, _APART),),
    ("es", Label.LAST_NAME): ((88, _APART), (2, NameForm(particle="de "))),
}
_OTHER_FORMS = ((3, _HYPHEN),)
FORMS = 100
"""The number that `form` takes a draw below."""


def form(role: str, locale: str, drawn: int) -> NameForm:
    """Return the form of a name for a number below `FORMS`."""
    for share, shape in _FORMS.get((locale, role), _OTHER_FORMS):
        if drawn < share:
            return shape
        drawn -= share
    return _SINGLE


@cache
def load(role: str, gender: str, locale: str) -> NamePool:
    """Return the names of a role; of given names, those of a gender (`M`, `F`) and of either."""
    if role == Label.FIRST_NAME:
        names = name_lists.given(locale)
        kinds = (_GENDERED[gender], _EITHER)
        rows = list(_rows(names, kinds, _GIVEN_SLOTS))
        reserve = names.reserve[gender]
        if isinstance(reserve, tuple):
            rows += ((entry, 1) for entry in reserve)
        return _build(f"given.{gender}.{locale}", rows)
    rows = list(_rows(name_lists.family(locale), ("family",), _FAMILY_SLOTS))
    return _build(f"family.{locale}", rows)


def gender_of(value: str, locale: str) -> str | None:
    """Return the gender that the lists know of a folded given name; None where no list has it.

    The language's own list comes first, then a list of names of other origins, then those of the
    other languages, where these agree.
    """
    own = name_lists.given(locale).genders.get(value)
    return _genders_elsewhere().get(value) if own is None else own


@cache
def _genders_elsewhere() -> Mapping[str, str]:
    told: dict[str, set[str]] = {}
    for lang in word_lists.LISTED:
        for name, gender in name_lists.given(lang).genders.items():
            told.setdefault(name, set()).add(gender)
    found = {name: "".join(genders) for name, genders in told.items() if len(genders) == 1}
    found |= {name: "" for name in told if name not in found}
    rows = (line.split(";") for line in lexicon.lines("genders", "any"))
    return found | {name: gender.upper() for name, gender in rows if name not in told}


def _rows(
    names: name_lists.NameList, kinds: tuple[str, ...], slots: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    for name, stratum in names.strata.items():
        kind, _, code = name.rpartition("/")
        if kind.rpartition(".")[0] in kinds:
            yield from ((entry, slots.get(code[:1], 1)) for entry in stratum.entries)


def _build(name: str, rows: list[tuple[str, int]]) -> NamePool:
    rows.sort(key=lambda row: hashlib.sha256(fold(row[0]).encode()).digest())
    slots: list[str] = []
    places: dict[str, int] = {}
    for entry, count in rows:
        places.setdefault(fold(entry), len(slots))
        slots += [entry] * count
    return NamePool(name, tuple(slots), places)
