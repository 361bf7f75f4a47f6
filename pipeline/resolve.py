"""Which spans win where detectors overlap; what anybody covered stays covered."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from record.span import Span


def resolve(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Make spans sorted and disjoint without uncovering a single code point.

    The longest span wins, then what is known of the patient, then the higher score, the leftmost
    and the label in alphabetical order, so that the order of the input never matters. What a
    losing span covers beyond the winners stays a span of its own label; where that remainder has
    no letter or digit it joins the span beside it. Resolving twice changes nothing.
    """
    return tuple(_absorb(_winners(sorted(set(spans), key=precedence)), text))


def precedence(span: Span) -> tuple[object, ...]:
    """Give what decides between spans, in order of weight: the least wins."""
    known = span.detector.startswith("known")
    return (span.start - span.end, not known, -span.score, span.start, span.label, span.detector)


def _winners(ranked: Sequence[Span]) -> list[Span]:
    """Give every covered code point to the best span over it; neighbours of one span join."""
    opening = sorted(range(len(ranked)), key=lambda rank: ranked[rank].start)
    borders = sorted({edge for span in ranked for edge in (span.start, span.end)})
    active: list[int] = []
    pieces: list[tuple[int, int, int]] = []
    opened = 0
    for start, end in pairwise(borders):
        while opened < len(opening) and ranked[opening[opened]].start <= start:
            heapq.heappush(active, opening[opened])
            opened += 1
        while active and ranked[active[0]].end <= start:
            heapq.heappop(active)
        if not active:
            continue
        if pieces and pieces[-1][0] == active[0] and pieces[-1][2] == start:
            pieces[-1] = (active[0], pieces[-1][1], end)
        else:
            pieces.append((active[0], start, end))
    return [replace(ranked[rank], start=start, end=end) for rank, start, end in pieces]


def _absorb(spans: Sequence[Span], text: str) -> list[Span]:
    """Join pieces without letter or digit to the span they touch: no surrogate fits a comma."""
    result: list[Span] = []
    pending: Span | None = None
    for span in spans:
        current = span
        if pending is not None:
            if pending.end == span.start:
                current = replace(span, start=pending.start)
            else:
                result.append(pending)
            pending = None
        if any(char.isalnum() for char in text[current.start : current.end]):
            result.append(current)
        elif result and result[-1].end == current.start:
            result[-1] = replace(result[-1], end=current.end)
        else:
            pending = current
    if pending is not None:
        result.append(pending)
    return result
