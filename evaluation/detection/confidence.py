"""Whether scores of spans order their errors: those that are wrong should be the unsure ones."""

from typing import Any

from evaluation.detection.alignment import Pair
from evaluation.detection.auc import area


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
        """Return `right` and `wrong`, in numbers of spans, and `auc`.

        That is the chance that of one right and one wrong span the right one has the higher score,
        ties counting half (the statistic of Mann and Whitney, 1947, over all pairs); None where
        there are none of a kind.
        """
        return {
            "right": len(self._right),
            "wrong": len(self._wrong),
            "auc": area(self._right, self._wrong) if self._right and self._wrong else None,
        }
