"""Shifts the birth columns of an OMOP `person`: year, month and day, each known or not."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from record.errors import Unsafe
from surrogates.dates import dates
from surrogates.patient.date_shift import DateShift
from surrogates.tables.date_columns import Days, Mask, Moves, move_days, to_days, to_parts


@dataclass(frozen=True, slots=True)
class Birth:
    """The birth columns of an OMOP `person`; unknown parts are None."""

    year: int
    month: int | None = None
    day: int | None = None


def move_whole_births(parts: Days, moves: Moves) -> tuple[Days, Mask]:
    """Shift complete birth dates: years, months and days of [rows, 3].

    Also return which rows are dates, before and after the shift.
    """
    days, is_date = to_days(parts)
    moved, beyond = move_days(days, moves)
    is_date &= ~beyond
    return to_parts(np.where(is_date, moved, 0)), is_date


def move_partial_birth(birth: Birth, shift: DateShift) -> Birth:
    """Shift a complete or partial birth date.

    A month or year alone is shifted from its middle, and by at least one. Raises Unsafe where the
    parts are not a date.
    """
    if birth.month is not None and birth.day is not None:
        try:
            born = date(birth.year, birth.month, birth.day)
        except ValueError:
            raise Unsafe("no-date") from None
        moved = shift.move(born)
        return Birth(moved.year, moved.month, moved.day)
    written = f"{birth.year:04d}" + (f"-{birth.month:02d}" if birth.month else "")
    text = dates.move_text(written, shift, written=None, lang="fr")
    if text is None:
        raise Unsafe("no-date")
    return Birth(*map(int, text.split("-")))
