"""Numbers that hold a day: stamps of machines, names of files, identifiers of DICOM.

Beside a date of the same day, which moves, such a number would tell how far.
"""

import re
from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.matching.scanner import Pattern

_DETECTOR = "rules.identifiers"

_DAY = r"(?:19[0-9]{2}|20[0-4][0-9])(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
# `20210314153000.000+0100`, `20210314_1530`.
_STAMP = Pattern(
    rf"(?<![0-9]){_DAY}[_\-.]?[0-9]{{4,9}}(?:[.,][0-9]{{1,6}})?(?:z|[+\-][0-9]{{2}}:?[0-9]{{2}})?"
    r"(?![0-9])"
)
# Behind a word for a day it is a date, which moves; elsewhere it may be the number of anything.
_ALONE = Pattern(rf"(?<![\w.,/\-]){_DAY}(?![\w/\-]|[.,][0-9])")
# `CR_20210314.pdf`, `IMG-20210314-WA0003.jpg`.
_IN_NAME = Pattern(rf"(?:(?<=[a-z][_\-])|(?<![0-9])(?=[0-9]{{8}}[_\-][a-z]))({_DAY})(?![0-9])")
# Roots of ISO and of UUIDs; some part is a day, a serial number or the number of a study.
_UID = Pattern(r"(?<![0-9.])(?:(?:1\.[23]|2\.16)(?:\.[0-9]+){2,}|2\.25\.[0-9]{6,})(?![0-9])")
# `2021-073` is the day of a year, or the number of a document in it.
_DAY_OF_YEAR = Pattern(
    r"(?<![\w.,/\-])(?:19[5-9][0-9]|20[0-4][0-9])-(?:[0-2][0-9]{2}|3[0-6][0-9])(?![\w/\-]|[.,][0-9])"
)
# `21.03.14-77`: a day, and a number of that day.
_NUMBERED = Pattern(r"(?<![0-9.,/\-])[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{1,4}(?![0-9/\-]|[.,][0-9])")
_APOSTROPHE = Pattern(r"(?<![\w/])[0-3]?[0-9]/[0-3]?[0-9]/'[0-9]{2}(?![\w/])")
_ANYWHERE = re.compile(rf"(?<![0-9]){_DAY}(?![0-9])")
_LONG_PART = re.compile(r"[0-9]{6}")


def find_stamped_numbers(folded: str) -> Iterator[Span]:
    """Yield numbers that hold a day in folded text, as ID."""
    for pattern in (_STAMP, _ALONE, _DAY_OF_YEAR, _NUMBERED, _APOSTROPHE):
        for match in pattern.finditer(folded):
            yield Span(*match.span(), Label.ID, _DETECTOR)
    for match in _IN_NAME.finditer(folded):
        yield Span(*match.span(1), Label.ID, _DETECTOR)
    for match in _UID.finditer(folded):
        if _LONG_PART.search(match[0]):
            yield Span(*match.span(), Label.ID, _DETECTOR)


def holds_day(code: str) -> bool:
    """Return whether an id or code holds a day, as `CR-20210314-0012` does."""
    return _ANYWHERE.search(code) is not None
