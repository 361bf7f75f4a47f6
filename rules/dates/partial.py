"""Days and months without a year that their company proves: the entries of a log, German dots."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rules.dates.calendar import Moment, day_and_month, possible_day
from rules.dates.context import MEASURE_WORDS, VERSIONS, is_followed_by_unit
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern

# A line of a log may begin with its number, a mark or a weekday.
_ENTRY = Pattern(
    r"(?<![^\n])[ ]{0,8}(?:[0-9]{1,2}[ ]{2,8}|[a-z]{1,3}\.?[ ]{1,3}|[\-*•>][ ]{1,3})?"
    r"([0-9]{1,2})([/.\-])([0-9]{1,2})\.?(?=[ \t|:;)])"
)
# A day above 12 and a month, as only dates have them in a language: `4/15`, `29/8`, `17-1`.
_UNANNOUNCED = {
    "en": Pattern(r"(?<![\w/.,:+\-])([0-9]{1,2})(/)([0-9]{1,2})(?![\w/\-%]|[.,:][0-9])"),
    "nl": Pattern(r"(?<![\w/.,:+\-])([0-9]{1,2})([/\-])([0-9]{1,2})(?![\w/\-%]|[.,:][0-9])"),
    "de": Pattern(r"(?<![\w/.,:+\-])(1[3-9]|2[0-9]|3[01])(/)([0-9]{1,2})(?![\w/\-%]|[.,:][0-9])"),
    # Above the pressures that are written in centimetres of mercury.
    "fr": Pattern(r"(?<![\w/.,:+\-])(2[3-9]|3[01])(/)([0-9]{1,2})(?![\w/\-%]|[.,:][0-9])"),
    "es": Pattern(r"(?<![\w/.,:+\-])(2[3-9]|3[01])(/)([0-9]{1,2})(?![\w/\-%]|[.,:][0-9])"),
}
_SCORED = frozenset(
    "gds phq phq-9 gad gad-7 slums mmse moca amts gcs camcog hads barthel must obs recheck every q"
    " bipap ipap cpap nippv niv peep simv druk pressure pressures va visus acuity vision"
    " nodes node ln lns cores teeth".split()
)
_STAGE = re.compile(r"\(?p?n[0-3]")
_ACUITY = frozenset((6, 20))  # what the first number of an acuity is, in metres or feet
_NOT_DAYS = frozenset(("24/7", "28/7", "24/24", "20/20", "20/15", "20/25", "20/30"))
_LAST_MONTH = 12
_FEWEST = 3
_MONTHS = 12
_MOST_MONTHS_APART = 2
_DOTTED = Pattern(r"(?<![0-9a-z.,/\-])([0-3]?[0-9])\.([01]?[0-9])\.(?![0-9])")
# `Hb 12.03.` at the end of a sentence: the word before is short, or has a capital or digit inside.
_SHORTEST = 2
_SENTENCE_ENDS = re.compile(r"\s*\Z|\s+[A-ZÄÖÜ]")


def log_entries(folded: str) -> Iterator[Moment]:
    """Yield the days that lines begin with, where three lines or more do so in order of time.

    The month may come first; entries two months apart, or of a year that ends, are in order.
    """
    entries = list(_ENTRY.finditer(folded))
    if len(entries) < _FEWEST or len({match[2] for match in entries}) > 1:
        return
    if all(int(one[3]) + 1 == int(next_[1]) for one, next_ in pairwise(entries)):
        return  # ranges: 1-2, 3-4, 5-6
    for month_first in (False, True):
        parts = [
            (int(match[1 if month_first else 3]), int(match[3 if month_first else 1]))
            for match in entries
        ]
        if all(possible_day(day, month) for month, day in parts) and _are_in_order(parts):
            for match, (month, day) in zip(entries, parts, strict=True):
                yield Moment(match.start(1), match.end(3), None, month, day)
            return


def _is_measured(before: str) -> bool:
    """Return whether the word before a number is the abbreviation of something measured."""
    word = before.rstrip(" ").rpartition(" ")[2]
    inside = any(char.isupper() or char.isdigit() for char in word[1:])
    return inside or 0 < len(word) <= _SHORTEST


def _are_in_order(parts: Sequence[tuple[int, int]]) -> bool:
    """Return whether (month, day) pairs rise, or fall, by small steps, and do not stand still."""
    rising = all(map(_follows, parts, parts[1:]))
    falling = all(map(_follows, parts[1:], parts))
    return (rising or falling) and len(set(parts)) >= _FEWEST


def _follows(before: tuple[int, int], after: tuple[int, int]) -> bool:
    months = (after[0] - before[0]) % _MONTHS
    return months <= _MOST_MONTHS_APART and (months > 0 or after[1] >= before[1])


def unannounced_days(folded: str, lang: str) -> Iterator[Moment]:
    """Yield a day above 12 with a month, in the languages in which it is hardly anything else.

    In English the month may come first, elsewhere it does not. Scores, acuities, pressures and
    counts of nodes are left out.
    """
    pattern = _UNANNOUNCED.get(lang)
    for match in pattern.finditer(folded) if pattern else ():
        first, second = int(match[1]), int(match[3])
        day, month = (first, second) if first > _LAST_MONTH else (second, first)
        turned = day is second
        if day <= _LAST_MONTH or not possible_day(day, month) or (turned and lang != "en"):
            continue
        if match.group() in _NOT_DAYS or (turned and first in _ACUITY and second % 6 == 0):
            continue
        if is_followed_by_unit(folded, match.end()) or _is_in_column(folded, *match.span()):
            continue
        previous, last = words_before(folded, match.start())
        if {previous, last} & (MEASURE_WORDS | VERSIONS | _SCORED) or _STAGE.match(last):
            continue
        yield Moment(match.start(), match.end(), None, month, day)


def _is_in_column(folded: str, start: int, end: int) -> bool:
    """Return whether blanks part a number from another column, where it is a pair of values."""
    return folded[start - 2 : start] == "  " or folded[end : end + 2] == "  "


def german_days(folded: str, text: str) -> Iterator[Moment]:
    """Yield German days and months, a dot behind each, that are no measure, version or chapter."""
    for match in _DOTTED.finditer(folded):
        parts = day_and_month(match[1], match[2])
        start, end = match.span()
        if parts is None or 0 in parts or is_followed_by_unit(folded, end):
            continue
        previous, last = words_before(folded, start)
        if {previous, last} & (MEASURE_WORDS | VERSIONS):
            continue
        if _SENTENCE_ENDS.match(text, end) and _is_measured(text[max(0, start - 24) : start]):
            continue
        yield Moment(start, end - 1, None, parts[1], parts[0])
