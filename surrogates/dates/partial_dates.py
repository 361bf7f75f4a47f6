"""The days that dates stand for: what a partial one does not say comes from those beside it."""

from datetime import date, timedelta

from surrogates.dates.parsing import Group

# Where nothing tells when a note was written, years are completed as if it were this day.
UNDATED = date(2025, 6, 15)
# A year of two digits is the latest that lies no further ahead of the note.
FUTURE_YEARS = 10
# A day and month may lie this far after the note, such as an appointment.
_AHEAD = timedelta(days=31)


def anchors(groups: list[Group], base: date) -> list[date] | None:
    """Complete each date from the one after it, else the one before it, else `base`.

    A month stands for its 15th, a year for its 2nd of July. None where a date cannot be completed.
    """
    if len(groups) == 1:
        only = anchor(groups[0], None, after=True) or _undated(groups[0], base)
        return [only] if only else None
    found: list[date | None] = [None] * len(groups)
    for place in reversed(range(len(groups))):
        later = found[place + 1] if place + 1 < len(groups) else None
        found[place] = anchor(groups[place], later, after=True)
    for place in range(len(groups)):
        if found[place] is None:
            earlier = found[place - 1] if place else None
            found[place] = anchor(groups[place], earlier, after=False)
    if all(day is None for day in found):
        found[-1] = _undated(groups[-1], base)
        for place in reversed(range(len(groups) - 1)):
            found[place] = anchor(groups[place], found[place + 1], after=True)
    complete = [day or _undated(group, base) for day, group in zip(found, groups, strict=True)]
    return [day for day in complete if day] if all(complete) else None


def anchor(group: Group, other: date | None, *, after: bool) -> date | None:
    """Place a date beside another one, which comes after or before it; None where it cannot be."""
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


def _undated(group: Group, base: date) -> date | None:
    month, day = _month(group), group.day or 15
    if month:
        found = _clipped(base.year, month, day)
        return found if found <= base + _AHEAD else _clipped(base.year - 1, month, day)
    if group.day:
        return _clipped(group.year or base.year, base.month, day)
    return base if group.weekday >= 0 else None


def _month(group: Group) -> int:
    if group.part >= 0:
        return group.part * group.period + group.period // 2 + 1
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
