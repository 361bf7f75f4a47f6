"""Known values, and whatever reads like one of them: spelt wrong, or with more letters around."""

from collections.abc import Iterable

from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

# Of two words that are one edit apart, the longer has so many letters at least.
_SHORTEST = 4
# So many letters a name has at least that is recognized within a word, and over several words.
_SHORTEST_WITHIN, _SHORTEST_ACROSS = 3, 4


class NearValues:
    """Folded words, containing every word that reads like one of them.

    It is equal to one, or one edit from it: a letter wrong, missing or more, or two neighbours
    exchanged (optimal string alignment). Of two short words, of three letters and less, only equal
    ones count. Or it has one of `names` in it, as `Jeannot` has Jean.
    """

    __slots__ = ("_all", "_long", "_names", "_words")

    def __init__(self, words: Iterable[str], names: Iterable[str] = ()) -> None:
        self._words = frozenset(words)
        self._all = sorted(self._words)
        self._long = [word for word in self._all if len(word) >= _SHORTEST]
        self._names = sorted(name for name in set(names) if len(name) >= _SHORTEST_WITHIN)

    def __contains__(self, word: object) -> bool:
        if word in self._words or not isinstance(word, str):
            return word in self._words
        near = self._all if len(word) >= _SHORTEST else self._long
        if extractOne(word, near, scorer=OSA.distance, score_cutoff=1) is not None:
            return True
        return self.stands_in((word,))

    def __repr__(self) -> str:
        return f"NearValues({len(self._all)} words)"

    def stands_in(self, words: tuple[str, ...]) -> bool:
        """Return whether one of the names stands within a word, or in words run together."""
        joined = "".join(words)
        return any(
            name in joined
            and (len(name) >= _SHORTEST_ACROSS or any(name in word for word in words))
            for name in self._names
        )
