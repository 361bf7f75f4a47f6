"""Known values, and whatever reads like one of them spelt wrong."""

from collections.abc import Iterable

from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

# Of two words that are one edit apart, the longer has so many letters at least.
_SHORTEST = 4


class NearValues:
    """Folded words, containing every word that is equal to or one edit from one of them.

    An edit is a letter wrong, missing or more, or two neighbours exchanged (optimal string
    alignment). Of two short words, of three letters and less, only equal ones count.
    """

    __slots__ = ("_all", "_long", "_words")

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._all = sorted(self._words)
        self._long = [word for word in self._all if len(word) >= _SHORTEST]

    def __contains__(self, word: object) -> bool:
        if word in self._words or not isinstance(word, str):
            return word in self._words
        near = self._all if len(word) >= _SHORTEST else self._long
        return extractOne(word, near, scorer=OSA.distance, score_cutoff=1) is not None

    def __repr__(self) -> str:
        return f"NearValues({len(self._all)} words)"
