"""Draws the surrogate of one name: by a keyed permutation of its list, or from a reserve."""

from bisect import bisect_right
from collections.abc import Container, Iterator
from itertools import accumulate

from record.errors import Unsafe
from surrogates.keys.keys import PatientKey
from surrogates.patient.name_lists import Invented, Stratum, of_role
from surrogates.patient.text_normalization import fold
from surrogates.permutations.list_permutation import Permutation

PURPOSE = "names"
"""The prefix of the labels under which names are drawn."""

# Draws before giving up on a name; each fails with a probability below 1/2.
_DRAWS = 128
_WIDTH = 4


class StratumPermutation:
    """A keyed permutation of a stratum that changes the first letter of every name.

    The letters are arranged on a ring in keyed order, the names of a letter in keyed order within
    it; all are rotated by a keyed number of places, large enough that each leaves its letter.
    """

    __slots__ = (
        *("_key", "_letters", "_offsets", "_permutations"),
        *("_rotation", "_starts", "_stratum"),
    )

    def __init__(self, key: PatientKey, stratum: Stratum) -> None:
        self._key = key
        self._stratum = stratum
        label = f"{PURPOSE}/{stratum.name}"
        blocks = stratum.blocks
        order = key.draw(label, "letters", _WIDTH * len(blocks))
        drawn = [order[place : place + _WIDTH] for place in range(0, len(order), _WIDTH)]
        self._letters = [letter for _, letter in sorted(zip(drawn, blocks, strict=True))]
        sizes = (blocks[letter][1] for letter in self._letters)
        *self._starts, whole = accumulate(sizes, initial=0)
        self._offsets = dict(zip(self._letters, self._starts, strict=True))
        room = whole - 2 * stratum.largest + 1
        self._rotation = stratum.largest + key.number(label, "turn", room)
        self._permutations: dict[str, Permutation] = {}

    def __repr__(self) -> str:
        return f"StratumPermutation({self._stratum!r})"

    def step(self, place: int) -> str:
        """Return the surrogate of the name at an index of the stratum."""
        blocks, entries = self._stratum.blocks, self._stratum.entries
        letter = fold(entries[place])[0]
        first, size = blocks[letter]
        known = self._permutations.get(letter)
        if known is None:
            label = f"{PURPOSE}/{self._stratum.name}"
            known = Permutation(self._key, label, size, value=f"permutation/{letter}")
            self._permutations[letter] = known
        moved = self._offsets[letter] + known.step(place - first)
        moved = (moved + self._rotation) % len(entries)
        block = bisect_right(self._starts, moved) - 1
        return entries[blocks[self._letters[block]][0] + moved - self._starts[block]]


class NameDraws:
    """Draws the surrogates of all names in one patient's notes.

    `known` are folded words that no surrogate may be; `own` the roles, folded words and genders of
    the record's names, no two of which share a surrogate.
    """

    def __init__(
        self,
        key: PatientKey,
        locale: str,
        known: Container[str],
        own: tuple[tuple[str, str, str], ...],
    ) -> None:
        self._key = key
        self._locale = locale
        self._known = known
        self._own = own
        self._strata_permutations: dict[str, StratumPermutation] = {}
        self._drawn: dict[tuple[str, str, str], str] = {}
        self._fixed: dict[tuple[str, str], str] | None = None
        self._taken: set[str] = set()  # what is fixed, folded

    def draw(self, role: str, value: str, gender: str = "") -> str:
        """Return the surrogate of a folded word; `gender` is used where no list has one.

        Two listed names never share a surrogate, nor do a listed and an unlisted name, nor two
        names of the record. Two unlisted names do with a probability of one in the reserve's size.
        Raises Unsafe where no draw is acceptable.
        """
        drawn = self._drawn.get((role, value, gender))
        if drawn is None:
            drawn = self._draw_listed(role, value) or self._draw_unlisted(role, value, gender)
            self._drawn[role, value, gender] = drawn
        return drawn

    def is_listed(self, role: str, value: str) -> bool:
        """Return whether a list has a folded word."""
        return value in of_role(role, self._locale).places

    def draw_variant(self, role: str, value: str, gender: str, variant: str) -> str:
        """Return another surrogate of the same kind, which depends on `variant` as well."""
        place = of_role(role, self._locale).places.get(value)
        pool = place[0].entries if place else self._reserve(role, value, gender)
        for counter in range(_DRAWS):
            number = self._key.number(role, f"{value}/{variant}", len(pool), counter=counter)
            if self._is_allowed(pool[number], value):
                return pool[number]
        raise Unsafe("no-surrogate")

    def draw_from_reserve(self, role: str, value: str, gender: str, taken: set[str]) -> str:
        """Return the surrogate of an unlisted word that is none of the folded names in `taken`."""
        return self._draw_from_reserve(role, value, gender, taken)

    def _draw_listed(self, role: str, value: str) -> str:
        place = of_role(role, self._locale).places.get(value)
        if place is None:
            return ""
        stratum, number = place
        permutation = self._strata_permutations.get(stratum.name)
        if permutation is None:
            permutation = self._strata_permutations[stratum.name] = StratumPermutation(
                self._key, stratum
            )
        drawn = permutation.step(number)
        return "" if fold(drawn) in self._known else drawn

    def _draw_unlisted(self, role: str, value: str, gender: str) -> str:
        if self._fixed is None:
            self._fixed = {}
            for own_role, own, own_gender in self._own:
                if not self._draw_listed(own_role, own):
                    drawn = self._draw_from_reserve(own_role, own, own_gender, self._taken)
                    self._taken.discard(fold(self._fixed.get((own_role, own), "")))
                    self._fixed[own_role, own] = drawn
                    self._taken.add(fold(drawn))
        fixed = self._fixed.get((role, value))
        return fixed or self._draw_from_reserve(role, value, gender, self._taken)

    def _draw_from_reserve(self, role: str, value: str, gender: str, taken: set[str]) -> str:
        for drawn in self._iterate_reserve(role, value, gender):
            if self._is_allowed(drawn, value) and fold(drawn) not in taken:
                return drawn
        raise Unsafe("no-surrogate")

    def _iterate_reserve(self, role: str, value: str, gender: str) -> Iterator[str]:
        names = of_role(role, self._locale)
        pool = self._reserve(role, value, gender)
        for counter in range(_DRAWS):
            drawn = pool[self._key.number(f"{PURPOSE}/{role}", value, len(pool), counter=counter)]
            if fold(drawn) not in names.places:
                yield drawn

    def _reserve(self, role: str, value: str, gender: str) -> tuple[str, ...] | Invented:
        names = of_role(role, self._locale)
        return names.reserve.get(names.genders.get(value, "") or gender, names.reserve[""])

    def _is_allowed(self, drawn: str, value: str) -> bool:
        folded = fold(drawn)
        return folded[0] != value[0] and folded not in self._known
