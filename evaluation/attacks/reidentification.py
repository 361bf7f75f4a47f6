"""Whether what stands for an identifier in a synthetic letter gives the identifier away.

The measures of Belkadi et al. (2023), section 4.3: identifiers that come back as they were, and
those that share a run of characters with what replaced them. Each rate stands beside its base rate,
what identifiers of other persons of the same label give by chance (dates and cities are alike), and
beside that of copies. Case, accents and signs do not count.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.proximity import WordCorpus, words_of
from evaluation.detection.identifier_types import Strength, strength
from evaluation.detection.intervals import ratio_intervals
from evaluation.detection.leaks import words
from evaluation.gate import Axis, Measured

Floats = NDArray[np.float64]

RUNS = (3, 5, 7)
"""Lengths of the common runs that are counted, in characters and in pieces of words."""

MORE_THAN = 2
"""An identifier counts as reproduced only if it has more words, or pieces, than this."""

PAIRS = 20
"""How many identifiers of others each one is compared with for the base rate, at most."""

_RUN = 3  # words in a row by which a letter is linked with a source
_SHORTEST = 3  # letters and digits of an identifier that is looked for in a whole letter
_KEPT = 100_000

BytePairVocabulary = Callable[[str], Sequence[int]]
"""Cuts a value into the numbers of its pieces in a vocabulary of sub-words."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """An identifier of a source and what stands in its place in a synthetic letter."""

    label: str
    original: str = field(repr=False)
    replacement: str = field(repr=False)
    person: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Remade:
    """A source with its identifiers, as pairs of label and value, and a letter made from it."""

    source: str = field(repr=False)
    made: str = field(repr=False)
    identifiers: Sequence[tuple[str, str]] = field(repr=False)
    person: str = field(repr=False)


@dataclass(frozen=True)
class _Rate:
    """What is counted: of the originals that `counts`, those that `told` of another value."""

    counts: Callable[[str], bool]
    told: Callable[[str, str], bool]


def folded(value: str) -> str:
    """Return a value without case, accents and signs, its words parted by one blank."""
    return " ".join(words(value))


def reidentification(
    replaced: Sequence[Replaced],
    pieces: BytePairVocabulary,
    data: str,
    *,
    prefix: str = "",
    seed: int = 1,
) -> list[Measured]:
    """Measure how often identifiers come back, whole or in part; `prefix` opens every name.

    `reproduced-words` and `reproduced-pieces` are shares of the identifiers with more than two
    words, or pieces; `shared-N-characters` and `shared-N-pieces` shares of all identifiers with a
    run of N in common with their replacement. Bounds come from resampling persons. An identifier
    without one of the same label of another person has a base rate of 0. What no identifier
    counts for is not measured.
    """
    plain = [(folded(each.original), folded(each.replacement)) for each in replaced]
    others = [
        [plain[number][0] for number in numbers]
        for numbers in _unrelated(replaced, np.random.default_rng(seed))
    ]
    found = []
    for name, rate in _rates(pieces).items():
        kept = [number for number, (original, _) in enumerate(plain) if rate.counts(original)]
        if not kept:
            continue
        parts = np.zeros((len(kept), 2))
        for row, number in zip(parts, kept, strict=True):
            original, replacement = plain[number]
            base = [rate.told(original, other) for other in others[number]]
            row[:] = rate.told(original, replacement), sum(base) / max(len(base), 1)
        control = [rate.told(plain[number][0], plain[number][0]) for number in kept]
        persons = [replaced[number].person for number in kept]
        found.append(_measured(prefix + name, parts, control, persons, data))
    return found


def direct(replaced: Iterable[Replaced]) -> list[Replaced]:
    """Choose what singles a person out alone: names, numbers, addresses."""
    return [each for each in replaced if strength(each.label) is Strength.DIRECT]


def identifiers_kept(letters: Sequence[Remade], data: str) -> list[Measured]:
    """Measure how many identifiers of a source are found anywhere in a letter made from it.

    Direct and quasi-identifiers apart; each value counts once in a letter, and values of fewer
    than three letters and digits are not looked for. What cannot leak is the letter beside the
    identifiers of the next other person; a copy is the source itself. A strength that no
    identifier has is not measured.
    """
    texts = [[_framed(each.made), _framed(each.source)] for each in letters]
    strangers = _strangers([each.person for each in letters])
    found = []
    for name, kind in (
        ("identifiers-kept", Strength.DIRECT),
        ("quasi-identifiers-kept", Strength.QUASI),
    ):
        values = [_values(each.identifiers, kind) for each in letters]
        rows, persons = [], []
        base: list[bool] = []
        for (made, source), mine, stranger, each in zip(
            texts, values, strangers, letters, strict=True
        ):
            rows += [[value in made, value in source] for value in mine]
            persons += [each.person] * len(mine)
            base += [] if stranger is None else [value in made for value in values[stranger]]
        if not rows:
            continue
        counted = np.array(rows, np.float64)
        null = sum(base) / len(base) if base else float("nan")
        parts = np.stack([counted[:, 0], np.full(len(counted), null)], 1)
        found.append(_measured(name, parts, counted[:, 1].tolist(), persons, data))
    return found


def linked(letters: Sequence[Remade], data: str) -> Measured:
    """Measure the share of letters whose nearest source, by ROUGE-3, is the one they came from.

    An attack by whoever holds the sources; most of a masked and filled letter is its source's own
    words, so it succeeds by construction. By chance it hits one source in as many as there are.
    """
    sources = dict.fromkeys(each.source for each in letters)
    places = {source: number for number, source in enumerate(sources)}
    corpus = WordCorpus(map(words_of, sources))

    def hits(texts: Iterable[str]) -> list[bool]:
        near = corpus.rouge([words_of(text) for text in texts], _RUN)
        pairs = zip(near, letters, strict=True)
        return [found.real == places[each.source] for found, each in pairs]

    told = hits(each.made for each in letters)
    itself = hits(each.source for each in letters)
    parts = np.array([[hit, 1 / len(places)] for hit in told])
    return _measured("linked-to-source", parts, itself, [each.person for each in letters], data)


def _rates(pieces: BytePairVocabulary) -> dict[str, _Rate]:
    cut = lru_cache(_KEPT)(lambda value: tuple(pieces(value)))
    units: Mapping[str, Callable[[str], Sequence[object]]] = {"characters": str, "pieces": cut}
    sizes: Mapping[str, Callable[[str], int]] = {
        "words": lambda value: len(value.split()),
        "pieces": lambda value: len(cut(value)),
    }
    rates = {f"reproduced-{unit}": _reproduced(size) for unit, size in sizes.items()}
    for unit, parts in units.items():
        rates |= {f"shared-{length}-{unit}": _shared(parts, length) for length in RUNS}
    return rates


def _reproduced(size: Callable[[str], int]) -> _Rate:
    return _Rate(lambda value: size(value) > MORE_THAN, lambda one, other: one == other)


def _shared(parts: Callable[[str], Sequence[object]], length: int) -> _Rate:
    @lru_cache(_KEPT)
    def runs(value: str) -> frozenset[tuple[object, ...]]:
        held = parts(value)
        return frozenset(tuple(held[at : at + length]) for at in range(len(held) - length + 1))

    return _Rate(lambda value: True, lambda one, other: not runs(one).isdisjoint(runs(other)))


def _unrelated(
    replaced: Sequence[Replaced], chance: np.random.Generator
) -> Iterable[Sequence[int]]:
    """Return for each identifier some of its label that belong to other persons; all of a few."""
    groups: dict[str, list[int]] = {}
    for number, each in enumerate(replaced):
        groups.setdefault(each.label, []).append(number)
    for each in replaced:
        group = groups[each.label]
        if len(group) > PAIRS:
            drawn = chance.integers(len(group), size=2 * PAIRS).tolist()
            group = [group[place] for place in dict.fromkeys(drawn)]
        yield [n for n in group if replaced[n].person != each.person][:PAIRS]


def _strangers(persons: Sequence[str]) -> list[int | None]:
    """Return for each letter the next one, round about, that is another person's."""
    count = len(persons)
    return [
        next(
            (
                number % count
                for number in range(at + 1, at + count)
                if persons[number % count] != persons[at]
            ),
            None,
        )
        for at in range(count)
    ]


def _values(identifiers: Iterable[tuple[str, str]], kind: Strength) -> list[str]:
    """Return the distinct values of a strength, framed by blanks so that they are whole words."""
    plain = {folded(value) for label, value in identifiers if strength(label) is kind}
    return [f" {value} " for value in sorted(plain) if len(value.replace(" ", "")) >= _SHORTEST]


def _framed(text: str) -> str:
    return f" {folded(text)} "


def _measured(
    name: str, parts: Floats, control: Sequence[bool], persons: Sequence[str], data: str
) -> Measured:
    """Average what was counted of at least one identifier: [identifiers, 2], and by chance."""
    detail: dict[str, float | int | str] = {
        "identifiers": len(parts), "persons": len(set(persons)), "told": int(parts[:, 0].sum()),
    }  # fmt: skip
    value, null = parts.mean(0).tolist()
    low, high = _bounds(parts[:, 0], persons)
    return Measured(
        name, Axis.PRIVACY, value, low, high, data,
        null=null, control=sum(control) / len(control), detail=detail,
    )  # fmt: skip


def _bounds(told: Floats, persons: Sequence[str]) -> tuple[float, float]:
    """Bound a share by resampling persons with all their identifiers."""
    names = {person: number for number, person in enumerate(dict.fromkeys(persons))}
    sums = np.zeros((len(names), 1, 2))
    for number, person in enumerate(persons):
        sums[names[person], 0] += told[number], 1
    low, high = ratio_intervals(sums)[0].tolist()
    return float(low), float(high)
