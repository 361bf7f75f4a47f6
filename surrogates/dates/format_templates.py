"""Caches parsed dates by shape: `3 mars 2024` and `9 mars 2011` differ only in their numbers.

Notes have few date formats with many numbers. One date of each shape is parsed by
`surrogates.dates.parsing` and cached; others reuse its result with their own numbers, wherever they
would be parsed in the same way.
"""

import re
from functools import lru_cache

from surrogates.dates import parsing
from surrogates.dates.parsing import DateForm, Group, Slot
from surrogates.dates.tokens import DateToken

_REMEMBERED = 1 << 12
# Characters that fold to one character of their kind. A number before an `h` may be an hour.
_PLAIN = re.compile(r"(?:[0-9](?![ \n]?[hH])|[A-Za-zÀ-ÖØ-öø-ÿ /.,\-'’\n])+")
_YEAR = re.compile(r"(?<![0-9])(?:1[89]|2[01])[0-9][0-9](?![0-9])")
_PAIR = re.compile(r"(?<![0-9])[0-9][0-9](?![0-9])")
# A 1 may have a separate ordinal, and 1 to 4 may be parts of a year.
_SINGLE = re.compile(
    r"(?<![0-9A-Za-zÀ-ÿ])[2-9](?![0-9]|.*(?:mestre|qua|halb|half|kwa))", re.IGNORECASE | re.DOTALL
)
# A number of one digit behind such a noun is that of a part of a year.
_NUMBERED_PERIOD = re.compile(
    r"(?:mestre|quart|halb|half|kwart)[^\W\d_]*\W{1,4}\d(?!\d)", re.IGNORECASE
)
# Placeholders for a year, a number of two digits (valid as day, month and year), and one of one
# digit.
_ANY_YEAR, _ANY_PAIR, _ANY_SINGLE = "2011", "11", "2"
LATEST = 2030
"""The latest year that a two-digit number of a shape can mean."""

# Letters that OCR reads for 0 or 1.
_CONFUSED = str.maketrans("oOûÛlI", "000011")
_NUMERIC_LOOKS = re.compile(r"[\doOûÛlI\s./|\-_]+")
_CONFUSED_DAY = re.compile(r"(?<![^\W_])(?:[oO][1-9]|[0-3][oO])(?![^\W_])")
_ROMAN = re.compile(r"\d([./\-])[IVXivx]+\1\d")
_DIGIT = re.compile(r"\d")


def parse(text: str, *, lang: str, latest: int, day_first: bool | None = None) -> DateForm | None:
    """Parse a date like `parsing.parse`, with a cache by shape; results are shared."""
    return _parse(text, lang, latest, day_first)


@lru_cache(_REMEMBERED)
def _parse(text: str, lang: str, latest: int, day_first: bool | None) -> DateForm | None:
    like = shape(text)
    if like:
        form = parsing.parse(like, lang=lang, latest=LATEST, day_first=day_first)
        form = _with_numbers(form, text, latest) if form else None
        if form is not None:
            return form
    return parsing.parse(text, lang=lang, latest=latest, day_first=day_first)


def shape(text: str) -> str:
    """Return the text with placeholders for years and for numbers of one and two digits.

    Texts of equal shape are parsed alike, as long as the date is possible. Empty where other
    characters may influence the result.
    """
    if not _PLAIN.fullmatch(text) or _NUMBERED_PERIOD.search(text):
        return ""
    return _SINGLE.sub(_ANY_SINGLE, _PAIR.sub(_ANY_PAIR, _YEAR.sub(_ANY_YEAR, text)))


def _with_numbers(like: DateForm, text: str, latest: int) -> DateForm | None:
    """Put the numbers of a text into the parsed shape; None where they do not fit."""
    if len(like.groups) != 1:
        return None
    group = Group()
    for slot in like.groups[0].slots:
        token, width, role = slot.token, slot.width, slot.role
        if token.kind in ("n", "Y") and not token.spelt:
            digits = text[token.start : token.start + len(token.text)]
            token = DateToken(
                token.kind, token.start, token.end, int(digits), digits, suffix=token.suffix
            )
            if digits[0] == "0" and role != "y":
                width = 2
        if role == "w":
            group.weekday = token.value
        elif not parsing.set_part(group, role, token, latest):
            return None
        else:
            group.roles += role
        group.slots.append(Slot(role, token, width))
    return DateForm(text, like.lang, [group]) if parsing.is_possible(group) else None


def repair_digits(text: str) -> str:
    """Replace letters that OCR confused with digits, in numeric dates and days."""
    if _NUMERIC_LOOKS.fullmatch(text):
        mend = _DIGIT.search(text) and not _ROMAN.search(text)
        return text.translate(_CONFUSED) if mend else text
    return _CONFUSED_DAY.sub(lambda match: match[0].translate(_CONFUSED), text)
