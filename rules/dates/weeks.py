"""Weeks of the calendar: `KW 12/2024`, `semaine 12 de 2024`, `2024-W12`."""

from collections.abc import Iterator

from rules.dates.calendar import Moment
from rules.matching.scanner import Pattern

_YEAR = r"((?:19|20)[0-9]{2})"
_NUMBER = r"(?:[1-4][0-9]|5[0-3]|0?[1-9])"
_END = r"(?![0-9a-z])"
_NO_DECIMAL = r"(?![.,][0-9])"
# Whose number is that of a week in the year and nothing else.
_CALENDAR = r"(?:kw|kalenderwoche|cw)"
# These count the weeks of a pregnancy or a treatment as well.
_COUNTED = r"(?:semaine|sem\.?|week|wk\.?|semana|woche|s)"
_CERTAIN = Pattern(
    rf"(?<![\w/\-]){_CALENDAR}\.? ?{_NUMBER}(?: ?/ ?(?:{_YEAR}|[0-9]{{2}})|,? {_YEAR})?{_END}"
    rf"{_NO_DECIMAL}"
)
_RANKED = Pattern(rf"(?<![\w/\-.,]){_NUMBER}\. ?{_CALENDAR}(?:(?: ?/ ?|,? ){_YEAR})?{_END}")
_DATED = Pattern(
    rf"(?<![\w/\-]){_COUNTED} ?(?:[0-4][0-9]|5[0-3]|(?<=[a-z. ])[1-9])"
    rf"(?: ?[/\-] ?|,? (?:de |of |van |del )?){_YEAR}{_END}"
)
_ISO = Pattern(rf"(?<![\w/\-]){_YEAR}-?w(?:0[1-9]|[1-4][0-9]|5[0-3])(?:-?[1-7])?{_END}")
_LOOSE = Pattern(rf"(?<![\w/\-.,]){_COUNTED} ?{_NUMBER}{_END}{_NO_DECIMAL}")


def find(folded: str) -> Iterator[Moment]:
    """Yield weeks of the calendar, with their year or without."""
    for pattern in (_CERTAIN, _RANKED, _DATED, _ISO):
        for match in pattern.finditer(folded):
            year = next((each for each in match.groups() if each), None)
            yield Moment(match.start(), match.end(), int(year) if year else None, None, None)


def find_loose(folded: str) -> Iterator[Moment]:
    """Yield numbered weeks that are dates beside another date only: `20/03/2023 (S12)`."""
    for match in _LOOSE.finditer(folded):
        yield Moment(match.start(), match.end(), None, None, None)
