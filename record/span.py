"""A stretch of a text that identifies somebody: where it is and what it is, never what it says."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True, init=False)
class Span:
    """A labelled stretch of a document.

    Offsets are Unicode code points of the document's text, half open: 0 <= start < end.
    Holds no text, so that it can be logged, stored and counted. `detector` names who found it
    (`rules.dates`, `known.name`, `model`, `gold`); `score` lies in [0, 1].
    """

    start: int
    end: int
    label: str
    detector: str = "gold"
    score: float = 1.0

    def __init__(
        self, start: int, end: int, label: str, detector: str = "gold", score: float = 1.0
    ) -> None:
        if not 0 <= start < end:
            raise ValueError(f"span offsets out of order: {start}..{end}")
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"span score outside [0, 1]: {score}")
        # Every note makes many: this takes half the time that a frozen dataclass takes by itself.
        _set_start(self, start)
        _set_end(self, end)
        _set_label(self, label)
        _set_detector(self, detector)
        _set_score(self, score)

    def overlaps(self, other: "Span") -> bool:
        """Return whether both cover at least one common code point."""
        return self.start < other.end and other.start < self.end


_set_start, _set_end, _set_label, _set_detector, _set_score = (
    getattr(Span, name).__set__ for name in ("start", "end", "label", "detector", "score")
)


def covered(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Merge spans into the sorted, disjoint intervals they cover; touching intervals stay apart."""
    intervals: list[tuple[int, int]] = []
    for start, end in sorted((span.start, span.end) for span in spans):
        if intervals and start < intervals[-1][1]:
            intervals[-1] = (intervals[-1][0], max(end, intervals[-1][1]))
        else:
            intervals.append((start, end))
    return intervals
