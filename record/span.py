"""A span: offsets, label, detector and score of an identifier in a text, without the text."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True, init=False)
class Span:
    """A labelled range of a document's text.

    Offsets are Unicode code points of the document's text, half open: 0 <= start < end.
    Holds no text, so that it can be logged, stored and counted. `detector` is the detector that
    found it (`rules.dates`, `known.name`, `model`, `gold`); `score` lies in [0, 1].
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
            raise ValueError(f"span offsets must satisfy 0 <= start < end, not {start}..{end}")
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"span score must be between 0 and 1, not {score}")
        # Created often; this takes half the time of the `__init__` of a frozen dataclass.
        _set_start(self, start)
        _set_end(self, end)
        _set_label(self, label)
        _set_detector(self, detector)
        _set_score(self, score)

    def overlaps(self, other: "Span") -> bool:
        """Return whether the spans share at least one code point."""
        return self.start < other.end and other.start < self.end


_set_start, _set_end, _set_label, _set_detector, _set_score = (
    getattr(Span, name).__set__ for name in ("start", "end", "label", "detector", "score")
)


def merge_spans(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Merge spans into sorted, disjoint intervals; adjacent intervals are not merged."""
    intervals: list[tuple[int, int]] = []
    for start, end in sorted((span.start, span.end) for span in spans):
        if intervals and start < intervals[-1][1]:
            intervals[-1] = (intervals[-1][0], max(end, intervals[-1][1]))
        else:
            intervals.append((start, end))
    return intervals
