"""Shifts date and timestamp columns in Arrow by the days of each row's patient."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from surrogates.dates.clocks import Times
from surrogates.patient.date_shift import PLACEHOLDERS, Precision

Days = NDArray[np.int64]
Mask = NDArray[np.bool_]
Order = Callable[[Days, Days, Mask], Days]
"""Maps days since 1970 and minutes of them to seconds of the day, where the mask is set."""

EPOCH = date(1970, 1, 1).toordinal()
"""The ordinal of the day 0 of a column."""
_PLACEHOLDERS = np.array(sorted(day.toordinal() - EPOCH for day in PLACEHOLDERS), np.int64)
_FIRST, _LAST = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH
_TICKS = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_UNITS = {"month": "datetime64[M]", "year": "datetime64[Y]"}
_DAY = 10  # characters of 2024-05-20
_HOURS, _MINUTES, _SECONDS = 24, 1440, 86_400
_TIME = r"[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?"
_ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)"
_FORM = rf"^\d{{4}}-\d{{2}}-\d{{2}}({_TIME}({_ZONE})?)?$"
_WRITTEN = re.compile(_FORM, re.ASCII)


@dataclass(frozen=True, slots=True)
class Moves:
    """The shift of each row: arrays of [rows].

    As in `DateShift`, a truncated date that would be unchanged moves by a unit, as `nudge` says.
    `order` maps times of day under `times = "order"`. A truncated date is midnight. Placeholders
    are kept unless they are births (`are_births`).
    """

    days: Days
    nudge: Days
    precision: Precision
    times: Times = "exact"
    order: Order | None = None
    are_births: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """A shifted column, and the rows with unreadable dates and with dates outside the calendar."""

    values: pa.Array
    malformed: Mask
    beyond: Mask


def move(column: pa.Array, moves: Moves, *, is_date: bool) -> Moved:
    """Shift a column of dates, timestamps, or their ISO 8601 text; the type is kept.

    Empty values and blank text are empty. Text in a date column (`is_date`) is returned without
    its time.
    """
    kind = column.type
    if pa.types.is_date32(kind) or pa.types.is_date64(kind):
        values, beyond = _move_dates(column.cast(pa.date32()), moves)
        return Moved(values.cast(kind), _no_rows(column), beyond)
    if pa.types.is_timestamp(kind):
        values, beyond = _move_moments(column, moves)
        return Moved(values, _no_rows(column), beyond)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _move_text(column.cast(pa.string()), moves, is_date=is_date)
    # Numbers are never dates.
    return Moved(pa.nulls(len(column), kind), column.is_valid().to_numpy(False), _no_rows(column))


def move_days(days: Days, moves: Moves) -> tuple[Days, Mask]:
    """Shift days since 1970; also return which leave the calendar 0001-01-01 to 9999-12-31.

    Placeholders are kept (see `PLACEHOLDERS`), but for births.
    """
    is_kept = np.isin(days, [] if moves.are_births else _PLACEHOLDERS)
    moved = np.where(is_kept, days, days + moves.days)
    beyond = (moved < _FIRST) | (moved > _LAST)
    if moves.precision == "day":
        return moved, beyond
    unit = _UNITS[moves.precision]
    units = np.where(beyond, 0, moved).astype("datetime64[D]").astype(unit).astype(np.int64)
    # An unchanged date moves by one further unit.
    units += moves.nudge * (_first_days(units, unit) == days)
    moved = np.where(is_kept, days, _first_days(units, unit))
    return moved, beyond | (moved < _FIRST) | (moved > _LAST)


def to_days(parts: Days) -> tuple[Days, Mask]:
    """Convert years, months and days of [rows, 3] to days since 1970.

    Also return which are dates of the calendar; the others are 0.
    """
    is_date: Mask = np.all((parts >= (1, 1, 1)) & (parts <= (date.max.year, 12, 31)), axis=1)
    year, month, day = np.where(is_date[:, None], parts, 1).T
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    is_date &= days.astype("datetime64[M]") == months
    return np.where(is_date, days.astype(np.int64), 0), is_date


def to_parts(days: Days) -> Days:
    """Convert days since 1970 to years, months and days of [rows, 3]."""
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    year, month = np.divmod(months.astype(np.int64), 12)
    return np.stack([year + 1970, month + 1, (dates - months).astype(np.int64) + 1], axis=1)


def _first_days(units: Days, unit: str) -> Days:
    found: Days = units.astype(unit).astype("datetime64[D]").astype(np.int64)
    return found


def _move_dates(column: pa.Array, moves: Moves) -> tuple[pa.Array, Mask]:
    present = column.is_valid().to_numpy(False)
    days = column.cast(pa.int32()).fill_null(0).to_numpy(False).astype(np.int64)
    moved, beyond = move_days(days, moves)
    beyond &= present
    kept = np.where(present & ~beyond, moved, 0).astype(np.int32)
    return pa.array(kept, mask=~present | beyond).cast(pa.date32()), beyond


def _move_moments(column: pa.Array, moves: Moves) -> tuple[pa.Array, Mask]:
    """Shift in local time, so that the time of day is kept in every time zone."""
    kind = column.type
    local = pc.local_timestamp(column) if kind.tz else column
    present = local.is_valid().to_numpy(False)
    ticks = local.cast(pa.int64()).fill_null(0).to_numpy(False)
    per_day = _TICKS[kind.unit]
    days, rest = np.divmod(ticks, per_day)
    moved, beyond = move_days(days, moves)
    widest = np.iinfo(np.int64).max // per_day - 1
    beyond = (beyond | (np.abs(moved) > widest)) & present
    rest = _move_clock(days, rest, per_day, present & ~beyond, moves)
    kept = np.where(present & ~beyond, moved * per_day + rest, 0)
    values = pa.array(kept, mask=~present | beyond).cast(pa.timestamp(kind.unit))
    if kind.tz:
        values = pc.assume_timezone(values, kind.tz, ambiguous="earliest", nonexistent="latest")
    return values, beyond


def _move_clock(days: Days, rest: Days, per_day: int, present: Mask, moves: Moves) -> Days:
    """Return the ticks since midnight that the policy leaves of those of the original days."""
    if moves.precision != "day" or moves.times == "midnight":
        return np.zeros_like(rest)
    if moves.times == "hour":
        per_hour = per_day // _HOURS
        return rest // per_hour * per_hour
    if moves.order is not None:
        return moves.order(days, rest // (per_day // _MINUTES), present) * (per_day // _SECONDS)
    return rest


def _move_text(column: pa.Array, moves: Moves, *, is_date: bool) -> Moved:
    tidy, malformed = _normalize_text(column)
    head = pc.utf8_slice_codeunits(tidy, 0, _DAY)
    values, beyond = _move_dates(head.cast(pa.date32()), moves)
    text = values.cast(pa.string())
    if not is_date:
        if moves.precision != "day" or moves.times == "midnight":
            rest = _write_midnight(tidy)
        else:
            rest = pc.utf8_slice_codeunits(tidy, _DAY)
        if moves.precision == "day" and moves.times in ("hour", "order"):
            rest = _move_written_clock(head, rest, moves)
        text = pc.binary_join_element_wise(text, rest, "")
    return Moved(text.cast(column.type), malformed, beyond)


def _write_midnight(tidy: pa.Array) -> pa.Array:
    """Return midnight in the form of each time, without fractions of a second and time zone."""
    # The sign before the time, and the one before its seconds.
    signs = pc.utf8_slice_codeunits(tidy, _DAY, _DAY + 7, 6).dictionary_encode()
    midnights = [
        each and each[0] + ("00:00:00" if each[1:] == ":" else "00:00")
        for each in signs.dictionary.to_pylist()
    ]
    return pa.array(midnights, pa.string()).take(signs.indices)


def _move_written_clock(head: pa.Array, rest: pa.Array, moves: Moves) -> pa.Array:
    """Move written times to their hour or in their order, without fractions and time zone."""
    has_clock = pc.fill_null(pc.greater(pc.utf8_length(rest), 0), False)
    clocks = pc.if_else(has_clock, rest, "T00:00")
    hours, minutes = (
        pc.utf8_slice_codeunits(clocks, start, start + 2).cast(pa.int64()).to_numpy(False)
        for start in (1, 4)
    )
    minutes = np.minimum(hours * (_MINUTES // _HOURS) + minutes, _MINUTES - 1)
    days = head.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy(False).astype(np.int64)
    seconds = _move_clock(
        days, minutes * (_SECONDS // _MINUTES), _SECONDS, has_clock.to_numpy(False), moves
    )
    written = pa.array(seconds.astype(np.int32)).cast(pa.time32("s")).cast(pa.string())
    has_seconds = pc.equal(pc.utf8_slice_codeunits(clocks, 6, 7), ":")
    written = pc.if_else(has_seconds, written, pc.utf8_slice_codeunits(written, 0, 5))
    sign = pc.utf8_slice_codeunits(clocks, 0, 1)
    return pc.if_else(has_clock, pc.binary_join_element_wise(sign, written, ""), rest)


def _normalize_text(column: pa.Array) -> tuple[pa.Array, Mask]:
    """Return ISO 8601 text that starts with a valid date and has at most a time.

    Other formats are converted; unreadable text becomes empty and is marked as malformed.
    """
    trimmed = pc.utf8_trim_whitespace(column)
    trimmed = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
    is_plain = pc.fill_null(pc.match_substring_regex(trimmed, _FORM), True)
    if pc.all(is_plain).as_py() is not False:
        try:
            pc.utf8_slice_codeunits(trimmed, 0, _DAY).cast(pa.date32())
        except pa.ArrowInvalid:
            pass
        else:
            return trimmed, _no_rows(column)
    encoded = trimmed.dictionary_encode()
    again = pa.array([_reformat(text) for text in encoded.dictionary.to_pylist()], pa.string())
    tidy = again.take(encoded.indices)
    malformed = trimmed.is_valid().to_numpy(False) & tidy.is_null().to_numpy(False)
    return tidy, malformed


def _reformat(text: str) -> str | None:
    is_plain = _WRITTEN.match(text)
    try:
        found = datetime.fromisoformat(text[:_DAY] if is_plain else text)
    except ValueError:
        return None
    if is_plain:
        return text
    return found.date().isoformat() if len(text) <= _DAY else found.isoformat(" ")


def _no_rows(column: pa.Array) -> Mask:
    return np.zeros(len(column), np.bool_)
