"""Corrects misspelt names, and reproduces the same mistakes in their surrogates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from surrogates.keys.keys import PatientKey

# The fewest letters of a name with one mistake, and of one with two.
SHORT, LONG = 5, 9
_ENDS = 2
_VOWELS = "aeiouy"
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_TRIES = 64

Kind = Literal["wrong", "missing", "more", "twice", "exchanged"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a word: a letter wrong, missing, added, doubled, or two letters transposed.

    `place` is the index of the letter in the correct word.
    """

    kind: Kind
    place: int


class SpellingCorrector:
    """Finds the correct spelling of misspelt names, indexed by first and last two letters."""

    __slots__ = ("_ends", "_right")

    def __init__(self, right: Iterable[str]) -> None:
        self._right = frozenset(right)
        self._ends: dict[str, list[str]] = {}
        for name in sorted(self._right):
            if len(name) >= SHORT:
                for end in (f"{name[:_ENDS]}-", f"-{name[-_ENDS:]}"):
                    self._ends.setdefault(end, []).append(name)

    def __contains__(self, word: object) -> bool:
        return word in self._right

    def correct(self, word: str) -> str:
        """Return the name that a folded word most likely misspells; empty where there is none.

        One mistake is allowed from five letters, two from nine; equally near names are ambiguous,
        and give none.
        """
        ends = self._ends
        if len(word) < SHORT - 1 or word in self._right:
            return ""
        near = {*ends.get(f"{word[:_ENDS]}-", ()), *ends.get(f"-{word[-_ENDS:]}", ())}
        if not near:
            return ""
        best, nearest, tied = _limit(word) + 1, "", False
        for name in sorted(near):
            if abs(len(name) - len(word)) > _limit(name):
                continue
            apart = OSA.distance(word, name)
            if apart <= min(best, _limit(name)):
                tied = apart == best
                best, nearest = apart, name
        return "" if tied else nearest


def find_mistakes(right: str, wrong: str) -> tuple[Mistake, ...]:
    """Return the fewest mistakes that turn the correct word into the wrong one, from the left.

    Their number is the optimal string alignment distance.
    """
    found: list[Mistake] = []
    i, j = len(right), len(wrong)
    while i or j:
        cost = OSA.distance(right[:i], wrong[:j])
        diagonal = OSA.distance(right[: i - 1], wrong[: j - 1]) if i and j else cost
        if i and j and right[i - 1] == wrong[j - 1] and cost == diagonal:
            i, j = i - 1, j - 1
        elif (
            i > 1
            and j > 1
            and right[i - 1] == wrong[j - 2]
            and right[i - 2] == wrong[j - 1]
            and cost == OSA.distance(right[: i - 2], wrong[: j - 2]) + 1
        ):
            i, j = i - 2, j - 2
            found.append(Mistake("exchanged", i))
        elif i and j and cost == diagonal + 1:
            i, j = i - 1, j - 1
            found.append(Mistake("wrong", i))
        elif i and cost == OSA.distance(right[: i - 1], wrong[:j]) + 1:
            i -= 1
            found.append(Mistake("missing", i))
        else:
            j -= 1
            if wrong[j] in right[max(0, i - 1) : i + 1]:
                found.append(Mistake("twice", i - (wrong[j] == right[max(0, i - 1)])))
            else:
                found.append(Mistake("more", i))
    return tuple(reversed(found))


def misspell(
    name: str, like: tuple[Mistake, ...], model: str, key: PatientKey, label: str
) -> Iterator[str]:
    """Yield misspellings of a folded name with the same mistakes, the closest first.

    `model` is the correct word that the mistakes occurred in: positions are scaled to the name's
    length. The first letter is kept. All have as many mistakes as `like`.
    """
    found = {name}
    for counter in range(_TRIES):
        word = name
        for number, mistake in enumerate(reversed(like)):
            at = 1 + round(mistake.place * max(0, len(name) - 2) / max(1, len(model) - 1))
            about = f"{name}/{model}/{mistake.place}/{number}"
            drawn = key.number(label, about, 1 << 32, counter=counter)
            word = _make_mistake(word, mistake.kind, min(at + counter // 2, len(word) - 1), drawn)
        if word not in found and OSA.distance(name, word) == len(like):
            yield word
        found.add(word)


def _make_mistake(word: str, kind: Kind, at: int, drawn: int) -> str:
    letters = _VOWELS if word[at] in _VOWELS else _CONSONANTS
    others = letters.replace(word[at], "")
    if kind == "missing":
        return word[:at] + word[at + 1 :]
    if kind == "twice":
        return word[: at + 1] + word[at:]
    if kind == "wrong":
        return word[:at] + others[drawn % len(others)] + word[at + 1 :]
    if kind == "more":
        return word[:at] + others[drawn % len(others)] + word[at:]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _limit(word: str) -> int:
    return 2 if len(word) >= LONG else 1
