"""Re-identification by synthetic letters: identifiers that recur in them, whole or in part.

The measures of Belkadi et al. (2023), section 4.3: identifiers that are reproduced, and those that
share a run of characters with their replacement. Each rate is reported with its base rate, from
identifiers of other persons of the same label (dates and cities are alike), and with that of
copies. Case, accents and punctuation are ignored.

**Reserved blocks.** Letters are made from notes that were released, whose telephone numbers and
addresses are surrogates from blocks that nobody owns (`reserved_blocks`). Their replacement is from
the same block, so that the two share its characters for every patient alike, while others of the
label, from other blocks, do not: counted so, runs tell which block a number is from, and nothing of
the person. So two values of one block share a run only by what the block leaves free, where a part
that is shorter than the run counts if it is the same, and their chance is that of other persons'
originals from this block. Of two blocks both are compared, what is free and the values as a whole;
all else is as it is for any value. This can hide no leak: the block is
decided by a public list, the chance by originals alone, so that neither depends on how letters were
written; a real patient's number is in no such block; and what a block leaves free is compared more
closely than before: two digits of `555-0123` that come back are seen, which made no difference
while `555 01` alone was a run.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.proximity import WordCorpus, words_of
from evaluation.attacks.reserved_blocks import ReservedValue, find_reserved
from evaluation.detection.identifier_types import IdentifierType, identifier_type
from evaluation.detection.intervals import ratio_intervals
from evaluation.detection.leaks import fold_words
from evaluation.gate import Axis, Measured

Floats = NDArray[np.float64]

RUNS = (3, 5, 7)
"""Lengths of the common runs that are counted, in characters and in subwords."""

MORE_THAN = 2
"""Only identifiers with more words, or subwords, than this can count as reproduced."""

PAIRS = 20
"""Maximum number of other persons' identifiers each one is compared with for the base rate."""

_RUN = 3  # length of the word runs by which a letter is linked with a source
_SHORTEST = 3  # letters and digits of an identifier to search in a whole letter
_KEPT = 100_000

Pieces = Callable[[str], Sequence[int]]
"""Splits a value into the ids of its subwords."""


@dataclass(frozen=True, slots=True)
class ReplacedIdentifier:
    """An identifier of a source and its replacement in a synthetic letter."""

    label: str
    original: str = field(repr=False)
    replacement: str = field(repr=False)
    person: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RemadeLetter:
    """A source with its identifiers, as pairs of label and value, and a letter made from it."""

    source: str = field(repr=False)
    made: str = field(repr=False)
    identifiers: Sequence[tuple[str, str]] = field(repr=False)
    person: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Value:
    """An identifier, folded, and the reserved block that it is from."""

    plain: str = field(repr=False)
    reserved: ReservedValue | None = field(repr=False)

    @property
    def block(self) -> str | None:
        return self.reserved.block if self.reserved else None


@dataclass(frozen=True)
class _RateDefinition:
    """A rate: of the originals that `counts` selects, the share that `matches` a value."""

    counts: Callable[[str], bool]
    matches: Callable[[_Value, _Value], bool]


def fold_value(value: str) -> str:
    """Return a value without case, accents and punctuation, its words joined by one blank."""
    return " ".join(fold_words(value))


def measure_reidentification(
    replaced: Sequence[ReplacedIdentifier],
    pieces: Pieces,
    data: str,
    *,
    prefix: str = "",
    seed: int = 1,
) -> list[Measured]:
    """Measure how often identifiers recur, whole or in part; `prefix` starts every name.

    `reproduced-words` and `reproduced-pieces` are shares of the identifiers with more than two
    words, or pieces; `shared-N-characters` and `shared-N-pieces` are shares of all identifiers with
    a run of N in common with their replacement, beside a reserved block. Bounds come from
    resampling persons. An identifier without another one of the same label, and of its block if it
    is from one, has a base rate of 0. Rates without identifiers are not reported.
    """
    values = [
        (_read(each.label, each.original), _read(each.label, each.replacement)) for each in replaced
    ]
    groups = [
        (each.label, original.block) for each, (original, _) in zip(replaced, values, strict=True)
    ]
    persons = [each.person for each in replaced]
    others = [
        [values[number][0] for number in numbers]
        for numbers in _draw_unrelated(groups, persons, np.random.default_rng(seed))
    ]
    found = []
    for name, rate in _define_rates(pieces).items():
        kept = [number for number, (one, _) in enumerate(values) if rate.counts(one.plain)]
        if not kept:
            continue
        parts = np.zeros((len(kept), 2))
        for row, number in zip(parts, kept, strict=True):
            original, replacement = values[number]
            base = [rate.matches(original, other) for other in others[number]]
            row[:] = rate.matches(original, replacement), sum(base) / max(len(base), 1)
        control = [rate.matches(values[number][0], values[number][0]) for number in kept]
        owners = [persons[number] for number in kept]
        found.append(_summarize(prefix + name, parts, control, owners, data))
    return found


def _read(label: str, value: str) -> _Value:
    return _Value(fold_value(value), find_reserved(label, value))


def select_direct(replaced: Iterable[ReplacedIdentifier]) -> list[ReplacedIdentifier]:
    """Return the direct identifiers: names, numbers, addresses."""
    return [each for each in replaced if identifier_type(each.label) is IdentifierType.DIRECT]


def measure_kept_identifiers(letters: Sequence[RemadeLetter], data: str) -> list[Measured]:
    """Measure how many identifiers of a source occur anywhere in a letter made from it.

    Direct and quasi-identifiers are measured separately; each value counts once per letter, and
    values of fewer than three letters and digits are ignored. The null value is that of the
    identifiers of the next other person, the control that of the source itself. A type without
    identifiers is not reported.
    """
    texts = [[_frame(each.made), _frame(each.source)] for each in letters]
    strangers = _next_other_persons([each.person for each in letters])
    found = []
    for name, kind in (
        ("identifiers-kept", IdentifierType.DIRECT),
        ("quasi-identifiers-kept", IdentifierType.QUASI),
    ):
        values = [_distinct_values(each.identifiers, kind) for each in letters]
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
        found.append(_summarize(name, parts, counted[:, 1].tolist(), persons, data))
    return found


def measure_source_linkage(letters: Sequence[RemadeLetter], data: str) -> Measured:
    """Measure the share of letters whose nearest source by ROUGE-3 is the one they came from.

    This attack requires the sources; as most of a masked and refilled letter is its source's own
    wording, it succeeds by construction. The chance level is one in the number of sources.
    """
    sources = dict.fromkeys(each.source for each in letters)
    places = {source: number for number, source in enumerate(sources)}
    corpus = WordCorpus(map(words_of, sources))

    def hits(texts: Iterable[str]) -> list[bool]:
        near = corpus.rouge([words_of(text) for text in texts], _RUN)
        pairs = zip(near, letters, strict=True)
        return [found.real == places[each.source] for found, each in pairs]

    matches = hits(each.made for each in letters)
    itself = hits(each.source for each in letters)
    parts = np.array([[hit, 1 / len(places)] for hit in matches])
    return _summarize("linked-to-source", parts, itself, [each.person for each in letters], data)


def _define_rates(pieces: Pieces) -> dict[str, _RateDefinition]:
    cut = lru_cache(_KEPT)(lambda value: tuple(pieces(value)))
    units: Mapping[str, Callable[[str], Sequence[object]]] = {"characters": str, "pieces": cut}
    sizes: Mapping[str, Callable[[str], int]] = {
        "words": lambda value: len(value.split()),
        "pieces": lambda value: len(cut(value)),
    }
    rates = {f"reproduced-{unit}": _reproduced_rate(size) for unit, size in sizes.items()}
    for unit, parts in units.items():
        rates |= {f"shared-{length}-{unit}": _shared_rate(parts, length) for length in RUNS}
    return rates


def _reproduced_rate(size: Callable[[str], int]) -> _RateDefinition:
    return _RateDefinition(
        lambda value: size(value) > MORE_THAN, lambda one, other: one.plain == other.plain
    )


def _shared_rate(parts: Callable[[str], Sequence[object]], length: int) -> _RateDefinition:
    @lru_cache(_KEPT)
    def runs(value: str) -> frozenset[tuple[object, ...]]:
        held = parts(value)
        return frozenset(tuple(held[at : at + length]) for at in range(len(held) - length + 1))

    def has_common_run(one: str, other: str) -> bool:
        return not runs(one).isdisjoint(runs(other))

    def has_common_part(one: str, other: str) -> bool:
        return one == other if len(parts(one)) < length else has_common_run(one, other)

    def matches(one: _Value, other: _Value) -> bool:
        first, second = one.reserved, other.reserved
        if first is None or second is None:
            return has_common_run(one.plain, other.plain)
        if first.block != second.block and has_common_run(one.plain, other.plain):
            return True
        return any(has_common_part(mine, its) for mine in first.free for its in second.free)

    return _RateDefinition(lambda value: True, matches)


def _draw_unrelated(
    groups: Sequence[Hashable], persons: Sequence[str], chance: np.random.Generator
) -> Iterable[Sequence[int]]:
    """Return for each identifier some others of its group that belong to other persons."""
    members: dict[Hashable, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    for group, person in zip(groups, persons, strict=True):
        drawn = members[group]
        if len(drawn) > PAIRS:
            places = chance.integers(len(drawn), size=2 * PAIRS).tolist()
            drawn = [drawn[place] for place in dict.fromkeys(places)]
        yield [number for number in drawn if persons[number] != person][:PAIRS]


def _next_other_persons(persons: Sequence[str]) -> list[int | None]:
    """Return for each letter the next one, cyclically, of another person."""
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


def _distinct_values(identifiers: Iterable[tuple[str, str]], kind: IdentifierType) -> list[str]:
    """Return the distinct values of a type, framed by blanks to match whole words."""
    plain = {fold_value(value) for label, value in identifiers if identifier_type(label) is kind}
    return [f" {value} " for value in sorted(plain) if len(value.replace(" ", "")) >= _SHORTEST]


def _frame(text: str) -> str:
    return f" {fold_value(text)} "


def _summarize(
    name: str, parts: Floats, control: Sequence[bool], persons: Sequence[str], data: str
) -> Measured:
    """Return the mean of the counts and of their chance level: [identifiers, 2]."""
    detail: dict[str, float | int | str] = {
        "identifiers": len(parts), "persons": len(set(persons)), "told": int(parts[:, 0].sum()),
    }  # fmt: skip
    value, null = parts.mean(0).tolist()
    # The share is bounded by resampling persons with all their identifiers.
    numbers = {person: number for number, person in enumerate(dict.fromkeys(persons))}
    sums = np.zeros((len(numbers), 1, 2))
    for hit, person in zip(parts[:, 0], persons, strict=True):
        sums[numbers[person], 0] += hit, 1
    low, high = ratio_intervals(sums)[0].tolist()
    return Measured(
        name, Axis.PRIVACY, value, low, high, data,
        null=null, control=sum(control) / len(control), detail=detail,
    )  # fmt: skip
