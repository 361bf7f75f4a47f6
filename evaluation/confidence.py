"""Whether scores of spans order their errors: those that are wrong should be the unsure ones."""

from collections.abc import Sequence
from typing import Any

from scipy.stats import mannwhitneyu

from evaluation.align import Pair


class Confidence:
    """Collects the scores of predicted spans, right and wrong ones.

    Right is a span with start, end and label of a gold one.
    """

    def __init__(self) -> None:
        self._right: list[float] = []
        self._wrong: list[float] = []

    def add(self, pair: Pair) -> None:
        """Take in one note."""
        gold = {(span.start, span.end, span.label) for span in pair.gold}
        for span in pair.predicted:
            is_right = (span.start, span.end, span.label) in gold
            (self._right if is_right else self._wrong).append(span.score)

    def summary(self) -> dict[str, Any]:
        """Give `right` and `wrong`, in numbers of spans, and `auc`.

        That is the chance that of one right and one wrong span the right one has the higher score,
        ties counting half (the statistic of Mann and Whitney, 1947, over all pairs); None where
        there are none of a kind.
        """
        return {
            "right": len(self._right),
            "wrong": len(self._wrong),
            "auc": auc(self._right, self._wrong),
        }


def auc(right: Sequence[float], wrong: Sequence[float]) -> float | None:
    """Give the area under the curve of telling right from wrong by score."""
    if not right or not wrong:
        return None
    return float(mannwhitneyu(right, wrong).statistic) / (len(right) * len(wrong))
