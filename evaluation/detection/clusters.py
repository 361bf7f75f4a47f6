"""B-cubed precision, recall and F1 of clusters of mentions."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BCubed:
    """How well predicted clusters agree with true ones, as means over mentions, in [0, 1]."""

    precision: float
    recall: float
    mentions: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def b_cubed(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> BCubed:
    """Compare two clusterings of the same mentions, given as one cluster a mention.

    For each mention, precision is the share of its predicted cluster that is truly of its
    cluster, recall the share of its true cluster that is predicted so (Bagga and Baldwin, 1998).
    No mentions at all agree fully. Raises ValueError where the numbers of mentions differ.
    """
    if len(truth) != len(predicted):
        raise ValueError("not the same mentions")
    if not truth:
        return BCubed(1.0, 1.0, 0)
    both = Counter(zip(truth, predicted, strict=True))
    true, found = Counter(truth), Counter(predicted)
    # A pair of clusters with n mentions in common gives each of them n of the cluster's size.
    precision = sum(n * n / found[cluster] for (_, cluster), n in both.items())
    recall = sum(n * n / true[cluster] for (cluster, _), n in both.items())
    return BCubed(precision / len(truth), recall / len(truth), len(truth))
