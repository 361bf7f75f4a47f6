"""Which spans win where detectors overlap; what anybody covered stays covered."""

import heapq
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from record.label import Label
from record.span import Span

_OURS = frozenset(Label)
_NAMES = (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME)
_KEPT_BEFORE: dict[str, str] = dict.fromkeys((Label.PHONE, Label.FAX), "+(")
_KEPT_BEHIND: dict[str, str] = dict.fromkeys(_NAMES, ".")
# Combining marks are part of a letter, and private signs may be letters of a broken font.
_STRIPPED = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp", *(f"P{kind}" for kind in "cdefios")))
_STRIPPED |= {f"S{kind}" for kind in "ckmo"}
_DOTTED = re.compile(r"(?<!\w)[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+$")  # `S.A`, `EE.UU`
_BRACKETS = {")": "(", "]": "[", "»": "«", "”": "“"}


def resolve(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Make spans sorted and disjoint without uncovering a single code point.

    The longest span wins, then what is known of the patient, then the surer label, the higher
    score, the leftmost and the label in alphabetical order, so that the order of the input never
    matters. Of detectors that agree on where, a rule says what: it read the word that announces
    it, or a form that nothing else has. A model says so against a mere `ID`, where it saw a date
    of birth, and in labels of its own. What a losing span covers beyond the winners stays a span
    of its own label; where that remainder has no letter or digit it joins the span beside it.
    Resolving twice changes nothing.
    """
    return tuple(_absorb(_winners(sorted(set(spans), key=precedence)), text))


def trim(spans: Iterable[Span], text: str) -> list[Span]:
    """Take blanks and signs off both ends of a model's spans; drop those of nothing else.

    This comes before `resolve`: a trailing comma must not make a span the longer one. Letters and
    digits stay covered, and so do a `+` or `(` before a telephone number, the dot of an initial,
    the last dot of an abbreviation (one that another follows, or as in `S.A.`), and a bracket or
    quotation mark that closes one within the span.
    """
    found = []
    for span in spans:
        start, end = span.start, span.end
        while start < end and _is_loose(text[start], _KEPT_BEFORE.get(span.label, "")):
            start += 1
        while start < end and _is_loose(
            text[end - 1], _kept_behind(span, text[start:end], text[end : end + 2])
        ):
            end -= 1
        if not all(_is_loose(char, "") for char in text[start:end]):
            found.append(replace(span, start=start, end=end))
    return found


def _is_loose(char: str, kept: str) -> bool:
    return char not in kept and unicodedata.category(char) in _STRIPPED


def _kept_behind(span: Span, covered: str, after: str) -> str:
    """Return the last sign where it belongs to what stands before it."""
    last, before = covered[-1], covered[:-1]
    if last in _BRACKETS:
        return last if before.count(_BRACKETS[last]) > before.count(last) else ""
    if last == '"':
        return last if before.count(last) % 2 else ""
    if last == after[:1] == "." and after != ".." and before[-1:].isalpha():
        return last
    if last == "." and _DOTTED.search(before):
        return last
    return _KEPT_BEHIND.get(span.label, "") if before[-1:].isalpha() else ""


def precedence(span: Span) -> tuple[object, ...]:
    """Return what decides between spans, in order of weight: the least wins."""
    known = span.detector.startswith("known")
    return (
        *(span.start - span.end, not known, _doubt(span), -span.score),
        *(span.start, span.label, span.detector),
    )


def _doubt(span: Span) -> int:
    """Rank how far a span's label is to be trusted where another has the same extent."""
    if not span.detector.startswith("model"):
        return 3 if span.label == Label.ID else 1
    return 0 if span.label == Label.BIRTH_DATE or span.label not in _OURS else 2


def _winners(ranked: Sequence[Span]) -> list[Span]:
    """Return every covered code point to the best span over it; neighbours of one span join."""
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
    return [_cut(ranked[rank], start, end) for rank, start, end in pieces]


def _cut(span: Span, start: int, end: int) -> Span:
    if span.start == start and span.end == end:
        return span  # as most are: a copy takes a quarter of the time of resolving
    return replace(span, start=start, end=end)


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
        if any(map(str.isalnum, text[current.start : current.end])):
            result.append(current)
        elif result and result[-1].end == current.start:
            result[-1] = replace(result[-1], end=current.end)
        else:
            pending = current
    if pending is not None:
        result.append(pending)
    return result
