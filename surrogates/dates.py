"""Dates moved by the patient's own constant number of days, in the format they were written in."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial

from record.errors import Unsafe
from record.folding import fold
from record.policy import Policy
from surrogates import date_forms, shape
from surrogates.date_forms import Form, Group
from surrogates.date_words import LANGUAGES, MONTHS
from surrogates.keys import PatientKey
from surrogates.subject import DRAWS, Mention, Subject, pour_case

# Where nothing tells when a note was written, years are completed as if it were this day.
_UNDATED = date(2025, 6, 15)
_FUTURE_YEARS = 10
# A day and month may lie this far after the note, such as an appointment.
_AHEAD = timedelta(days=31)
_SPACED = re.compile(r"\d(?:\s?\d){5,7}")
_FAST = re.compile(r"(\d\d)([/.\-])(\d\d)\2(\d{4})")
# What character recognition reads for a 0 or a 1.
_CONFUSED = str.maketrans("oOûÛlI", "000011")
_NUMERIC_LOOKS = re.compile(r"[\doOûÛlI\s./|\-]+")
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?!\d)")
_WORDS = re.compile(r"[^\W\d_]+")


def shift_days(key: PatientKey, policy: Policy) -> int:
    """Draw the days by which everything of a patient moves: never 0, its size within the policy."""
    size = policy.max_shift_days - policy.min_shift_days + 1
    days = policy.min_shift_days + key.number("shift", "size", size)
    return days if key.number("shift", "sign", 2) else -days


def shift(day: date, days: int) -> date:
    """Move a day. Raises Unsafe where the calendar ends."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        raise Unsafe("date-out-of-range") from None


def shift_text(text: str, *, days: int, written: date | None, lang: str) -> str | None:
    """Move the date or dates of a text, in the very same format; None where none is understood.

    Full dates move by exactly `days`. A partial date moves by them from its middle (the 15th of
    the month, the 2nd of July), its missing year and month completed from the other dates of the
    text, else from `written`; if it then reads as before, it moves on by one of its units.
    Weekdays follow. `lang` decides the order of 03/04/2024 and the reading of ambiguous words.
    A text whose format cannot tell 1-digit from 2-digit numbers may come back padded.
    """
    quick = _shift_numeric(text, days, lang)
    if quick is not None:
        return quick
    base = written or _UNDATED
    if _SPACED.fullmatch(text) and len(text.split()) > 3:
        moved = shift_text("".join(text.split()), days=days, written=written, lang=lang)
        return moved and shape.pour(moved, text)
    if _NUMERIC_LOOKS.fullmatch(text) and _DIGITS.search(text):
        text = text.translate(_CONFUSED)
    form = date_forms.parse(text, lang=lang, latest=base.year + _FUTURE_YEARS)
    if form is None:
        return None
    try:
        return _shift_form(form, days, base)
    except (ValueError, OverflowError):
        return None


def replace(mention: Mention, subject: Subject) -> str:
    """Give the moved date of a mention; what is no date becomes a drawn one of its look."""
    lang = mention.lang or subject.locale
    quick = _shift_numeric(mention.text, subject.days, lang)
    if quick is not None:
        return quick
    moved = shift_text(mention.text, days=subject.days, written=mention.written, lang=lang)
    if moved is not None and fold(moved) != fold(mention.text):
        return moved
    return _draw(mention, subject)


def _shift_numeric(text: str, days: int, lang: str) -> str | None:
    """Take the short way for the commonest format of all."""
    match = _FAST.fullmatch(text)
    if match is None or lang == "en":
        return None
    day, sign, month, year = match.groups()
    try:
        moved = date(int(year), int(month), int(day)) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    if not 1800 <= int(year) < 2200:
        return None
    return f"{moved.day:02d}{sign}{moved.month:02d}{sign}{moved.year:04d}"


def _shift_form(form: Form, days: int, base: date) -> str | None:
    anchors = _anchors(form.groups, base)
    if anchors is None:
        return None
    moved = [_move(g, a, days) for g, a in zip(form.groups, anchors, strict=True)]
    rendered = date_forms.render(form, moved)
    if fold(rendered) != fold(form.text):
        return rendered
    further = 1 if days > 0 else -1
    return date_forms.render(
        form, [_move(g, a, days + further) for g, a in zip(form.groups, anchors, strict=True)]
    )


def _move(group: Group, anchor: date, days: int) -> tuple[date, int]:
    """Move a date; a month, season or year that would stay goes one further."""
    day = anchor + timedelta(days=days)
    sign = 1 if days > 0 else -1
    roles = group.roles
    if roles and "d" not in roles and _same(group, anchor, day):
        if "m" in roles:
            day = _add_months(anchor, sign)
        elif "s" in roles:
            day = _add_months(anchor, 3 * sign)
        else:
            day = _add_months(anchor, 12 * sign)
    start = group.weekday if group.weekday >= 0 else anchor.weekday()
    return day, (start + (day - anchor).days) % 7


def _same(group: Group, before: date, after: date) -> bool:
    if "m" in group.roles and before.month != after.month:
        return False
    if "s" in group.roles and (before.month - 3) % 12 // 3 != (after.month - 3) % 12 // 3:
        return False
    return "y" not in group.roles or before.year == after.year


def _add_months(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 + months
    return date(month // 12, month % 12 + 1, min(day.day, 28))


def _anchors(groups: list[Group], base: date) -> list[date] | None:
    """Complete each date from the one after it, else the one before it, else the note's."""
    found: list[date | None] = [None] * len(groups)
    for place in reversed(range(len(groups))):
        later = found[place + 1] if place + 1 < len(groups) else None
        found[place] = _anchor(groups[place], later, after=True)
    for place in range(len(groups)):
        if found[place] is None:
            earlier = found[place - 1] if place else None
            found[place] = _anchor(groups[place], earlier, after=False)
    if all(day is None for day in found):
        found[-1] = _anchor_undated(groups[-1], base)
        for place in reversed(range(len(groups) - 1)):
            found[place] = _anchor(groups[place], found[place + 1], after=True)
    complete = [
        day or _anchor_undated(group, base) for day, group in zip(found, groups, strict=True)
    ]
    return [day for day in complete if day] if all(complete) else None


def _anchor(group: Group, other: date | None, *, after: bool) -> date | None:
    """Place a date beside another one of the same text, which comes after or before it."""
    month, day = _month(group), group.day or 15
    if group.year and (month or not group.day):
        return date(group.year, month or 7, day if month else 2)
    if other is None:
        return None
    if month:
        year = group.year or other.year
        found = _clipped(year, month, day)
        if group.year or (found <= other if after else found >= other):
            return found
        return _clipped(year + (-1 if after else 1), month, day)
    if not group.day:
        return None
    near = _clipped(group.year or other.year, other.month, day)
    if group.year or (near <= other if after else near >= other):
        return near
    return _clipped(*_month_beside(other, -1 if after else 1), day)


def _anchor_undated(group: Group, base: date) -> date | None:
    month, day = _month(group), group.day or 15
    if month:
        found = _clipped(base.year, month, day)
        return found if found <= base + _AHEAD else _clipped(base.year - 1, month, day)
    if group.year and group.day:
        return None
    if group.day:
        return _clipped(base.year, base.month, day)
    return base if group.weekday >= 0 else None


def _month(group: Group) -> int:
    # The middle months of spring, summer, autumn and winter.
    return (4, 7, 10, 1)[group.season] if group.season >= 0 else group.month


def _month_beside(day: date, months: int) -> tuple[int, int]:
    month = day.year * 12 + day.month - 1 + months
    return month // 12, month % 12 + 1


def _clipped(year: int, month: int, day: int) -> date:
    while day > 28:
        try:
            return date(year, month, day)
        except ValueError:
            day -= 1
    return date(year, month, day)


def _draw(mention: Mention, subject: Subject) -> str:
    """Draw something of the look of a date for a text that is none.

    Words are not kept, since they may name somebody; numbers keep their width.
    """
    text, label, days = mention.text, mention.label, subject.days
    wordy = bool(_WORDS.search(text)) or not _DIGITS.search(text)
    for counter in range(DRAWS):
        if wordy:
            drawn = _draw_words(mention, subject, counter)
        else:
            stream = iter(subject.key.draw(label, fold(text), 4 * len(text), counter=counter))
            drawn = _DIGITS.sub(partial(_draw_number, stream=stream, days=days), text)
        if fold(drawn) != fold(text):
            return drawn
    raise Unsafe("no-surrogate")


def _draw_words(mention: Mention, subject: Subject, counter: int) -> str:
    lang = mention.lang if mention.lang in LANGUAGES else subject.locale
    months = next(style.words for style in MONTHS if style.lang == lang)
    month = months[subject.key.number(mention.label, fold(mention.text), 12, counter=counter)]
    year = _YEAR.search(mention.text)
    if year is None:
        return pour_case(mention.text, month)
    return (
        f"{month}{' de ' if lang == 'es' else ' '}{int(year[0]) + (1 if subject.days > 0 else -1)}"
    )


def _draw_number(match: re.Match[str], *, stream: Iterator[int], days: int) -> str:
    digits = match[0]
    if _YEAR.fullmatch(digits):
        return str(int(digits) + (1 if days > 0 else -1) * (1 + next(stream) % 3))
    if len(digits) <= 2 and digits.isascii():
        bound = 12 if int(digits) <= 12 else 28
        return f"{1 + (next(stream) << 8 | next(stream)) % bound:0{len(digits)}d}"[-len(digits) :]
    return "".join(str((next(stream) << 8 | next(stream)) % 10) for _ in digits)
