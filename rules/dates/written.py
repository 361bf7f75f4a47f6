"""Dates with the name of a month or a weekday."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from locales.roman_numbers import ROMAN_YEARS
from rules.dates.calendar import (
    AMBIGUOUS_MONTHS,
    FULL_MONTHS,
    MONTH,
    MONTHS,
    WEEKDAY,
    Moment,
    possible_day,
)
from rules.dates.context import CLOCK, HOUR, MONTH_WORDS, UNITS, is_quantity
from rules.dates.number_words import read_number_after, read_number_before
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern

_EARLIER_DAY = re.compile(
    r"(?<![0-9a-z.,/])([0-3]?[0-9])((?:er|st|nd|rd|th|e)?)\.?( ?(?:-|,|&|a|au|al|to|et|y|and"
    r"|ou|or|puis|bis(?: einschlie(?:ss|ß)lich)?|und|tot(?: en met)?|t/m|en|jusqu'au|hasta|until"
    r"|till|through)(?: (?:le|el|the|du|dem|zum))? ?)\Z"
)
# The first end of a range may have its month, with the second's year.
_EARLIER_PART = re.compile(
    r"(?<![0-9a-z.,/\-])([0-3]?[0-9])([.\-])([01]?[0-9])\.?"
    r" (?:-|au|al|to|bis|tot|t/m|und|en|et|y|and) (?:dem )?\Z"
)
_LONGEST_JOIN = 28
_RANGE_WORDS = frozenset(
    "a au al to bis tot t/m jusqu'au hasta until till through einschließlich einschliesslich"
    " met".split()
)
_SERIES_JOINS = _RANGE_WORDS | {"et", "y", "and", "ou", "or", "puis", "und", "en"}
_SERIES_ARTICLES = frozenset({"le", "el", "the", "du", "dem", "zum"})
# Between two days, where the first lies in the month before: `28 au 1er février`. Not `a` or `-`,
# which stand between numbers of all kinds.
_TURNS = _RANGE_WORDS - {"a"}
_LEAST_TURNING_DAY = 20
_MOST_TURNED_DAY = 15
_LIST_OPENS = re.compile(
    r"\b(?:du|des|les?|el|los|del|dias?|entre|between|from|on|the|au|am|vom|dem|op|van"
    r"|tussen)(?: [0-3]?[0-9](?:er|st|nd|rd|th)?\.?(?: ?,| et| y| and| &| ou| und| en)){0,4} \Z"
)
_LATER_DAY = re.compile(
    r" ?(?:-|to|through) ?(?:the )?([0-3]?[0-9])(?:st|nd|rd|th)?(?:,? ((?:19|20)[0-9]{2}))?"
    r"(?![0-9a-z:/\-])"
)
_LATER_DAYS = re.compile(
    r"((?:, ?[0-3]?[0-9](?:st|nd|rd|th)?){0,4}),? ?(?:and|&|,) ?([0-3]?[0-9])(?:st|nd|rd|th)?"
    r"(?:,? ((?:19|20)[0-9]{2}))?(?!\.?[0-9])"
)
_ENDS = re.compile(r" ?[.;)\n]|\Z")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")


def days_in_series(folded: str, moments: list[Moment]) -> Iterator[Moment]:
    """Yield bare days that share month and year with one of the sorted, disjoint `moments`."""
    previous_end = 0
    for moment in moments:
        yield from _earlier_days(folded, moment, previous_end)
        previous_end = moment.end
        if folded[moment.start].isalpha():
            yield from _later_days(folded, moment)


def _earlier_days(folded: str, moment: Moment, floor: int) -> Iterator[Moment]:
    start, day = moment.start, moment.day
    if not _may_follow_list(folded, start):
        return
    part = _earlier_day_and_month(folded, moment, floor) if day is not None else None
    if part:
        yield part
        return
    while day is not None:
        earlier = _earlier_day(folded, start, day, floor)
        if earlier is None:
            break
        start, day = earlier.start, earlier.day
        yield earlier._replace(year=moment.year, month=moment.month)


def _may_follow_list(folded: str, start: int) -> bool:
    """Return, at little cost, whether what stands before a date could join it to another."""
    words = folded[max(0, start - _LONGEST_JOIN) : start].split()
    if words and words[-1] in _SERIES_ARTICLES:
        del words[-1]
    return bool(words) and (
        words[-1].lstrip("0123456789") in _SERIES_JOINS or words[-1][-1] in "-,&"
    )


def _earlier_day_and_month(folded: str, moment: Moment, floor: int) -> Moment | None:
    match = _EARLIER_PART.search(folded, max(floor, moment.start - 14), moment.start)
    if match is None or match[2] not in folded[moment.start : moment.end]:
        return None
    day, month = int(match[1]), int(match[3])
    if not possible_day(day, month):
        return None
    return Moment(match.start(), match.end(3), moment.year, month, day)


def _earlier_day(folded: str, start: int, day: int, floor: int) -> Moment | None:
    match = _EARLIER_DAY.search(folded, max(floor, start - _LONGEST_JOIN), start)
    if match is None:
        return None
    number = int(match[1])
    opened = _LIST_OPENS.search(folded, max(0, match.start() - 36), match.start())
    joined = match[3].split()
    close = match[3] == "-" or (bool(joined) and joined[0] in _RANGE_WORDS)
    close = close and number < day
    if joined and joined[0] in _TURNS:
        close |= number >= _LEAST_TURNING_DAY and day <= _MOST_TURNED_DAY
    if not 1 <= number <= 31 or not (opened or close):
        return None
    return Moment(match.start(), match.end(2), None, None, number)


def _later_days(folded: str, moment: Moment) -> Iterator[Moment]:
    """Find the further days of `March 3-5, 2024`, `March 3, 5 and 8, 2024`."""
    if moment.day is None:  # `March 20` was read as a year
        moment = moment._replace(year=None, day=moment.year)
    if moment.day is None or moment.year is not None:
        return
    match = _LATER_DAY.match(folded, moment.end)
    if match:
        yield from _range_end(folded, moment, match, 1, 2)
        return
    match = _LATER_DAYS.match(folded, moment.end)
    if match and (match[3] or _ENDS.match(folded, match.end())):
        for day in _ORDINAL.finditer(folded, *match.span(1)):
            yield moment._replace(start=day.start(), end=day.end(), day=int(day[1]))
        yield from _range_end(folded, moment, match, 2, 3)


def _range_end(
    folded: str, moment: Moment, match: re.Match[str], day: int, year: int
) -> Iterator[Moment]:
    if moment.day is None or not moment.day < int(match[day]) <= 31:
        return
    if is_quantity(folded, match.end()):
        return
    number = int(match[year]) if match[year] else None
    yield Moment(match.start(day), match.end(), number, moment.month, int(match[day]))


_MONTH = Pattern(rf"(?:\b|[0-9])({MONTH})(?:\b|[0-9])")
_LINK = r"(?:de|del|of|van|l'an|des|ano|year|jahres|the)"
_DAY = re.compile(
    r"(?<![0-9+])((?<![a-z])o[1-9]|[0-3][0-9o]|[0-9])"
    r"(?: ?(?:er|ere|st|nd|rd|th|ste|e|o|°)(?![a-z]))?[ .,]{0,2}[\-/]?[ \n]{0,3}"
    r"(?:de[ \n]{1,2}|of |d')?\Z"
)
_REACH = 20
# Hospitals and streets are named after days: 12 de Octubre, rue du 4 septembre.
_PLACES = frozenset(
    (
        "hospital hopital universitario universitaire calle avenida avda av ave avenue plaza pza"
        " rue place bd boulevard quai pont colonia barrio allee impasse square cours edificio"
        " straße strasse platz plein laan straat"
    ).split()
)
_NAMED_AFTER = frozenset({"", "du", "de", "del", "des", "van", "general"})
# A slash may part two dates: `30. Juni 2019/9. August 2019`.
_DECIMAL = re.compile(r"(?:[0-9][.,]|(?:\A|[^0-9])[0-9]{1,3}/)\Z")
_BEFORE_MONTH = re.compile(r"[ \n](?:(?:de|of) )?\Z")
# Short names that words of a number may go before; `sept` and `dix dec` prove nothing.
_SHORT_BUT_FULL = frozenset(name for name in FULL_MONTHS if len(name) <= 4)
_ARTICLES = frozenset({"un", "une", "una", "one", "ein", "eine", "een"})
# `a week or two of June` has no day.
_COUNTS_OF = frozenset({"one of", "two of", "three of", "four of"})
_YEAR_FIRST = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[ \-/]{1,3}\Z")
_YEAR = re.compile(
    rf"[ .,\-/]{{0,3}}(?:{_LINK} ?){{0,3}}'?((?:1[89]|20|21)[0-9]{{2}}|[0-9]{{2}})(?![0-9])"
    r"|[ ,.]{0,2}\n *(?:(?:del?|of|van) )?((?:19|20)[0-9]{2})(?![0-9])"
)
_BEFORE_YEAR_IN_WORDS = re.compile(r"[ ,]{1,2}(?:(?:de|del) )?")
_ROMAN_YEAR = re.compile(r"mc?m[ivxlc]{0,8}(?![0-9a-z])")
_GLUED_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?![0-9])")
_DAY_AFTER = re.compile(r"[ .\-/\n]{0,2}(?:the )?([0-3]?[0-9])(?![0-9a-z])")
_ORDINAL_AFTER = re.compile(r"[ \n](?:the )?([0-3]?[0-9])(?:st|nd|rd|th)(?![0-9a-z])")
_YEAR_NEAR = re.compile(r" ?,?[ \n]?((?:19|20)[0-9]{2}|'[0-9]{2})(?![0-9])")
_YEAR_AFTER_DAY = re.compile(
    r" ?,[ \n]?((?:1[89]|20|21)[0-9]{2}|'[0-9]{2})(?![0-9])"
    r"|[ \-/](?:de |del )?((?:19|20)[0-9]{2}|'[0-9]{2})(?![0-9])"
)
# `Mar-14-21`, with a hyphen before the day as well.
_SHORT_YEAR_AFTER_DAY = re.compile(r"-([0-9]{2})(?![0-9a-z]|[\-/.,][0-9])")
_MONTH_OF = frozenset("mois month mes debut fin principios mediados finales end".split())
_OF = frozenset({"de", "of", ""})
_ANY_DIGIT = re.compile(r"[0-9]")
_RANGE = re.compile(r" ?([\-/,]|[a-z]{1,7}) ?([a-z]{3,10})(?![a-z])")
_JOINS = frozenset(
    "a au al to through et and y e ou o or puis hasta bis und tot en jusqu'en - / ,".split()
)
# A day that a line's end parts from its month follows one of these.
_DAY_ON_NEXT_LINE = frozenset({"on", "of", "since", "until", "till", "by", "from", "dated"})
_WEEKDAY_AND_DAY = Pattern(
    rf"\b{WEEKDAY},? {{1,2}}(?:(?:le|the|el|dia|den) )?([0-3]?[0-9])(?:er|st|nd|rd|th)?(?![0-9a-z])"
)
_MONTH_FOLLOWS = re.compile(r"\.? ?(?:de |of )?([a-z]{3,10})")
_NUMBER_FOLLOWS = re.compile(r" ?[:h%/.,\-]? ?[0-9]| ?%")


def find(folded: str, text: str) -> Iterator[Moment]:
    """Yield dates with a month's or weekday's name; `text` shows the capitals."""
    yield from _dates_with_month(folded, text)
    for match in _WEEKDAY_AND_DAY.finditer(folded):
        if 1 <= int(match[1]) <= 31 and not _is_followed_by_more(folded, match.end()):
            yield Moment(match.start(), match.end(), None, None, int(match[1]))


def _is_followed_by_more(folded: str, end: int) -> bool:
    """Return whether a month or more of a number follows the day of a week."""
    month = _MONTH_FOLLOWS.match(folded, end)
    if month and (month[1] in MONTHS or month[1] in UNITS):
        return True
    if HOUR.match(folded, end) or CLOCK.match(folded, end):
        return False
    return _NUMBER_FOLLOWS.match(folded, end) is not None


class _MonthName(NamedTuple):
    """The name of a month: `bare` is its end, `end` that with the dot of an abbreviation."""

    start: int
    bare: int
    end: int
    word: str
    number: int


def _month_name(folded: str, match: re.Match[str]) -> _MonthName:
    start, bare = match.span(1)
    end = bare + folded.startswith(".", bare)
    return _MonthName(start, bare, end, match[1], MONTHS[match[1]])


def _dates_with_month(folded: str, text: str) -> Iterator[Moment]:
    """Yield dates with a month; a bare month counts beside one: `mai à juin 2029`."""
    waiting: Moment | None = None
    last = -1
    for match in _MONTH.finditer(folded):
        name = _month_name(folded, match)
        found = _complete_month(folded, text, name)
        alone = None
        if found is None and name.word not in AMBIGUOUS_MONTHS:
            alone = Moment(name.start, name.bare, None, name.number, None)
        if found and waiting:
            yield waiting
        if alone and 0 <= last <= alone.start and _is_list_joint(folded[last : alone.start]):
            found = alone
        if found:
            yield found
            last = found.end
        following = _RANGE.match(folded, name.end)
        ranged = following and following[1] in _JOINS and following[2] in MONTHS
        waiting = alone if ranged else None


def _is_list_joint(between: str) -> bool:
    """Return whether what stands between two months joins them: `, `, ` et `."""
    words = between.split()
    return len(words) <= 2 and all(word in _JOINS for word in words)


def _is_part_of_place(folded: str, start: int) -> bool:
    for word in reversed(folded[max(0, start - 32) : start].split()):
        bare = word.strip(".,(\"'«/")
        if bare in _PLACES or word == "c/":
            return True
        if bare not in _NAMED_AFTER:
            return False
    return False


def _complete_month(folded: str, text: str, name: _MonthName) -> Moment | None:
    """Complete the name of a month with the day and the year around it."""
    month = name.number
    before = _day_before(folded, name.start, name.word)
    if before and _is_end_of_range(folded, before[0], name):
        before = None
    if before and not _is_day_after_month(folded, name):
        start, day = before
        year, end = _year_after(folded, name.end)
        if _is_part_of_place(folded, start):
            return None
        if year is None and not _is_unambiguous(folded, text, name, start):
            return None
        return Moment(start, _without_final_dot(folded, end), year, month, day)
    first = _YEAR_FIRST.search(folded, max(0, name.start - 8), name.start)
    if first:
        year, _ = _year_after(folded, name.end)
        # The year before belongs to another date: `December 2, 2018/December 22, 2018`.
        has_own = _read_month_day_year(folded, name) is not None
        if (year is None or year <= 31) and not has_own:
            return _read_year_first(folded, name, first)
    return _read_month_first(folded, text, name)


def _is_day_after_month(folded: str, name: _MonthName) -> bool:
    """Return whether a number before `of` is no day, as the day follows:
    `24C6-3 of June 8, 2023`.
    """
    linked = folded.startswith("of ", max(0, name.start - 3))
    return linked and _read_month_day_year(folded, name) is not None


def _is_end_of_range(folded: str, start: int, name: _MonthName) -> bool:
    """Return whether a number before a month is the day of the month before the number, as this
    one has a day of its own: `March 28 - April 2`.
    """
    joint = folded[start : name.start].lstrip("0123456789").strip()
    if joint != "-" or not _DAY_AFTER.match(folded, name.end):
        return False
    words = folded[max(0, start - 12) : start].split()
    return bool(words) and words[-1].rstrip(".") in MONTHS


def _read_year_first(folded: str, name: _MonthName, first: re.Match[str]) -> Moment:
    """Read `2016 janvier`, `2013-jan-12`."""
    day = _DAY_AFTER.match(folded, name.end)
    if day and 1 <= int(day[1]) <= 31 and not is_quantity(folded, day.end()):
        return Moment(first.start(), day.end(), int(first[1]), name.number, int(day[1]))
    end = _without_final_dot(folded, name.end)
    return Moment(first.start(), end, int(first[1]), name.number, None)


def _without_final_dot(folded: str, end: int) -> int:
    """Leave out the dot of an abbreviation that ends a date."""
    return end - 1 if folded[end - 1] == "." else end


def _day_before(folded: str, at: int, name: str) -> tuple[int, int] | None:
    """Find the day before a month: (start, day)."""
    left = max(0, at - _REACH)
    match = _DAY.search(folded, left, at) if _ANY_DIGIT.search(folded, left, at) else None
    if match:
        day = int(match[1].replace("o", "0"))
        decimal = _DECIMAL.search(folded, max(0, match.start() - 5), match.start())
        return (match.start(), day) if 1 <= day <= 31 and not decimal else None
    between = _BEFORE_MONTH.search(folded, max(0, at - 8), at)
    if between is None or not (len(name) > 4 or name in _SHORT_BUT_FULL):
        return None
    number = read_number_before(folded, between.start())
    if number is None or folded[number[0] : between.start()] in _ARTICLES:
        return None
    if folded[number[0] : at].rstrip() in _COUNTS_OF:
        return None
    return number if 1 <= number[1] <= 31 else None


def _year_after(folded: str, at: int) -> tuple[int | None, int]:
    """Find the year after a month: (year, end), or (None, at)."""
    match = _YEAR.match(folded, at)
    if match:
        digits = match[1] or match[2]
        if len(digits) == 2 and is_quantity(folded, match.end()):
            return None, at
        return int(digits), match.end()
    return _year_in_words(folded, at)


def _year_in_words(folded: str, at: int) -> tuple[int | None, int]:
    between = _BEFORE_YEAR_IN_WORDS.match(folded, at)
    roman = _ROMAN_YEAR.match(folded, between.end()) if between else None
    if roman and roman[0] in ROMAN_YEARS:
        return ROMAN_YEARS[roman[0]], roman.end()
    number = read_number_after(folded, between.end()) if between else None
    if number and 1800 <= number[1] < 2200:
        return number[1], number[0]
    return None, at


def _is_unambiguous(folded: str, text: str, name: _MonthName, start: int) -> bool:
    """Return whether a day and a month without a year can be nothing else."""
    if name.word not in AMBIGUOUS_MONTHS or text[name.start].isupper():
        return True
    between = folded[start : name.start].lstrip("0123456789")
    return between.strip() != "" or between == ""


def _read_month_first(folded: str, text: str, name: _MonthName) -> Moment | None:
    start, end, month = name.start, name.end, name.number
    capital = text[start].isupper()
    ambiguous = name.word in AMBIGUOUS_MONTHS and not capital
    if not _ANY_DIGIT.search(folded, end, end + 24):
        return _read_bare_month(folded, name, ambiguous)
    whole = _read_month_day_year(folded, name)
    if whole:
        return whole
    if folded[end : end + 1].isdigit() and not _GLUED_YEAR.match(folded, end):
        return None
    year, year_end = _year_after(folded, end)
    if year is not None and not (ambiguous and name.word != "mar"):
        return Moment(start, year_end, year, month, None)
    day = _day_after(folded, name) if capital else None
    if day:
        return Moment(start, day.end(), None, month, int(day[1]))
    return _read_bare_month(folded, name, ambiguous)


def _read_bare_month(folded: str, name: _MonthName, ambiguous: bool) -> Moment | None:
    """Read a month alone or with a year in words: only after a word that makes it a date."""
    year, end = _year_in_words(folded, name.end)
    if year is not None:
        return Moment(name.start, end, year, name.number, None)
    if ambiguous or folded[name.start - 1] not in " -\n'":
        return None
    previous, last = words_before(folded, name.start)
    if last in MONTH_WORDS or (previous in _MONTH_OF and last in _OF):
        return Moment(name.start, name.bare, None, name.number, None)
    return None


def _day_after(folded: str, name: _MonthName) -> re.Match[str] | None:
    """Find the day of `March 12`, `on March\\n12`."""
    end = name.end
    day = _DAY_AFTER.match(folded, end)
    if day is None or not 1 <= int(day[1]) <= 31 or is_quantity(folded, day.end()):
        return None
    if "\n" in folded[end : day.start(1)]:
        return day if words_before(folded, name.start)[1] in _DAY_ON_NEXT_LINE else None
    return day


def _read_month_day_year(folded: str, name: _MonthName) -> Moment | None:
    """Read `March 12th`, `March 12, 2024`: a day that is ordinal or goes before a year."""
    ordinal = _ORDINAL_AFTER.match(folded, name.end)
    day = ordinal or _DAY_AFTER.match(folded, name.end)
    if day is None:
        return _read_month_day_in_words(folded, name)
    if not 1 <= int(day[1]) <= 31:
        return None
    year = (_YEAR_NEAR if ordinal else _YEAR_AFTER_DAY).match(folded, day.end())
    if year is None and folded[name.end] == "-":
        year = _SHORT_YEAR_AFTER_DAY.match(folded, day.end())
    if year is None and ordinal is None:
        return None
    number = int(next(filter(None, year.groups())).lstrip("'")) if year else None
    end = year.end() if year else day.end()
    return Moment(name.start, end, number, name.number, int(day[1]))


def _read_month_day_in_words(folded: str, name: _MonthName) -> Moment | None:
    """Read `March twelfth, 2024`: only before a year."""
    if folded[name.end : name.end + 1] != " ":
        return None
    number = read_number_after(folded, name.end + 1)
    year = _YEAR_AFTER_DAY.match(folded, number[0]) if number else None
    if number is None or year is None or not 1 <= number[1] <= 31:
        return None
    written = next(filter(None, year.groups())).lstrip("'")
    return Moment(name.start, year.end(), int(written), name.number, number[1])
