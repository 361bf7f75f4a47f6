"""Shifts written dates by the patient's constant number of days, in their original format."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from datetime import date, timedelta
from functools import lru_cache, partial

from locales.registry import LANGUAGES
from record.errors import Unsafe
from record.label import Label
from record.span import Span
from surrogates.dates import coarse_dates, counted_days, feasts, rendering, weeks
from surrogates.dates.clock_order import order_minute
from surrogates.dates.clocks import keep_hour, render_clock
from surrogates.dates.format_templates import parse, repair_digits
from surrogates.dates.joined_days import move_interval, move_listed_days
from surrogates.dates.parsing import DateForm, Group
from surrogates.dates.whole_dates import WholeDate, read_whole_date
from surrogates.dates.words import MONTHS, SHORT_WEEKDAY_INDEX, WEEKDAY_INDEX
from surrogates.patient import value_format
from surrogates.patient.date_shift import (
    PLACEHOLDERS,
    DateShift,
    add_months,
    full_age,
    shift_days,
)
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import apply_case, fold, read_misread_digits

# The reference day for notes without a date.
UNDATED = date(2025, 6, 15)
# A two-digit year is at most this many years after the note.
FUTURE_YEARS = 10
# A day and month may lie this far after the note, such as an appointment.
_AHEAD = timedelta(days=31)
_NEAREST = timedelta(days=183)
_YEARS_OFF = (1, 0, -1)


def complete_dates(
    groups: list[Group], base: date, *, reads_ahead: bool = False
) -> list[date] | None:
    """Complete each date from the one after it, else the one before it, else `base`.

    A month stands for its 15th, a year for its 2nd of July. None where a date cannot be completed.
    With `reads_ahead`, a day and month may lie half a year after `base`, and a weekday decides.
    """
    if reads_ahead:
        return _complete_all(groups, base, _complete_nearest)
    return _complete_all(groups, base, _complete_alone)


def _complete_all(
    groups: list[Group], base: date, complete_alone: Callable[[Group, date], date | None]
) -> list[date] | None:
    if len(groups) == 1:
        only = complete_date(groups[0], None, after=True) or complete_alone(groups[0], base)
        return [only] if only else None
    found: list[date | None] = [None] * len(groups)
    for place in reversed(range(len(groups))):
        later = found[place + 1] if place + 1 < len(groups) else None
        found[place] = complete_date(groups[place], later, after=True)
    for place in range(len(groups)):
        if found[place] is None:
            earlier = found[place - 1] if place else None
            found[place] = complete_date(groups[place], earlier, after=False)
    if all(day is None for day in found):
        found[-1] = complete_alone(groups[-1], base)
        for place in reversed(range(len(groups) - 1)):
            found[place] = complete_date(groups[place], found[place + 1], after=True)
    complete = [
        day or complete_alone(group, base) for day, group in zip(found, groups, strict=True)
    ]
    return [day for day in complete if day] if all(complete) else None


def complete_date(group: Group, other: date | None, *, after: bool) -> date | None:
    """Complete a date from another one after or before it; None where that is impossible."""
    month, day = _group_month(group), group.day or 15
    if group.year and (month or not group.day):
        return date(group.year, month or 7, day if month else 2)
    if other is None:
        return None
    if month:
        year = group.year or other.year
        found = _clip_day(year, month, day)
        if group.year or (found <= other if after else found >= other):
            return found
        return _clip_day(year + (-1 if after else 1), month, day)
    if not group.day:
        return None
    near = _clip_day(group.year or other.year, other.month, day)
    if group.year or (near <= other if after else near >= other):
        return near
    months = -1 if after else 1
    month = other.year * 12 + other.month - 1 + months
    return _clip_day(*(month // 12, month % 12 + 1), day)


def _complete_alone(group: Group, base: date) -> date | None:
    month, day = _group_month(group), group.day or 15
    if month:
        found = _clip_day(base.year, month, day)
        return found if found <= base + _AHEAD else _clip_day(base.year - 1, month, day)
    if group.day:
        return _clip_day(group.year or base.year, base.month, day)
    return base if group.weekday >= 0 else None


def _complete_nearest(group: Group, base: date) -> date | None:
    """Complete a date from the nearest year, or from the nearest in which it has its weekday."""
    month, day = _group_month(group), group.day or 15
    if not month or group.year:
        return _complete_alone(group, base)
    near = [_clip_day(base.year + off, month, day) for off in _YEARS_OFF]
    fitting = [each for each in near if group.day and each.weekday() == group.weekday]
    if len(fitting) == 1:
        return fitting[0]
    return next(each for each in near if each <= base + _NEAREST)


def _group_month(group: Group) -> int:
    if group.part >= 0:
        return group.part * group.period + group.period // 2 + 1
    # The middle months of spring, summer, autumn and winter.
    return (4, 7, 10, 1)[group.season] if group.season >= 0 else group.month


def _clip_day(year: int, month: int, day: int) -> date:
    while day > 28:
        try:
            return date(year, month, day)
        except ValueError:
            day -= 1
    return date(year, month, day)


_DATED = frozenset((Label.DATE, Label.BIRTH_DATE))
# The most characters and words between related dates: `du 10 au 12/08`.
_REACH = 16
_CONTEXT_WORDS = 3
_LONGEST = 40
_NUMERIC = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})(?:\2(\d{2,4}))?")
_REMEMBERED = 1 << 12
_WHOLE = re.compile(r"\D*(?:\d\d?[/.\-]\d\d?[/.\-]\d{2,4}|\d{4}[/.\-]\d\d?[/.\-]\d\d?)")
_ENDS = re.compile(r"[.!?]\s+[A-ZÀ-ÖØ-Þ]|\n\s*\n")
_LATEST_MONTH = 12
_CONTEXT_YEAR = 4


def day_first(dates: Iterable[str]) -> bool | None:
    """Return whether the numeric dates of a note have the day first; None where it is unclear.

    Only unambiguous dates count: 25/12/2023, 12/25/2023. If both orders occur, the more frequent
    one is used, and none if they are equally frequent.
    """
    balance = sum(_read_order(text)[0] for text in dates)
    return None if not balance else balance > 0


def is_complete(text: str) -> bool:
    """Return whether a numeric date has day, month and four-digit year, and needs no context.

    The order of day and month is that of the note's dates.
    """
    return _read_order(text)[1]


@lru_cache(_REMEMBERED)
def _read_order(text: str) -> tuple[int, bool]:
    """Return whether the day of a numeric date is first (1), second (-1) or unclear (0).

    Also return whether it has a day, a month and a four-digit year.
    """
    found = _NUMERIC.fullmatch(text)
    if found is None:
        return 0, False
    first, second = int(found[1]), int(found[3])
    order = (_LATEST_MONTH < first <= 31 and second <= _LATEST_MONTH) - (
        _LATEST_MONTH < second <= 31 and first <= _LATEST_MONTH
    )
    # A day or month of `00` is unknown.
    return order, bool(first and second) and len(found[4] or "") == _CONTEXT_YEAR


@dataclass(frozen=True, slots=True)
class ReferenceDay:
    """The day from which a partial date is completed.

    `earlier` is the date before it, where it takes its month from that one.
    """

    day: date | None
    earlier: date | None = None


def find_reference_day(
    text: str,
    spans: Sequence[Span],
    number: int,
    *,
    written: date | None,
    lang: str,
    reads_ahead: bool = False,
) -> ReferenceDay:
    """Find the day from which a partial date is completed: from a nearby date, else `written`.

    With `reads_ahead` the first day of `March 18-19, 2023` has the year of the second. A date
    without month or year takes them from the next date at most three words away
    (`du 10 au 12/08/1995`), else from the previous one (`March 3 and 5`).
    """
    value = text[spans[number].start : spans[number].end]
    if len(value) > _LONGEST or _WHOLE.match(value):
        return ReferenceDay(written)
    base = written or UNDATED
    if feasts.is_feast(value) or weeks.is_week(value):
        near = (
            _find_neighbour_day(text, spans, number, base=base, lang=lang, after=after)
            for after in (True, False)
        )
        return ReferenceDay(next(filter(None, near), written))
    own = _parse_groups(value, base, lang)
    if len(own) != 1 or not _is_partial(own[0]):
        return ReferenceDay(written)
    if reads_ahead and number + 1 < len(spans) and _are_adjacent(text, spans, number):
        behind = spans[number + 1]
        last = _parse_groups(text[behind.start : behind.end], base, lang)
        if set(own[0].roles) == {"d", "m"} and [group.roles for group in last] == ["dy"]:
            return ReferenceDay(_clip_day(last[0].year, own[0].month, own[0].day))
    for after in (True, False):
        other = _find_neighbour_day(text, spans, number, base=base, lang=lang, after=after)
        found = complete_date(own[0], other, after=after) if other else None
        if found is not None:
            takes_month = not after and "m" not in own[0].roles
            return ReferenceDay(found, other if takes_month else None)
    return ReferenceDay(written)


def _find_neighbour_day(
    text: str,
    spans: Sequence[Span],
    number: int,
    *,
    base: date,
    lang: str,
    after: bool,
) -> date | None:
    """Return the day of the next or previous date with a year or month, across partial dates.

    In `les 3, 5 et 8 mars` the first day takes its month from the last.
    """
    step = 1 if after else -1
    place, day = number, None
    chain: list[Group] = []
    while day is None:
        beside = place + step
        if not 0 <= beside < len(spans) or not _are_adjacent(text, spans, min(place, beside)):
            return None
        value = text[spans[beside].start : spans[beside].end]
        groups = _parse_groups(value, base, lang)
        found = complete_dates(groups, base) if groups else None
        if not found:
            return None
        nearest = 0 if after else -1
        if groups[nearest].month:
            day = found[nearest]
        elif len(groups) == 1 and groups[0].day:
            chain.append(groups[0])
        else:
            return None
        place = beside
    for group in reversed(chain):
        day = complete_date(group, day, after=after) or day
    return day


def _parse_groups(value: str, base: date, lang: str, first: bool | None = None) -> list[Group]:
    form = parse(value, lang=lang, latest=base.year + FUTURE_YEARS, day_first=first)
    return form.groups if form else []


@lru_cache(_REMEMBERED)
def has_day(text: str, lang: str) -> bool:
    """Return whether a written date has a day."""
    return any("d" in group.roles for group in _parse_groups(repair_digits(text), UNDATED, lang))


def _is_partial(group: Group) -> bool:
    """Return whether a date lacks its year, or its day lacks a month."""
    roles = group.roles
    return ("d" in roles and not {"m", "y"} <= set(roles)) or roles in ("m", "s", "q")


def _are_adjacent(text: str, spans: Sequence[Span], number: int) -> bool:
    """Return whether a date and the next one are close enough to be related."""
    one, other = spans[number], spans[number + 1]
    if one.label not in _DATED or one.label != other.label:
        return False
    between = text[one.end : other.start]
    near = len(between) <= _REACH and len(between.split()) <= _CONTEXT_WORDS
    return near and not _ENDS.search(between) and ":" not in between


__all__ = ["move_birth", "move_text", "replace", "shift_day", "shift_days", "shift_text"]

_SPACED = re.compile(r"\d(?:\s?\d){5,7}")
_FAST = re.compile(r"(\d\d)([/.\-])(\d\d)\2(\d{4})")
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?!\d)")
_YEAR_MONTHS = 12
_WORDS = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
# A date with dots has the day first in all languages.
_DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})")
_SHORT_WEEKDAY = re.compile(r"([^\W\d_]{2,3})(\.?)")
# Also a month: a weekday where it stands alone.
_TUESDAY = "mar"
_WITH_TUESDAY = ("fr", "es")
_TUESDAY_AND_DAY = re.compile(r"(mar\.?),? (\d{1,2}[/.\-]\d{1,2})", re.IGNORECASE)
# A day without a month: `5`, `5th`, `5, 2024`.
_BARE_DAY = re.compile(r"\d{1,2}[^\W\d_]{0,2}(?:, ?\d{4})?$")


def shift_day(day: date, days: int) -> date:
    """Shift a day. Raises Unsafe where the result is outside the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        raise Unsafe("date-out-of-range") from None


def shift_text(text: str, *, days: int, written: date | None, lang: str) -> str | None:
    """Shift the dates of a text by a number of days, otherwise like `move_text`."""
    return move_text(text, DateShift(days, 1 if days > 0 else -1), written=written, lang=lang)


def move_text(
    text: str,
    shift: DateShift,
    *,
    written: date | None,
    lang: str,
    day_first: bool | None = None,
) -> str | None:
    """Shift the dates of a text in their original format; None where no date is recognized.

    Full dates move by exactly the days of the shift. A partial date moves by them from its middle
    (the 15th of the month, the 2nd of July), its missing year and month completed from the other
    dates of the text, else from `written`; if it then reads as before, it moves on by one of its
    units. Weekdays follow. A day that its month does not have moves like the last that it has: how
    far it is beyond would tell a month that has fewer. `lang` decides the reading of ambiguous
    words, and the order of 03/04/2024 unless `day_first` does. A text whose format cannot tell
    1-digit from 2-digit numbers may come back padded; letters that stand for digits come back as
    digits.
    """
    if shift.precision == "day" and not shift.drops_parts:
        quick = _move_numeric(text, shift.days, lang=lang, day_first=day_first)
        if quick is not None:
            return quick
        found = read_whole_date(text, lang, day_first)
        if found is not None:
            return _move_whole(found, shift.days)
    if shift.repeats_month:
        again = partial(move_text, shift=shift, written=written, lang=lang, day_first=day_first)
        for move_both in (move_interval, move_listed_days):
            if (joined := move_both(text, again)) is not None:
                return joined
    base = written or UNDATED
    if _SPACED.fullmatch(text) and len(text.split()) > 3:
        joined = "".join(text.split())
        moved = move_text(joined, shift, written=written, lang=lang, day_first=day_first)
        if moved is None or shift.drops_parts:
            return moved
        return value_format.apply_format(moved, text)
    latest = base.year if shift.is_birth else base.year + FUTURE_YEARS
    form = parse(repair_digits(text), lang=lang, latest=latest, day_first=day_first)
    if form is None:
        return None
    try:
        return _move_form(form, shift, base)
    except (ValueError, OverflowError):
        return None


def replace(mention: Mention, subject: Subject) -> str:
    """Return the shifted date of a mention; other text becomes a random date of similar form."""
    lang = mention.lang or subject.locale
    if subject.dates_shift.reads_ahead:
        named = _move_named(mention, subject, _choose_shift(mention, subject, lang), lang)
        if named is not None:
            return named + _rewrite_clock(mention, subject, lang) if mention.clock else named
        if _DOTTED.fullmatch(mention.text):
            mention.day_first = True  # English notes write European dates with dots
    shift = _choose_shift(mention, subject, lang)
    text = mention.text
    whole = read_whole_date(text, lang, mention.day_first)
    if whole is not None and whole.day in PLACEHOLDERS and mention.label != Label.BIRTH_DATE:
        return text + _rewrite_clock(mention, subject, lang) if mention.clock else text
    moved = move_text(text, shift, written=mention.written, lang=lang, day_first=mention.day_first)
    if moved is None and shift.reads_ahead and (read := read_misread_digits(text)) != text:
        # `12 March 2O21`
        moved = move_text(
            read, shift, written=mention.written, lang=lang, day_first=mention.day_first
        )
    if moved is not None and shift.repeats_month and _BARE_DAY.match(mention.text):
        moved = _name_month(moved, mention, shift, lang)
    written = moved if moved is not None else _draw(mention, subject, shift.nudge)
    return written + _rewrite_clock(mention, subject, lang) if mention.clock else written


def _move_named(mention: Mention, subject: Subject, shift: DateShift, lang: str) -> str | None:
    """Move a feast, a week, a counted day or a short weekday alone; None for other dates.

    A feast becomes the day that it is on, with a year if it has one. What has none is that of the
    year nearest to the day that the mention is completed from.
    """
    text, near = mention.text, mention.written or UNDATED
    draw = partial(subject.key.number, mention.label, text)
    if not _LETTER.search(text):
        return _move_counted_day(text, shift, draw)
    weekday = _move_short_weekday(text, shift, lang)
    if weekday is not None:
        return weekday
    tuesday = _TUESDAY_AND_DAY.fullmatch(text) if lang in _WITH_TUESDAY else None
    if tuesday:
        day = move_text(tuesday[2], shift, written=near, lang=lang, day_first=mention.day_first)
        return day and f"{_move_short_weekday(tuesday[1], shift, lang)} {day}"
    try:
        feast = feasts.read(text, near)
        if feast is None:
            return weeks.move(text, shift, near) or counted_days.move(text, shift, draw)
        written_out = feasts.write_day(feast.day, lang) or feasts.write_day(feast.day, "en")
    except (ValueError, OverflowError):
        return None
    day = written_out and move_text(written_out, shift, written=near, lang=lang)
    return feasts.without_year(day) if day and not feast.dated else day


def _move_counted_day(text: str, shift: DateShift, draw: counted_days.Draw) -> str | None:
    """Move a day that is counted from another, in digits: `073/2021`, milliseconds."""
    try:
        return counted_days.move(text, shift, draw)
    except (ValueError, OverflowError):
        return None


def _move_short_weekday(text: str, shift: DateShift, lang: str) -> str | None:
    """Move a weekday of two letters, or `mar`, alone: `Fr`, `Mar.`; None for other dates."""
    weekday = _SHORT_WEEKDAY.fullmatch(text)
    if weekday is None:
        return None
    written = weekday[1]
    names = SHORT_WEEKDAY_INDEX.get(fold(written), [])
    if fold(written) == _TUESDAY and lang in _WITH_TUESDAY:
        names = WEEKDAY_INDEX[_TUESDAY]
    if not names:
        return None
    style, number = next((each for each in names if each[0].lang == lang), names[0])
    moved = style.words[(number + shift.days) % 7].lower()
    if written.isupper() and written[1:]:
        moved = moved.upper()
    elif written[0].isupper():
        moved = moved.capitalize()
    return moved + weekday[2]


def _name_month(moved: str, mention: Mention, shift: DateShift, lang: str) -> str:
    """Write a day that has no month as in prose, and with a month where it needs one of its own.

    It needs one where it takes that of the date before it, and moves into another one.
    """
    if not mention.text.startswith("0"):
        moved = moved.lstrip("0")
    day, earlier = mention.written, mention.earlier
    if day is None or earlier is None or shift.precision != "day":
        return moved
    month = shift.move(day).month
    if month == shift.move(earlier).month:
        return moved
    name = next(style.words for style in MONTHS if style.lang == lang and not style.short)[
        month - 1
    ]
    if lang == "en":
        return f"{name} {moved}"
    if lang == "de" or not moved.isdigit():
        return moved
    if lang == "fr" and moved == "1":
        moved = "1er"
    return f"{moved} de {name}" if lang == "es" else f"{moved} {name}"


def _rewrite_clock(mention: Mention, subject: Subject, lang: str) -> str:
    """Rewrite the time joined to a date as its column is; a time that cannot be is left out."""
    if subject.policy.times == "hour":
        return render_clock(mention.clock, keep_hour)
    base = mention.written or UNDATED
    groups = _parse_groups(repair_digits(mention.text), base, lang, mention.day_first)
    ahead = subject.dates_shift.reads_ahead
    found = complete_dates(groups, base, reads_ahead=ahead) if groups else None
    if not found or not _DIGITS.search(mention.clock):
        return ""
    day = found[-1]
    return render_clock(mention.clock, lambda minute: order_minute(subject.key, day, minute) // 60)


def _choose_shift(mention: Mention, subject: Subject, lang: str) -> DateShift:
    if mention.label != Label.BIRTH_DATE:
        return subject.dates_shift
    shift = subject.birth_shift
    if subject.policy.old_births == "shift":
        return shift
    base = mention.written or UNDATED
    form = parse(
        repair_digits(mention.text), lang=lang, latest=base.year, day_first=mention.day_first
    )
    found = complete_dates(form.groups, base) if form else None
    return _hide_old_age(shift, found[0], base, subject) if found else shift


def move_birth(born: date, subject: Subject) -> date:
    """Shift the patient's birth date like a birth date written in full.

    Ages over the cap are hidden as of the reference day for undated notes. Raises Unsafe where the
    result is outside the calendar.
    """
    return _hide_old_age(subject.birth_shift, born, UNDATED, subject).move(born)


def _hide_old_age(shift: DateShift, born: date, base: date, subject: Subject) -> DateShift:
    """Return the shift of a birth date, less exact or shorter if it tells an age over the cap.

    Under `year` only the year stays; under `cap` the date implies an age just over the cap.
    """
    choice = subject.policy.old_births
    years = full_age(born, base) - subject.policy.age_cap - 1
    if choice == "shift" or years < 0:
        return shift
    if choice == "year":
        return changed(shift, precision="year", drops_parts=True)
    if not years:
        return shift
    return changed(shift, days=shift.days + (add_months(born, 12 * years) - born).days)


def _may_be_unchanged(form: DateForm, shift: DateShift) -> bool:
    """Return whether a date may be unchanged because the policy leaves no alternative.

    For example a weekday alone where weekdays are kept, or `1er janvier` where all dates are cut.
    """
    if shift.precision != "day":
        return not any(group.year for group in form.groups)
    if shift.seasonal and all(_is_season_alone(group) for group in form.groups):
        return True
    # A weekday follows the dates beside it, and so stays where they move by whole weeks.
    is_exact = shift.weekly or shift.reads_ahead
    return is_exact and not any(group.roles for group in form.groups)


def _move_numeric(text: str, days: int, *, lang: str, day_first: bool | None) -> str | None:
    """Shift the most common numeric format directly; None for others."""
    match = _FAST.fullmatch(text)
    if match is None:
        return None
    is_day_first = lang != "en" if day_first is None else day_first
    one, sign, other, year = match.groups()
    day, month = (one, other) if is_day_first else (other, one)
    try:
        moved = date(int(year), int(month), int(day)) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    if not 1800 <= int(year) < 2200:
        return None
    one, other = f"{moved.day:02d}", f"{moved.month:02d}"
    if not is_day_first:
        one, other = other, one
    return f"{one}{sign}{other}{sign}{moved.year:04d}"


def _move_whole(found: WholeDate, days: int) -> str | None:
    try:
        return found.move(days)
    except OverflowError:
        return None


def _move_form(form: DateForm, shift: DateShift, base: date) -> str | None:
    found = complete_dates(form.groups, base, reads_ahead=shift.reads_ahead)
    if found is None:
        return None
    moved = [_move_group(g, a, shift) for g, a in zip(form.groups, found, strict=True)]
    if shift.drops_parts and (coarse := coarse_dates.render(form, moved[0], shift.precision)):
        return coarse
    rendered = rendering.render(form, moved, repeats_month=shift.repeats_month)
    if not _reads_alike(rendered, form.text) or _may_be_unchanged(form, shift):
        return rendered
    if shift.precision == "day":
        step = (7 if shift.weekly else 1) * (1 if shift.days > 0 else -1)
        further_shift = changed(shift, days=shift.days + step)
        moved = [_move_group(g, a, further_shift) for g, a in zip(form.groups, found, strict=True)]
    else:
        moved = [_move_further(each, shift) for each in moved]
    rendered = rendering.render(form, moved, repeats_month=shift.repeats_month)
    return None if _reads_alike(rendered, form.text) else rendered


def _reads_alike(one: str, other: str) -> bool:
    return len(one) == len(other) and fold(one) == fold(other)


def _move_group(group: Group, anchor: date, shift: DateShift) -> tuple[date, int]:
    """Shift a date; an unchanged month, season or year moves by one further unit.

    So does the month of an impossible day.
    """
    roles = group.roles
    if shift.is_birth and roles and "d" not in roles:
        anchor = _first_day(group, anchor)
    day = anchor + timedelta(days=shift.days)
    stays = ("d" not in roles or group.excess) and _reads_same(group, anchor, day)
    if roles and stays and not (shift.seasonal and _is_season_alone(group)):
        # The months that the smallest written part of a date lasts
        if "m" in group.roles:
            unit = 1
        elif "s" in group.roles:
            unit = 3
        else:
            unit = group.period if "q" in group.roles else _YEAR_MONTHS
        apart = unit == _YEAR_MONTHS or shift.precision != "day"
        day = add_months(anchor, unit * (shift.nudge if apart else 1 if shift.days > 0 else -1))
    if roles:
        day = shift.cut(day)
    start = group.weekday if group.weekday >= 0 else anchor.weekday()
    return day, (start + (day - anchor).days) % 7


def _is_season_alone(group: Group) -> bool:
    return group.roles in ("m", "s", "q")


def _first_day(group: Group, anchor: date) -> date:
    """Return the first day of a date without a day, from the middle that stands for it."""
    if "m" in group.roles:
        return anchor.replace(day=1)
    if "s" in group.roles:
        return add_months(anchor.replace(day=1), -1)
    month = group.part * group.period + 1 if "q" in group.roles else 1
    return anchor.replace(month=month, day=1)


def _move_further(moved: tuple[date, int], shift: DateShift) -> tuple[date, int]:
    day = shift.nudge_day(moved[0])
    return day, (moved[1] + (day - moved[0]).days) % 7


def _reads_same(group: Group, before: date, after: date) -> bool:
    roles = group.roles
    if "m" in roles and before.month != after.month:
        return False
    if "s" in roles and (before.month - 3) % 12 // 3 != (after.month - 3) % 12 // 3:
        return False
    if "q" in roles and (before.month - 1) // group.period != (after.month - 1) // group.period:
        return False
    return "y" not in roles or before.year == after.year


def _draw(mention: Mention, subject: Subject, nudge: int) -> str:
    """Draw a text of similar form for text that is not a date.

    Words are not kept, since they may be names; numbers keep their width and range (month, day or
    other).
    """
    text, label = mention.text, mention.label
    wordy = bool(_WORDS.search(text)) or not _DIGITS.search(text)
    for counter in range(DRAWS):
        if wordy:
            lang = mention.lang if mention.lang in LANGUAGES else subject.locale
            months = next(style.words for style in MONTHS if style.lang == lang)
            month = months[
                subject.key.number(mention.label, fold(mention.text), 12, counter=counter)
            ]
            year = _YEAR.search(mention.text)
            drawn = (
                apply_case(mention.text, month)
                if year is None
                else f"{month}{' de ' if lang == 'es' else ' '}{int(year[0]) + nudge}"
            )
        else:
            stream = iter(subject.key.draw(label, fold(text), 4 * len(text), counter=counter))
            known = any(int(digits) for digits in _DIGITS.findall(text))
            draw = partial(_draw_number, stream=stream, nudge=nudge, zeros=known)
            drawn = _DIGITS.sub(draw, text)
        if fold(drawn) != fold(text):
            return drawn
    raise Unsafe("no-surrogate")


def _draw_number(match: re.Match[str], *, stream: Iterator[int], nudge: int, zeros: bool) -> str:
    digits = match[0]
    if _YEAR.fullmatch(digits):
        return str(int(digits) + nudge * (1 + next(stream) % 3))
    if len(digits) <= 2 and digits.isascii():
        number = int(digits)
        if zeros and not number:
            return digits
        least, most = (1, 12) if number <= 12 else (13, 28) if number <= 31 else (32, 99)
        drawn = least + (next(stream) << 8 | next(stream)) % (most - least + 1)
        return f"{drawn:0{len(digits)}d}"[-len(digits) :]
    return "".join(str((next(stream) << 8 | next(stream)) % 10) for _ in digits)
