"""Shapes of leaked and false positive spans, such as `Aaaa 99/99`, which show no text."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.detection.alignment import Pair
from evaluation.detection.span_counts import find_missed
from record.span import Span

_LONGEST = 32
_SIGNS = frozenset("!\"#%&'()*+,-./:;<=>?@[]_’–")
_PER_LABEL = 5


@dataclass(frozen=True, slots=True)
class SpanShape:
    """A shape of spans of one label, and how many spans have it."""

    label: str
    shape: str
    count: int


def shape_of(text: str) -> str:
    """Return a text with capitals as `A`, letters as `a`, digits as `9`, rare signs as `?`.

    White space is a blank; longer shapes are truncated to 32 characters.
    """
    shown = "".join(map(_shape_of_character, text[:_LONGEST]))
    return shown + "…" * (len(text) > _LONGEST)


def leaked_shapes(pairs: Iterable[Pair]) -> list[SpanShape]:
    """Return the five most frequent shapes per label of gold spans not fully covered."""
    return _rank_shapes((pair, span) for pair in pairs for span in find_missed(pair))


def false_positive_shapes(pairs: Iterable[Pair]) -> list[SpanShape]:
    """Return the most frequent shapes per label of predicted spans that touch no gold span."""
    return _rank_shapes(
        (pair, span)
        for pair in pairs
        for span in sorted(set(pair.predicted))
        if not any(span.overlaps(other) for other in pair.gold)
    )


def _rank_shapes(found: Iterable[tuple[Pair, Span]]) -> list[SpanShape]:
    by_label: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pair, span in found:
        by_label[span.label][shape_of(pair.text[span.start : span.end])] += 1
    examples = []
    for label, shapes in sorted(by_label.items()):
        ranked = sorted(shapes.items(), key=lambda item: (-item[1], item[0]))
        examples += [SpanShape(label, *item) for item in ranked[:_PER_LABEL]]
    return examples


def _shape_of_character(char: str) -> str:
    if char.isspace():
        return " "
    if char.isdecimal():
        return "9"
    if char.isalpha():
        return "A" if char.isupper() or char.istitle() else "a"
    return char if char in _SIGNS else "?"
