"""The attacker of this repository: a likelihood ratio of each pair of patients (Fellegi, Sunter).

It knows the program and its policies, and calibrates on releases that it makes itself: from
fictional patients of its own, released under keys of its own, it learns how often two records of
one patient agree in each field, and how often those of two patients do. The pairs of the attacked
releases then get the sum of the logarithms of both shares' ratio, and each patient of the first
release the best pair.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.linkage.releases import Pair, Release
from record.folding import fold
from record.label import Label
from surrogates.patient.name_lists import of_role

Scores = NDArray[np.float32]
Categories = NDArray[np.int16]
Field = Callable[[Release, Release], Categories]
"""Compares every person of one release with every person of another: [persons, persons]."""

EVIDENCE = ("demographics", "names", "mentions", "times", "ids", "order", "visits")
_CAP = 40
_CLOCK = re.compile(r"\d{4}[ T,]{1,3}(?:à |a las |at |um |om )?(\d{1,2})\s?[:hH]\s?(\d{2})")


class LikelihoodAttack:
    """Links the patients of a pair of releases, calibrated on a pair of the attacker's own."""

    kinds = EVIDENCE

    def __init__(self, pair: Pair, trained: Pair) -> None:
        self._pair = pair
        self._trained = trained
        self._scores: dict[str, Scores] = {}

    def link(self, use: Sequence[str], *, seed: int = 1) -> dict[int, int]:
        """Guess for each person of the first release which one of the second it is.

        `use` are the kinds of evidence; the others are ignored. Ties are broken at random.
        """
        persons = self._pair.second.persons
        score = np.random.default_rng(seed).random(len(persons), np.float32) * 1e-3
        total = np.broadcast_to(score, (len(self._pair.first.persons), len(persons)))
        for name in use:
            total = total + self._score(name)
        best = np.argmax(total, axis=1)
        return {
            person: persons[int(at)]
            for person, at in zip(self._pair.first.persons, best, strict=True)
        }

    def _score(self, name: str) -> Scores:
        """Return the logarithm of the likelihood ratio of each pair by one kind of evidence."""
        known = self._scores.get(name)
        if known is None:
            parts = (
                _calibrate(field, self._trained)[field(self._pair.first, self._pair.second)]
                for field in _FIELDS[name]
            )
            known = self._scores[name] = reduce(np.add, parts)
        return known


def _calibrate(field: Field, trained: Pair) -> Scores:
    """Return the logarithm of the likelihood ratio of each category, with one added to counts."""
    found = field(trained.first, trained.second)
    place = {person: at for at, person in enumerate(trained.second.persons)}
    own = [place[trained.truth[person]] for person in trained.first.persons]
    same = found[np.arange(len(own)), own]
    size = 2 * _CAP + 2
    matched = np.bincount(same, minlength=size)[:size] + 1.0 / size
    every = np.bincount(found.ravel(), minlength=size)[:size] - np.bincount(same, minlength=size)
    others = np.maximum(every, 0) + 1.0 / size
    ratio = np.log(matched / matched.sum()) - np.log(others / others.sum())
    return ratio.astype(np.float32)


def _difference(first: Sequence[float], second: Sequence[float], unit: float = 1.0) -> Categories:
    """Return differences in units, capped; unknown values have a category of their own."""
    one, two = np.array(first, np.float64), np.array(second, np.float64)
    apart = np.clip(np.round((two[None, :] - one[:, None]) / unit), -_CAP, _CAP)
    return np.where(np.isnan(apart), 2 * _CAP + 1, apart + _CAP).astype(np.int16)


def _overlap(first: Sequence[Counter[Any]], second: Sequence[Counter[Any]]) -> Categories:
    """Return the number of shared values by their rarity, as a category up to the cap."""
    known = sorted({key for each in (*first, *second) for key in each}, key=repr)
    place = {key: at for at, key in enumerate(known)}
    one, two = _indicator(first, place), _indicator(second, place)
    seen = np.asarray(one.sum(axis=0) + two.sum(axis=0)).ravel()
    rarity = -np.log((seen + 1.0) / (len(first) + len(second) + 1.0))
    shared = (one.multiply(rarity).tocsr() @ two.T).toarray()
    return np.clip(np.ceil(shared), 0, 2 * _CAP).astype(np.int16)


def _indicator(persons: Sequence[Counter[Any]], place: Mapping[Any, int]) -> csr_array:
    """Return which of the values each person has: [persons, values]."""
    rows = [at for at, values in enumerate(persons) for _ in values]
    columns = [place[value] for values in persons for value in values]
    shape = (len(persons), len(place))
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


# Fields ------------------------------------------------------------------------------------------


def _by_person(release: Release, table: str) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in release.tables[table]:
        found[row["person_id"]].append(row)
    return found


def _column(release: Release, name: str) -> list[float]:
    rows = release.tables["person"]
    return [np.nan if row.get(name) is None else float(row[name]) for row in rows]


def _sex(first: Release, second: Release) -> Categories:
    one, two = _column(first, "gender_concept_id"), _column(second, "gender_concept_id")
    return (np.array(one)[:, None] != np.array(two)[None, :]).astype(np.int16)


def _year(first: Release, second: Release) -> Categories:
    return _difference(_column(first, "year_of_birth"), _column(second, "year_of_birth"))


def _birth(first: Release, second: Release) -> Categories:
    one, two = (
        [
            12 * year + month
            for year, month in zip(
                _column(each, "year_of_birth"), _column(each, "month_of_birth"), strict=True
            )
        ]
        for each in (first, second)
    )
    return _difference(one, two)


def _mask(release: Release) -> Release:
    """Number the words of the names in each file: how many there are, and which recur, is left."""
    owner = {row["note_id"]: row["person_id"] for row in release.tables["note"]}
    numbers: dict[int, dict[str, int]] = defaultdict(dict)
    rows = []
    for row in release.tables["name"]:
        mine = numbers[owner[row["note_id"]]]
        words = (mine.setdefault(fold(word), len(mine)) for word in row["text"].split())
        rows.append({**row, "text": " ".join(f"n{number}" for number in words)})
    return Release({**release.tables, "name": rows})


def _masked(field: Field) -> Field:
    return lambda first, second: field(_mask(first), _mask(second))


def _names_of(release: Release) -> list[Counter[tuple[str, str]]]:
    """Return the surrogates of names in each patient's notes: label and folded word."""
    owner = {row["note_id"]: row["person_id"] for row in release.tables["note"]}
    found: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in release.tables["name"]:
        for word in re.split(r"[\s.'’-]+", row["text"]):
            if len(word) > 1:
                found[owner[row["note_id"]]][row["label"], fold(word)] += 1
    return [found[person] for person in release.persons]


def _kind(role: str, word: str, locale: str) -> str:
    """Return the list's stratum of a name: its frequency, origin and gender."""
    place = of_role(role, locale).places.get(word)
    return place[0].name if place else "unlisted"


def _literal_names(first: Release, second: Release) -> Categories:
    return _overlap(_names_of(first), _names_of(second))


def _name_kinds(first: Release, second: Release) -> Categories:
    """Compare the strata of all names of a file, each with its rank among the file's names."""

    def kinds(release: Release) -> list[Counter[Any]]:
        made = []
        for names in _names_of(release):
            found: Counter[Any] = Counter()
            for role in (Label.FIRST_NAME.value, Label.LAST_NAME.value):
                mine = [(n, word) for (label, word), n in names.items() if label == role]
                for rank, (_, word) in enumerate(sorted(mine, reverse=True)[:4]):
                    found[role, rank, _kind(role, word, "fr")] += 1
            made.append(found)
        return made

    return _overlap(kinds(first), kinds(second))


def _name_shapes(first: Release, second: Release) -> Categories:
    """Compare hyphens, parts and lengths of the most frequent names of a file."""

    def shapes(release: Release) -> list[Counter[Any]]:
        owner = {row["note_id"]: row["person_id"] for row in release.tables["note"]}
        texts: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
        for row in release.tables["name"]:
            texts[owner[row["note_id"]]][row["label"], row["text"].casefold()] += 1
        made = []
        for person in release.persons:
            found: Counter[Any] = Counter()
            for (label, text), _ in texts[person].most_common(4):
                found[label, "-" in text, len(text.split()), len(text) // 3] += 1
            made.append(found)
        return made

    return _overlap(shapes(first), shapes(second))


def _clocks(first: Release, second: Release) -> Categories:
    """Compare times of day: of visits, notes, and those beside dates in the texts."""

    def clocks(release: Release) -> list[Counter[Any]]:
        found: dict[int, Counter[Any]] = defaultdict(Counter)
        for table, column in (
            ("visit_occurrence", "visit_start_datetime"),
            ("visit_occurrence", "visit_end_datetime"),
            ("note", "note_datetime"),
        ):
            for row in release.tables[table]:
                moment = row.get(column)
                if isinstance(moment, datetime) and (moment.hour or moment.minute):
                    found[row["person_id"]][column, moment.hour, moment.minute] += 1
        for row in release.tables["note"]:
            for match in _CLOCK.finditer(row["note_text"]):
                found[row["person_id"]]["text", int(match[1]), int(match[2])] += 1
        return [found[person] for person in release.persons]

    return _overlap(clocks(first), clocks(second))


def _equal_ids(first: Release, second: Release) -> Categories:
    def ids(release: Release) -> list[Counter[Any]]:
        found: dict[int, Counter[Any]] = defaultdict(Counter)
        for table in ("person", "visit_occurrence", "note"):
            for row in release.tables[table]:
                for name, value in row.items():
                    if name.endswith("_id") and "concept" not in name and value is not None:
                        found[row["person_id"]][name, value] += 1
        return [found[person] for person in release.persons]

    return _overlap(ids(first), ids(second))


def _ordered_ids(first: Release, second: Release) -> Categories:
    """Compare the rank of a person's id among all."""
    one, two = (np.argsort(np.argsort(each.persons)).tolist() for each in (first, second))
    return _difference(one, two, max(1.0, len(one) / _CAP))


def _places(first: Release, second: Release) -> Categories:
    """Compare where the first row of a person stands in each table."""

    def first_rows(release: Release) -> list[float]:
        found: dict[int, float] = {}
        rows = release.tables["note"]
        for at, row in enumerate(rows):
            found.setdefault(row["person_id"], at / max(1, len(rows)))
        return [found.get(person, np.nan) for person in release.persons]

    return _difference(first_rows(first), first_rows(second), 1.0 / _CAP)


def _days(release: Release) -> list[list[date]]:
    found: dict[int, set[date]] = defaultdict(set)
    for table, column in (("visit_occurrence", "visit_start_date"), ("note", "note_date")):
        for row in release.tables[table]:
            if row.get(column) is not None:
                found[row["person_id"]].add(row[column])
    return [sorted(found[person]) for person in release.persons]


def _gaps(first: Release, second: Release) -> Categories:
    """Compare the days between neighbouring dates of a patient."""

    def gaps(days: Iterable[list[date]]) -> list[Counter[Any]]:
        return [Counter((b - a).days for a, b in pairwise(each)) for each in days]

    return _overlap(gaps(_days(first)), gaps(_days(second)))


def _period(first: Release, second: Release) -> Categories:
    one, two = (
        [each[-1].toordinal() if each else np.nan for each in _days(release)]
        for release in (first, second)
    )
    return _difference(one, two, 30.0)


_NAME_FIELDS: tuple[Field, ...] = (_literal_names, _name_kinds, _name_shapes)
_FIELDS: Mapping[str, tuple[Field, ...]] = {
    "demographics": (_sex, _year, _birth),
    "names": _NAME_FIELDS,
    "mentions": tuple(_masked(field) for field in _NAME_FIELDS),
    "times": (_clocks,),
    "ids": (_equal_ids, _ordered_ids),
    "order": (_places,),
    "visits": (_gaps, _period),
}
