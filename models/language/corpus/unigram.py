"""The baseline that knows only how frequent ids are."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence


class Unigram:
    """Frequencies with one added to each: p(u) = (count(u) + 1) / (N + |V|)."""

    def __init__(self, texts: Iterable[Sequence[int]], vocabulary: int) -> None:
        self._counts = Counter(number for text in texts for number in text)
        self._total = self._counts.total() + vocabulary

    def probability(self, number: int) -> float:
        """Return how probable an id is."""
        return (self._counts[number] + 1) / self._total

    def loss(self, texts: Iterable[Sequence[int]]) -> tuple[float, int]:
        """Return the summed surprise of texts in nats, and their number of ids."""
        counts = Counter(number for text in texts for number in text)
        nats = -sum(n * math.log(self.probability(number)) for number, n in counts.items())
        return nats, counts.total()
