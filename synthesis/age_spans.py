"""Spans of ages that cover their units, as the rules find them."""

from collections.abc import Sequence
from dataclasses import replace

from locales.age_units import unit_end
from record.folding import fold
from record.label import Label
from record.span import Span

_LONGEST_UNIT = 24


def cover_age_units(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans with the unit that follows an age in its span; sorted and disjoint ones."""
    found = list(spans)
    for place, span in enumerate(found):
        if span.label != Label.AGE:
            continue
        following = found[place + 1].start if place + 1 < len(found) else len(text)
        rest = fold(text[span.end : min(following, span.end + _LONGEST_UNIT)])
        found[place] = replace(span, end=span.end + unit_end(rest, 0))
    return tuple(found)
