"""The outside attacker puts its evidence together: graphs, learned weights, and the assignment."""

from collections import Counter
from collections.abc import Callable, Sequence, Set

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from benchmarks.linkage.outside_evidence import (
    compare_demographics,
    compare_ids,
    compare_order,
    compare_times,
    compare_visits,
    staff_of,
)
from benchmarks.linkage.outside_files import (
    Bag,
    Comparator,
    Matrix,
    Pairs,
    compare_rows,
    cut_scores,
    sort_by_person,
)
from benchmarks.linkage.outside_names import compare_mentions, compare_surrogates, names_of
from benchmarks.linkage.releases import Pair, Release

KINDS = ("demographics", "names", "times", "ids", "order", "visits")
NAME_PARTS = ("mentions", "surrogates")
EXACT_UP_TO = 2000
ROUNDS = 10
DOUBT = 10.0
WEIGHT_LIMIT = 14.0


# Graphs of what persons share ---------------------------------------------------------------------


def _shares(bags: Sequence[Bag], limit: int) -> NDArray[np.float32]:
    """Persons by what they share with others (the most shared first).

    The square root of the share in the person's rows, weighted by rarity.
    """
    owners = Counter(token for bag in bags for token in bag)
    shared = [token for token, count in owners.most_common(limit) if count > 1]
    vocabulary = {token: place for place, token in enumerate(shared)}
    table = np.zeros((len(bags), len(shared)), dtype=np.float32)
    for row, bag in enumerate(bags):
        total = sum(bag.values())
        for token, count in bag.items():
            if token in vocabulary:
                table[row, vocabulary[token]] = np.sqrt(count / total)
    weights = np.sqrt(np.log(len(bags) / np.maximum(1, (table > 0).sum(axis=0)) + 1e-3).clip(0.05))
    return table * weights


def _profile(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """What can be told of a shared vertex without names.

    Its degree, its weights, and its neighbours' degrees.
    """
    levels = np.linspace(0, 1, 12)
    degree = (table > 0).mean(axis=0)
    own = np.array(
        [
            np.quantile(column[column > 0], levels) if column.any() else levels * 0
            for column in table.T
        ]
    )
    together = (table > 0).astype(np.float32).T @ (table > 0)
    beside = np.quantile(together / len(table), levels, axis=1).T
    return np.hstack([np.log(degree + 1e-3)[:, None] * 3, own, np.sqrt(beside) * 3]).astype(
        np.float32
    )


def _alternate(
    first: NDArray[np.float32], second: NDArray[np.float32], vertices: Matrix
) -> tuple[Matrix, float]:
    """Match vertices and persons in turn, as long as it explains more.

    Gives the likeness of persons, and how much is explained.
    """
    best, best_fit = np.zeros((len(first), len(second)), dtype=np.float32), -1.0
    norm = float(np.sqrt((first**2).sum() * (second**2).sum())) + 1e-9
    for _ in range(15):
        here, there = linear_sum_assignment(-vertices)
        score = first[:, here] @ second[:, there].T
        rows, columns = _assign(score)
        fit = float(score[rows, columns].sum()) / norm
        if fit <= best_fit + 1e-6:
            break
        best, best_fit = score, fit
        vertices = first[rows].T @ second[columns]
    return best, best_fit


def _graph(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    posterior: Matrix | None,
    rng: np.random.Generator,
) -> tuple[Matrix, bool]:
    """Likeness of persons by what they share, and whether the two graphs are beyond doubt the same.

    The first map comes from the profiles of the vertices (with some noise, several times), and from
    the persons where `posterior` tells which are alike; what explains most is kept. The graphs are
    the same where that is far more than of a graph with the same degrees, in which each vertex has
    other persons.
    """
    alike = compare_rows(_profile(first), _profile(second))
    starts = [] if posterior is None else [first.T @ (posterior @ second)]
    for noise in (0.0, 0.1, 0.2, 0.4) if len(first) <= EXACT_UP_TO else (0.0,):
        starts.append(
            alike + noise * alike.std() * rng.standard_normal(alike.shape).astype(np.float32)
        )
    best, fit = max(
        (_alternate(first, second, start) for start in starts), key=lambda found: found[1]
    )
    mixed = np.array([rng.permutation(column) for column in second.T]).T
    by_chance = _alternate(first, mixed, compare_rows(_profile(first), _profile(mixed)))[1]
    lengths = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)[None, :]
    return -np.sqrt(np.maximum(lengths - 2 * best, 0)), fit - by_chance > 0.4 * (1 - by_chance)


def _graphs(pairs: Pairs, use: Set[str], posterior: Matrix | None) -> list[Comparator]:
    """Comparators of shared clinicians and care sites, by id, and of shared names."""
    made: list[Comparator | None] = []
    wanted = (
        ("ids", "graph of clinicians", staff_of, 1000),
        ("surrogates", "graph of names", names_of, 300),
    )
    for family, name, read, limit in wanted:
        if family in use:
            first, second = (_shares(bags, limit) for bags in pairs.both(read))
            if min(first.shape[1], second.shape[1]) > 1:
                score, same = _graph(first, second, posterior, pairs.rng)
                made.append(cut_scores(name, family, score, same, 0.8))
    return [comparator for comparator in made if comparator is not None]


# Weights and assignment ---------------------------------------------------------------------------


def _total(comparators: Sequence[Comparator], shape: tuple[int, int]) -> Matrix:
    """The sum of the weights of all comparators."""
    total = np.zeros(shape, dtype=np.float32)
    for comparator in comparators:
        total += comparator.weights.astype(np.float32)[comparator.bins]
    return total


def _posterior(total: Matrix) -> Matrix:
    """Probabilities of pairs, so that each person has about one partner."""
    chance = np.exp(total - total.max(axis=1, keepdims=True))
    for _ in range(5):
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-20)
        chance /= np.maximum(chance.sum(axis=0, keepdims=True), 1.0)
    return chance


def _reweighted(comparator: Comparator, posterior: Matrix) -> Comparator:
    """The comparator with weights of the pairs that are probable now; more alike never weighs less.

    Some pairs are added as the first guess has them, or, where it is not known whether the
    comparator tells anything, as all pairs are: little evidence does not confirm itself.
    """
    matched = np.bincount(
        comparator.bins.ravel(), weights=posterior.ravel(), minlength=len(comparator.share)
    )
    added = DOUBT * (comparator.guess if comparator.trusted else comparator.share)
    known = matched[1:].sum() + added[1:].sum()
    weights = np.log(
        (matched + added)[1:] / known / (comparator.share[1:] / comparator.share[1:].sum())
    )
    rising = (np.maximum.accumulate(weights) + np.minimum.accumulate(weights[::-1])[::-1]) / 2
    return comparator._replace(
        weights=np.concatenate([[0.0], rising.clip(-WEIGHT_LIMIT, WEIGHT_LIMIT)])
    )


def _learn(
    comparators: list[Comparator], shape: tuple[int, int], rounds: int = ROUNDS
) -> list[Comparator]:
    """Expectation maximization from the weights that the comparators have."""
    for _ in range(rounds):
        posterior = _posterior(_total(comparators, shape))
        comparators = [_reweighted(comparator, posterior) for comparator in comparators]
    return comparators


def _agrees(
    comparator: Comparator, posterior: Matrix, rng: np.random.Generator, limit: float = 4.0
) -> bool:
    """Whether a comparator agrees with other evidence better than after permuting the persons."""
    rows = rng.permutation(len(posterior))[:1000]
    bins, chance = comparator.bins[rows], posterior[rows]
    weights = comparator.weights.astype(np.float32)[bins]
    found = float((weights * chance).sum())
    by_chance = [float((weights[rng.permutation(len(rows))] * chance).sum()) for _ in range(12)]
    return bool(found > np.mean(by_chance) + limit * (np.std(by_chance) + 1e-9))


def _assign(score: Matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One-to-one pairs of great total score: of the greatest for few persons, greedy for many."""
    if max(score.shape) <= EXACT_UP_TO:
        return linear_sum_assignment(-score)
    few = min(40, score.shape[1])
    best = np.argpartition(-score, few - 1, axis=1)[:, :few]
    values = np.take_along_axis(score, best, axis=1)
    taken_rows, taken_columns = np.full(score.shape[0], -1), np.zeros(score.shape[1], dtype=bool)
    margin = values - np.sort(values, axis=1)[:, [-2]] * 0.5
    for place in np.argsort(-margin, axis=None, kind="stable"):
        row, column = place // few, best.flat[place]
        if taken_rows[row] < 0 and not taken_columns[column]:
            taken_rows[row], taken_columns[column] = column, True
    left, free = np.flatnonzero(taken_rows < 0), np.flatnonzero(~taken_columns)
    taken_rows[left[: len(free)]] = free[: len(left)]
    rows = np.flatnonzero(taken_rows >= 0)
    return rows, taken_rows[rows]


def _compare(pairs: Pairs, use: Set[str]) -> None:
    """Make the comparators of the evidence that may be used, but for those of graphs."""
    with_birth = "demographics" in use
    with_visits = "visits" in use
    make: dict[str, Callable[[], None]] = {
        "demographics": lambda: compare_demographics(pairs),
        "visits": lambda: compare_visits(pairs, with_birth),
        "times": lambda: compare_times(pairs),
        "ids": lambda: compare_ids(pairs),
        "order": lambda: compare_order(pairs, with_visits=with_visits, with_birth=with_birth),
        "mentions": lambda: compare_mentions(pairs),
        "surrogates": lambda: compare_surrogates(pairs),
    }
    for family, compare in make.items():
        if family in use:
            pairs.family = family
            compare()


def _admitted(
    pairs: Pairs, trusted: list[Comparator], doubtful: list[Comparator], shape: tuple[int, int]
) -> list[Comparator]:
    """Those that agree with what is trusted of other families."""
    admitted = []
    for family in sorted({comparator.family for comparator in doubtful}):
        others = [comparator for comparator in trusted if comparator.family != family]
        if others:
            posterior = _posterior(_total(others, shape))
            admitted += [
                c for c in doubtful if c.family == family and _agrees(c, posterior, pairs.rng)
            ]
    return admitted


def _weighed(pairs: Pairs, use: Set[str]) -> list[Comparator]:
    """All comparators that tell something, with learned weights."""
    shape = (len(pairs.first.persons), len(pairs.second.persons))
    trusted = _learn([comparator for comparator in pairs.made if comparator.trusted], shape)
    doubtful = [comparator for comparator in pairs.made if not comparator.trusted]
    graphs = _graphs(pairs, use, _posterior(_total(trusted, shape)) if trusted else None)
    trusted = _learn(trusted + [graph for graph in graphs if graph.trusted], shape)
    doubtful += [graph for graph in graphs if not graph.trusted]
    if not trusted:
        return _learn(doubtful, shape)
    for _ in range(2):
        admitted = _admitted(pairs, trusted, doubtful, shape)
        if not admitted:
            break
        names = {comparator.name for comparator in admitted}
        doubtful = [comparator for comparator in doubtful if comparator.name not in names]
        trusted = _learn(trusted + admitted, shape)
    return trusted


class OutsideAttack:
    """Links the patients of a pair of releases, with nothing but the two releases."""

    kinds = KINDS + NAME_PARTS

    def __init__(self, pair: Pair, _trained: Pair) -> None:
        self._pair = pair
        self._guesses: dict[frozenset[str], dict[int, int]] = {}

    def link(self, use: Sequence[str]) -> dict[int, int]:
        """Guess for every person of the first release who it is in the second.

        `use` names the kinds of evidence that may be used: any of `KINDS`, or one of `NAME_PARTS`
        for a part of the names. The same arguments give the same guesses.

        Raises:
            ValueError: a kind of evidence is unknown.
        """
        unknown = set(use) - set(self.kinds)
        if unknown:
            known = ", ".join(self.kinds)
            raise ValueError(
                f"unknown kinds of evidence: {', '.join(sorted(unknown))}; known: {known}"
            )
        kinds = frozenset(use) - {"names"} | frozenset(NAME_PARTS if "names" in use else ())
        if kinds not in self._guesses:
            self._guesses[kinds] = _guess(self._pair.first, self._pair.second, kinds)
        return self._guesses[kinds]


def _guess(first: Release, second: Release, kinds: Set[str], seed: int = 1) -> dict[int, int]:
    """The guesses from these kinds of evidence, in which `names` is given by its parts."""
    rng = np.random.default_rng(seed)
    pairs = Pairs(sort_by_person(first, rng), sort_by_person(second, rng), rng)
    _compare(pairs, kinds)
    comparators = _weighed(pairs, kinds)
    shape = (len(pairs.first.persons), len(pairs.second.persons))
    score = _total(comparators, shape) + rng.random(shape, dtype=np.float32) * np.float32(1e-4)
    rows, columns = _assign(score)
    return {
        pairs.first.persons[row]: pairs.second.persons[column]
        for row, column in zip(rows, columns, strict=True)
    }
