"""Times of day that are joined to a written date: where they are, and what a policy leaves."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

Times = Literal["midnight", "hour", "order", "exact"]
MINUTES = 1440
_HOUR, _NOON = 60, 12
_REACH = 48

# Blanks but no line breaks: a time on the line after a heading is an item of its own.
_B = r"[ \t\u00a0\u202f]"
_HH, _MM = r"(?:2[0-4]|[01]?\d)", r"[0-5]\d"
_OFFSET = r"[+-](?:0\d|1[0-4])(?::?[0-5]\d)?(?!\d|:\d)"
_ZONE_NAME = rf"{_B}?(?:z|utc|gmt|wes?t|ces?t|ees?t|mes?z|[ecmp][sd]t)(?![^\W_])"
_SEASON = rf"{_B}{{1,2}}(?:\(heure d['’](?:été|hiver)\)|heure d['’](?:été|hiver)(?![^\W_]))"
# `2:37P` in American notes: right behind the minutes.
_HALF = rf"(?:{_B}?(?:[ap]\.{_B}?m\.?|[ap]m)|(?<=:[0-5]\d)[ap])(?![^\W_])"
# A full stop before a capital ends the sentence.
_UNIT = r"(?:h(?:rs?|ours?|eures?(?! d['’])|oras?)?(?:\.(?!\s+(?-i:[A-ZÀ-ÖØ-Þ])|\s*\Z))?|uhr|uur)"
_SECONDS = rf"{_B}?:{_B}?[0-5]\d(?:[.,]\d{{1,9}})?"
_COLON = rf"{_HH}{_B}?:{_B}?{_MM}(?:{_SECONDS}(?:{_OFFSET})?)?(?!\d|:\d)"
# Two digits that a unit of measurement follows are a quantity: `14 h 30 ml`.
_NO_MEASURE = rf"(?!\d|[.,]\d|{_B}?(?:[mkcd]?[glm]|[mµu]g|mmol|u?i\.?u?|mmhg|bpm|€|%|°)(?![^\W_]))"
_ENGLISH = rf"(?:1[0-2]|0?[1-9])(?:[.:]{_MM})?(?:{_HALF})(?:{_ZONE_NAME})?"
_CLOCK = (
    rf"(?:(?:{_ENGLISH}|{_COLON}(?:{_B}?{_UNIT}(?![^\W_]))?(?:{_ZONE_NAME})?"
    rf"|{_HH}\.{_MM}(?:{_B}?{_UNIT}|u)(?![^\W_])"
    rf"|(?:2[0-3]|[01]\d){_MM}{_B}?{_UNIT}(?![^\W_])"
    rf"|{_HH}{_B}?{_UNIT}{_B}?{_MM}(?:{_B}?(?:mn|min|minutes?|minuten)\b\.?|{_NO_MEASURE})"
    rf"|{_HH}u{_MM}(?![^\W_])|{_HH}{_B}?{_UNIT}(?![^\W_]))(?:{_SEASON})?)"
)
_WORDS = r"(?:midi|minuit|noon|midnight|medianoche|mediod[ií]a|mittag|mitternacht|middernacht)\b"
# After a word that announces a time, numbers without a unit are one, too.
_ANNOUNCED = rf"(?:{_CLOCK}|{_HH}\.{_MM}{_NO_MEASURE}|{_WORDS})"
_MILITARY = (
    rf"(?:(?:at|um|om|à|a las?|gegen|vers|rond){_B}{{1,2}}|@{_B}{{0,2}})"
    rf"(?:2[0-3]|[01]\d){_MM}{_NO_MEASURE}"
)
# Letters that recognition put for digits of a time: `l4:3O`, `14h3O`, `at O2OO`.
_MISREAD = re.compile(
    rf"(?<![^\W_])[0-9OoQIl|]{{1,2}}(?:{_B}?[:h]{_B}?)[0-9OoQIl|]{{2}}(?![^\W_]|:)"
    rf"|(?<=(?:at|um|om|.à|.@|as){_B})[0-9OoQIl|]{{4}}(?![^\W_])",
    re.IGNORECASE,
)
_DIGITS_OF_LETTERS = str.maketrans("OoQIl|", "000111")
# Behind a time that ends a sentence the full stop is that of the sentence.
_SENTENCE_ENDS = re.compile(r"\.(?:\s+[A-ZÀ-ÖØ-Þ(\-]|\s*\Z|[ \t]*\n)")
_AT = (
    r"(?:à partir de|a partir de|à|vers|at|from|around|about|@|a eso de las?|a las?|sobre las?"
    r"|desde las?|a|de|um|gegen|ab|von|om|rond|vanaf|van|entre(?: las?)?|between|zwischen|tussen"
    r"|(?:puis|then|dann|luego|daarna)(?: (?:à|vers|at|um|a las?|om))?"
    # The name of a field: `heure : 14:37`.
    r"|(?:heure|time|hora|uhrzeit|tijd|kl\.?)(?: {0,2}:)?)"
)
_TO = (
    rf"{_B}?(?:-|–|à|a las?|a|to|until|till|bis|tot|hasta las?|et|and|y(?: las?)?|und|en|&|,|/"
    r"|,? ?(?:puis|then|dann|luego|daarna)(?: (?:à|vers|at|um|a las?|om))?)"
    rf"{_B}?"
)
_MORE = rf"(?:{_TO}{_CLOCK}){{0,4}}"
_SIGN = rf"(?:{_B}?[,;:|–—/-])?{_B}{{0,2}}"
# The word that announces a time may end its line: the line was broken, the time is no new item.
_BREAK = rf"{_B}{{0,2}}\r?\n{_B}{{0,8}}"
# What such a break begins with.
_LINE_ENDS = frozenset(" \t\u00a0\u202f\r\n")
_THEN = rf"(?:{_BREAK}|{_B}{{0,2}})"
_JOINED = (
    rf"(?:t(?:{_COLON}|{_HH}{_MM}(?:[0-5]\d(?:[.,]\d+)?)?(?:{_OFFSET})?(?!\d))(?:{_ZONE_NAME})?"
    rf"|{_SIGN}[(\[]{_B}?(?:{_AT}{_B}{{1,2}}{_ANNOUNCED}|{_CLOCK}){_MORE}{_B}?[)\]]"
    rf"|{_SIGN}{_AT}{_THEN}{_ANNOUNCED}{_MORE}"
    rf"|(?:{_B}?[,;:|–—/-]{_B}{{0,2}}|{_B}{{1,3}}){_CLOCK}{_MORE})(?![^\W_])"
)
# Four digits right behind a date, as in English nursing notes: `4/6/23 0715`. Without a zero first
# they may be a volume.
_FOUR_DIGITS = rf"{_B}{{1,2}}0\d[0-5]\d(?![\d/\-]|[.,]\d)"
_AFTER = rf"{_JOINED}|{_SIGN}{_MILITARY}(?![^\W_])|{_FOUR_DIGITS}(?![^\W_])"
# A sentence goes on in the next line: the date does not stand alone in its own.
_WRAPPED = rf"{_BREAK}{_CLOCK}{_MORE}(?![^\W_])"
# The next cell of a table that was written line by line: nothing but a time stands there.
_NEXT_CELL = rf"{_BREAK}{_CLOCK}{_MORE}(?={_B}*(?:\r?\n|\Z))"
# `2024-03-03 14.37`: behind a date as only records have them.
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_AFTER_ISO = re.compile(rf"{_B}{{1,2}}(?:[01]\d|2[0-3])\.{_MM}{_NO_MEASURE}(?![^\W_])")
_INSIDE = rf"(?<=[\w.])(?:{_JOINED})\s*\Z"
_ARTICLE = r"(?:le|du|ce|on|am|of|den|the|this|el|del(?: d[ií]a)?|op|date(?: ?:)?)"
_BEFORE = (
    rf"(?<![\w:.,/+-])(?P<clock>(?:(?:{_AT}{_B}{{1,2}})?{_CLOCK}{_MORE}|[(\[]{_CLOCK}{_MORE}[)\]])"
    rf"(?:{_B}?[,;|–—-])?(?:{_B}{{1,2}}|{_BREAK}(?=[a-z])))"
    rf"(?:{_ARTICLE}(?:{_B}|{_BREAK}))?\Z"
)
_TIME = re.compile(
    rf"(?P<hour>{_HH})(?:{_B}?(?P<unit>{_UNIT}|u(?=\d))|{_B}?:|\.(?=\d)|(?=\d\d))?"
    rf"(?:{_B}?(?P<minute>{_MM})(?P<second>{_SECONDS}|[0-5]\d(?:[.,]\d+)?)?"
    rf"(?(second)(?:{_OFFSET})?|))?(?P<half>{_HALF})?(?:{_ZONE_NAME})?",
    re.IGNORECASE,
)


# What few dates have, and all that have a time; the searches above are slow.
_HINT = re.compile(
    rf"\d{_B}?(?:[:hu]|[ap]\.?{_B}?m|\.\d\d{_B}?[hu])|[^\W\d_]{_B}{{1,2}}\d{{1,2}}\.\d\d(?!\d)",
    re.IGNORECASE,
)
_SOON = re.compile(
    rf"[tT]\d|{_B}?[,;:|/(\[–—-]?{_B}{{0,2}}[(\[]?{_B}?"
    r"(?:[\d@]|[aàbdefghkloprstuvzAÀBDEFGHKLOPRSTUVZ](?:[\s\d@]|[^\W\d_]{1,8}[\s\d@:.]))"
)
_BEFORE_YEAR = frozenset(" /.-")
_LATELY = re.compile(
    rf"\d(?:{_B}?[a-z.]++){{0,4}}[)\]]?(?:{_B}?[,;|–—-])?\s++"
    rf"(?:{_ARTICLE}\s++)?\Z",
    re.IGNORECASE,
)


# Not at import: these take a tenth of a second, and most commands rewrite no date.
@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _may_end_in_time(date: str) -> bool:
    if date[-4:].isdigit() and date[-5:-4] in _BEFORE_YEAR:
        return False
    return _HINT.search(date) is not None or "mi" in date or "noon" in date or "medi" in date


@dataclass(frozen=True, slots=True)
class JoinedClock:
    """A date with the times of day joined to it, as offsets in the text.

    The date is [`start`, `date_end`), a time after it [`date_end`, `end`), one before it
    [`lead`, `lead_end`), both empty where there is none.
    """

    lead: int
    lead_end: int
    start: int
    date_end: int
    end: int


def find_clock(text: str, start: int, end: int, *, after: int, before: int) -> JoinedClock | None:
    """Find the times that are joined to a date at [start, end), with what separates them.

    They lie within [`after`, `before`), or at the end of the date's own text. A number is a time
    with a colon, a unit or half of the day, or a word before it: `12/03/2024 14:32`, `à 14h32`.
    """
    if _may_end_in_time(text[start:end]):
        inside = _compile(_INSIDE).search(text, start, end)
        if inside and inside.start() > start:
            return JoinedClock(start, start, start, inside.start(), end)
    following = _SOON.match(text, end) and _compile(_AFTER).match(text, end, before)
    ends_line = not following and text[end : end + 1] in _LINE_ENDS
    if ends_line and (following := _compile(_WRAPPED).match(text, end, before)):
        line = text.rfind("\n", after, start) + 1
        following = following if text[line:start].strip() else None
    if ends_line and not following:
        following = _compile(_NEXT_CELL).match(text, end, before)
    if not following and _ISO.fullmatch(text, start, end):
        following = _AFTER_ISO.match(text, end, before)
    if following:
        last = following.end()
        stop = last - 1 if text[last - 1] == "." and _SENTENCE_ENDS.match(text, last - 1) else last
        return JoinedClock(start, start, start, end, stop)
    left = max(after, start - _REACH)
    previous = _LATELY.search(text, left, start) and _compile(_BEFORE).search(text, left, start)
    return JoinedClock(*previous.span("clock"), start, end, end) if previous else None


def correct_misread_clocks(text: str) -> str:
    """Return a text of the same length, in times with digits for the letters read for them.

    What has no digit at all (`lO:Il`) stays.
    """

    def correct(match: re.Match[str]) -> str:
        written = match[0]
        if not any(map(str.isdigit, written)):
            return written
        return written.translate(_DIGITS_OF_LETTERS)

    return _MISREAD.sub(correct, text)


def keep_hour(minute: int) -> int:
    """Return the first minute of the hour of a minute."""
    return minute // _HOUR * _HOUR


def render_clock(clock: str, move: Callable[[int], int]) -> str:
    """Rewrite the times of a text: `move` maps the minute of the day to another.

    Seconds and the time zone are not written, and of the form only the unit is kept.
    """
    return _TIME.sub(lambda match: _render(match, move), clock)


def _render(match: re.Match[str], move: Callable[[int], int]) -> str:
    hour, half = int(match["hour"]), match["half"] or ""
    is_later = "p" in half.lower()
    if half:
        hour = hour % _NOON + _NOON * is_later
    hour, minute = divmod(move((hour * _HOUR + int(match["minute"] or 0)) % MINUTES), _HOUR)
    unit = match["unit"] or ""
    if half:
        letter = "p" if hour >= _NOON else "a"
        written = re.sub("[ap]", letter, half, count=1, flags=re.IGNORECASE)
        written = written.upper() if half.isupper() else written
        return f"{hour % _NOON or _NOON}:{minute:02d}{written}"
    if unit[:1].lower() == "h" or len(unit) == 1:
        return f"{hour}{unit[0]}{minute:02d}"
    return f"{hour:02d}:{minute:02d}" + (f" {unit}" if unit else "")
