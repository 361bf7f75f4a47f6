"""Birth dates of tables, whole or in part, moved as written ones of the same parts are."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from record.errors import Unsafe
from surrogates.dates import dates
from surrogates.patient.date_shift import DateShift
from surrogates.tables.date_columns import Days, Mask, Moves, move_days, to_days, to_parts


@dataclass(frozen=True, slots=True)
class Birth:
    """The birth columns of an OMOP `person`; what is not known is None."""

    year: int
    month: int | None = None
    day: int | None = None


def move_whole(parts: Days, moves: Moves) -> tuple[Days, Mask]:
    """Move whole birth dates, years, months and days of [rows, 3], each as `move` does.

    Tells for which rows there is a date, before and after.
    """
    days, is_date = to_days(parts)
    moved, beyond = move_days(days, moves)
    is_date &= ~beyond
    return to_parts(np.where(is_date, moved, 0)), is_date


def move(birth: Birth, course: DateShift) -> Birth:
    """Move a birth date, whole or partial, by the course of the patient's births.

    A month or year alone moves from its middle, and by one at least. Raises Unsafe where the
    parts make no date.
    """
    if birth.month is not None and birth.day is not None:
        try:
            born = date(birth.year, birth.month, birth.day)
        except ValueError:
            raise Unsafe("no-date") from None
        moved = course.move(born)
        return Birth(moved.year, moved.month, moved.day)
    written = f"{birth.year:04d}" + (f"-{birth.month:02d}" if birth.month else "")
    text = dates.move_text(written, course, written=None, lang="fr")
    if text is None:
        raise Unsafe("no-date")
    return Birth(*map(int, text.split("-")))
