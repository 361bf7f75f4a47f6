"""The outside attacker: files of persons, and how alike those of two releases are.

Its author had two releases and the documents, not the code. The attacker holds two OMOP releases of
one set of patients, made under different keys, and no list of true pairs. `OutsideAttack.link`
(in `outside_matching`) guesses for every person of the first release who it is in the second.

Method
------
Each kind of evidence gives *comparators*: a number for every pair of persons, greater where the two
files are more alike. There are three sorts of them.

* Scalars: position of a row, year of birth, newest date; likeness is the negative distance.
* Bags of tokens: exact gaps between dates, times of day, patterns in which names recur. Likeness
  is the overlap, weighted by rarity (inverse document frequency), as a cosine.
* Graphs: who shares clinicians (ids or names) with whom. The vertices of one graph are matched with
  those of the other by alternating between persons and clinicians, from degrees or from what other
  evidence already tells of the persons.

The values of a comparator are cut into bins by the share of pairs that are at least as alike (1/2,
1/4, 1/8 ...). Each bin gets a Fellegi-Sunter weight `log(m / u)`: `u` is the share of all pairs,
`m` that of true pairs. There is no truth to count `m` on, so it comes from expectation
maximization: a first guess favours the rare, most alike bins; the sum of weights gives a
probability of each pair (normalized over rows and columns, as each person has one partner); these
give new `m`.

Comparators of which nobody knows beforehand whether they tell anything (ids, order of rows, which
surrogate was drawn) could confirm themselves by chance. They are admitted only if they agree with
the other evidence better than after random permutation of the persons. Where there is no other
evidence, all are used as they are.

In the end a one-to-one assignment of maximal weight is made: exact for up to 2,000 persons, above
that greedy. Persons are shuffled first, so that ties do not give away the order of rows.

What belongs to which kind of evidence
--------------------------------------
`demographics` columns of sex and birth; `names` is `mentions` (in what pattern names, initials,
misspellings and capitals recur) and `surrogates` (which name stands for a name), which may be given
alone; `times` times of day; `ids` values of ids, and who shares clinicians and care sites; `order`
positions of rows, and the newest date as a bound; `visits` dates, gaps, types and numbers of rows,
and intervals between dates, ages among them.
Offsets of names serve to order them and to tell which stand side by side. No other text of notes is
used but times of day beside dates, which belong to `times`.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from benchmarks.linkage.releases import Release

Row = Mapping[str, Any]
Matrix = NDArray[np.float32]
Bag = Counter[Any]
T = TypeVar("T")


class Comparator(NamedTuple):
    """How alike the persons of each pair are in one respect."""

    name: str
    family: str
    bins: NDArray[np.uint8]  # 0 where nothing is known of one of the two
    share: NDArray[np.float64]  # of all pairs, in each bin
    weights: NDArray[np.float64]
    guess: NDArray[np.float64]  # the share of true pairs in each bin, before anything is learned
    trusted: bool


# Values -------------------------------------------------------------------------------------------


def moment_of(value: Any) -> datetime | None:
    """A date, datetime or ISO string as a datetime without zone; None for anything else."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None) if value else None
    except ValueError:
        return None


def day_of(row: Row, *columns: str) -> int | None:
    """The number of the day in the first of these columns that has one."""
    for column in columns:
        moment = moment_of(row.get(column))
        if moment is not None:
            return moment.toordinal()
    return None


def clock_of(row: Row, column: str) -> int | None:
    """The minute of the day in a datetime column.

    None for a bare date, and for midnight, as times that were removed are.
    """
    value = row.get(column)
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return None
    if isinstance(value, str) and len(value) <= 10:
        return None
    moment = moment_of(value)
    return None if moment is None else moment.hour * 60 + moment.minute or None


def fold_text(text: str) -> str:
    """Small letters without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def integer_of(value: Any) -> int | None:
    """An id as a number, also where it is written as text."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


@dataclass
class Files:
    """The rows of a release by person, each with its position in its table."""

    persons: list[int]
    person: dict[int, Row] = field(default_factory=dict)
    position: dict[int, int] = field(default_factory=dict)
    visits: dict[int, list[tuple[int, Row]]] = field(default_factory=dict)
    notes: dict[int, list[tuple[int, Row]]] = field(default_factory=dict)
    names: dict[int, list[Row]] = field(default_factory=dict)  # by note, in the order of the text
    read: dict[tuple[str, int], Any] = field(
        default_factory=dict
    )  # what was read of a person already

    def rows(self, table: str, person: int) -> list[tuple[int, Row]]:
        """Positions and rows of a person in a table."""
        return (self.visits if table == "visit_occurrence" else self.notes).get(person, [])

    def once(self, what: str, person: int, read: Callable[["Files", int], T]) -> T:
        """What `read` gives, read once."""
        if (what, person) not in self.read:
            self.read[what, person] = read(self, person)
        found: T = self.read[what, person]
        return found

    def mentions(self, person: int) -> Iterable[list[Row]]:
        """The names of each note of a person."""
        return (self.names.get(row["note_id"], []) for _, row in self.notes.get(person, []))


def sort_by_person(release: Release, rng: np.random.Generator) -> Files:
    """Sort the rows of a release by person, the persons in random order."""
    rows = list(release.tables["person"])
    files = Files([rows[place]["person_id"] for place in rng.permutation(len(rows))])
    for place, row in enumerate(rows):
        files.person[row["person_id"]] = row
        files.position[row["person_id"]] = place
    for table, into in (("visit_occurrence", files.visits), ("note", files.notes)):
        for place, row in enumerate(release.tables.get(table, ())):
            into.setdefault(row["person_id"], []).append((place, row))
    for row in release.tables.get("name", ()):
        files.names.setdefault(row["note_id"], []).append({**row, "word": fold_text(row["text"])})
    for spans in files.names.values():
        spans.sort(key=lambda row: row["start"])
    return files


# Likeness of pairs --------------------------------------------------------------------------------


def cut_scores(
    name: str, family: str, score: Matrix, trusted: bool, strength: float
) -> Comparator | None:
    """Cut scores into bins of halving tails; None where all pairs are alike.

    `strength` says how much the first guess of `m` favours rare bins, from 0 to 1.
    """
    flat = score.ravel()
    sample = flat if flat.size <= 4_000_000 else flat[:: flat.size // 2_000_000 | 1]
    sample = sample[~np.isnan(sample)]
    if not sample.size:
        return None
    halvings = int(np.ceil(np.log2(4 * max(2, min(score.shape)))))
    limits = np.unique(np.quantile(sample, 1 - 0.5 ** np.arange(1, halvings + 1), method="higher"))
    bins = np.searchsorted(limits.astype(np.float32), flat, side="right").astype(
        np.uint8
    ) + np.uint8(1)
    bins[np.isnan(flat)] = 0
    count = np.bincount(bins, minlength=len(limits) + 2).astype(float)
    if np.count_nonzero(count[1:]) < 2:
        return None
    share = (count + 0.5) / (count + 0.5).sum()
    tail = share[::-1].cumsum()[::-1]
    guess = np.where(count > 0, share / tail**strength, 1e-12)
    guess[0] = 0.0
    guess *= (1 - share[0]) / guess.sum()
    guess[0] = share[0]
    return Comparator(
        name, family, bins.reshape(score.shape), share, np.log(guess / share), guess, trusted
    )


def compare_numbers(first: Sequence[float | None], second: Sequence[float | None]) -> Matrix:
    """Negative distance of two numbers; not a number where one is missing."""
    left = np.array([np.nan if value is None else value for value in first], dtype=np.float32)
    right = np.array([np.nan if value is None else value for value in second], dtype=np.float32)
    return -np.abs(left[:, None] - right[None, :])


def compare_values(first: Sequence[Hashable], second: Sequence[Hashable]) -> Matrix:
    """The rarity of a value where two have it; 0 where they differ.

    Not a number where one is missing.
    """
    sides = [
        [Counter([value]) if value is not None else Counter() for value in side]
        for side in (first, second)
    ]
    score = compare_bags(sides[0], sides[1])
    score[np.array([value is None for value in first])] = np.nan
    score[:, np.array([value is None for value in second])] = np.nan
    return score


def _incidence(bags: Sequence[Bag], vocabulary: Mapping[Hashable, int]) -> csr_matrix:
    """Persons by tokens, 1 where a person has the token."""
    places = [
        (row, vocabulary[token])
        for row, bag in enumerate(bags)
        for token in bag
        if token in vocabulary
    ]
    rows, columns = np.array(places, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(places), dtype=np.float32)
    return csr_matrix((ones, (rows, columns)), shape=(len(bags), len(vocabulary)))


def compare_bags(first: Sequence[Bag], second: Sequence[Bag], counted: bool = False) -> Matrix:
    """The cosine of two bags of tokens, rare tokens weighing more.

    Where `counted`, the second occurrence of a token is a token of its own, and so on.
    """
    if counted:
        first, second = ([_numbered(bag) for bag in bags] for bags in (first, second))
    total = len(first) + len(second)
    left = Counter(token for bag in first for token in bag)
    right = Counter(token for bag in second for token in bag)
    shared = {token: left[token] + right[token] for token in left if token in right}
    rarity = {
        token: float(np.log(total / count)) for token, count in shared.items() if count < total
    }
    alone = float(np.log(total))
    vocabulary = {token: place for place, token in enumerate(rarity)}
    weights = np.array(list(rarity.values()), dtype=np.float32)
    lengths = [
        np.array(
            [sum(rarity.get(t, 0.0 if t in shared else alone) for t in bag) for bag in bags],
            dtype=np.float32,
        )
        for bags in (first, second)
    ]
    if not vocabulary:
        return np.zeros((len(first), len(second)), dtype=np.float32)
    product = (
        _incidence(first, vocabulary).multiply(weights[None, :]).tocsr()
        @ _incidence(second, vocabulary).T
    )
    score = np.asarray(product.todense(), dtype=np.float32)
    score /= np.sqrt(np.maximum(lengths[0], 1e-6))[:, None]
    score /= np.sqrt(np.maximum(lengths[1], 1e-6))[None, :]
    return score


def _numbered(bag: Bag) -> Bag:
    """A bag in which equal tokens are told apart by a number."""
    return Counter({(token, number): 1 for token, count in bag.items() for number in range(count)})


def compare_rows(first: NDArray[np.float32], second: NDArray[np.float32]) -> Matrix:
    """Negative distance of the rows of two tables, in standard deviations."""
    scale = np.vstack([first, second]).std(axis=0) + 1e-6
    left, right = first / scale, second / scale
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)[None, :] - 2 * left @ right.T
    return -np.sqrt(np.maximum(squares, 0)).astype(np.float32)


@dataclass
class Pairs:
    """Two releases, and the comparators made of them so far."""

    first: Files
    second: Files
    rng: np.random.Generator
    made: list[Comparator] = field(default_factory=list)
    family: str = ""

    def both(self, read: Callable[[Files, int], Any]) -> tuple[list[Any], list[Any]]:
        """A value of every person of either release."""
        sides = [
            [read(files, person) for person in files.persons] for files in (self.first, self.second)
        ]
        return sides[0], sides[1]

    def add(self, name: str, score: Matrix, trusted: bool = True, strength: float = 0.5) -> None:
        """Make a comparator of scores, unless they are all the same."""
        comparator = cut_scores(name, self.family, score, trusted, strength)
        if comparator is not None:
            self.made.append(comparator)

    def scalar(
        self,
        name: str,
        read: Callable[[Files, int], float | None],
        trusted: bool = True,
        strength: float = 0.5,
    ) -> None:
        """Compare a number by its distance."""
        self.add(name, compare_numbers(*self.both(read)), trusted, strength)

    def bag(
        self,
        name: str,
        read: Callable[[Files, int], Bag],
        trusted: bool = True,
        strength: float = 0.8,
        counted: bool = True,
    ) -> None:
        """Compare bags of tokens by their weighted overlap."""
        self.add(name, compare_bags(*self.both(read), counted=counted), trusted, strength)
