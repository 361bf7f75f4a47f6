"""Birth dates of tables, whole or in part, moved as written ones of the same parts are."""

from dataclasses import dataclass
from datetime import date

from record.errors import Unsafe
from surrogates import dates
from surrogates.date_course import Course


@dataclass(frozen=True, slots=True)
class Birth:
    """The birth columns of an OMOP `person`; what is not known is None."""

    year: int
    month: int | None = None
    day: int | None = None


def move(birth: Birth, course: Course) -> Birth:
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
