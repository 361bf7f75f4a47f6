"""What words were filled into letters: how many different ones, and how often the same few."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

PLACES = 1_000
"""Places among which different fills are counted."""

MOST_FREQUENT = 5
"""Fills whose share of all is told."""


@dataclass
class FillSummary:
    """Accumulates the fills of letters, in order.

    `opened` counts places that were not masked and were filled to break a passage, `medical` the
    words of medicine, `medical_kept` those of them that are as they were.
    """

    counts: Counter[str] = field(default_factory=Counter, repr=False)
    opened: int = 0
    medical: int = 0
    medical_kept: int = 0
    _distinct: list[int] = field(default_factory=list)
    _block: set[str] = field(default_factory=set, repr=False)
    _in_block: int = 0

    def add(self, fills: Sequence[str], opened: int, medical: Sequence[int]) -> None:
        """Take the fills of a letter, in small letters."""
        self.opened += opened
        self.medical_kept += medical[0]
        self.medical += medical[1]
        for fill in fills:
            self.counts[fill.casefold()] += 1
            self._block.add(fill.casefold())
            self._in_block += 1
            if self._in_block == PLACES:
                self._distinct.append(len(self._block))
                self._block, self._in_block = set(), 0

    def to_json(self) -> dict[str, Any]:
        """Return the figures.

        `distinct_per_1000` is the mean over whole blocks of so many places; None if there is none.
        """
        places = self.counts.total()
        most = sum(count for _, count in self.counts.most_common(MOST_FREQUENT))
        return {
            "places": places,
            "distinct": len(self.counts),
            "distinct_per_1000": fmean(self._distinct) if self._distinct else None,
            "most_frequent_share": most / places if places else None,
            "opened": self.opened,
            "medical": self.medical,
            "medical_kept": self.medical_kept / self.medical if self.medical else None,
        }
