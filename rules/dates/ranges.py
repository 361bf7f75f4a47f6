"""Ranges of days within a month, as one date: `4 au 8 novembre`, `22 - 23/02`."""

import re
from collections.abc import Iterable
from dataclasses import replace

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.normalized_document import fold_once

_DAY = re.compile(r"[0-3]?[0-9](?:er|st|nd|rd|th|e|o|a|\.)?")
_STARTS_WITH_DAY = re.compile(r"[0-3]?[0-9](?![0-9])")
_JOINT = re.compile(
    r"\.? ?(?:[-\u2013]|au|al|to|bis|bis zum|tot|tot en met|t/m|through|till|until|hasta|hasta el"
    r"|jusqu'au) ?"
)
_LONGEST_JOINT = 14


def complete_date_ranges(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of whole ranges whose two ends were found, where the first is a day alone.

    They have detector and score of the last date of a range.
    """
    folded = fold_once(document.text)
    dates = sorted((span for span in found if span.label == Label.DATE), key=_by_place)
    by_start = {span.start: span for span in dates}
    ranges: list[Span] = []
    for first in reversed(dates):
        if not _DAY.fullmatch(folded, first.start, first.end):
            continue
        for start in range(first.end + 1, first.end + _LONGEST_JOINT + 1):
            last = by_start.get(start)
            if last and _is_range(folded, first, last):
                joined = replace(last, start=first.start)
                by_start[first.start] = joined
                ranges.append(joined)
                break
    return ranges


def _by_place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _is_range(folded: str, first: Span, last: Span) -> bool:
    return bool(
        _JOINT.fullmatch(folded, first.end, last.start)
        and _STARTS_WITH_DAY.match(folded, last.start)
        and not _DAY.fullmatch(folded, last.start, last.end)
    )
