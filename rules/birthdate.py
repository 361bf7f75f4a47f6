"""A known day of birth in a text, in digits or words, in French, English and Spanish."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

# Folded names and abbreviations of the months, January first.
_MONTHS = (
    "janvier janv jan january enero ene",
    "fevrier fevr fev february febr feb febrero",
    "mars mar march marzo mzo",
    "avril avr april apr abril abr",
    "mai may mayo",
    "juin june jun junio",
    "juillet juill juil jul july julio",
    "aout aou august aug agosto ago",
    "septembre sept sep september septiembre setiembre set",
    "octobre oct october octubre",
    "novembre nov november noviembre",
    "decembre dec december diciembre dic",
)
_STEMS = tuple(frozenset(name[:3] for name in names.split()) for names in _MONTHS)
_SEP = r"[ ]{0,2}[/.\-|,\\_ ][ ]{0,2}"
_NUMERIC = re.compile(
    rf"(?<![0-9])(?=(?P<a>[0-9]{{1,4}})(?P<gap>{_SEP})(?P<b>[0-9]{{1,2}}){_SEP}(?P<c>[0-9]{{2,4}})"
    r"(?![0-9]))"
)
_DAY = r"(?P<{0}>[0-9]{{1,2}})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?"
_JOIN = r"[\s,.\-/_]{0,3}(?:(?:de|del|of|du|d'|the)[\s]{1,2})?"
# No writing of a date puts more than this between its ends and its year.
_REACH = 36
_YEAR = r"'?(?P<{0}>[0-9]{{2,4}})(?![0-9])"


class Birthday:
    """One day of birth, ready to be looked for."""

    __slots__ = ("_day",)

    def __init__(self, day: date) -> None:
        self._day = day

    def find(self, folded: str, lang: str) -> Iterator[tuple[int, int]]:
        """Yield where the day stands, as offsets of the folded text.

        `lang` decides whether the month may come first (`en`, or unknown).
        """
        yield from self._glued(folded, lang)
        found: set[tuple[int, int]] = set()
        year = f"{self._day.year % 100:02d}"
        at = folded.find(year)
        while at >= 0:
            # However it is written, the last two digits of the year are there.
            found.update(self._near(folded, at, lang))
            at = folded.find(year, at + 1)
        yield from sorted(found)

    def _near(self, folded: str, at: int, lang: str) -> Iterator[tuple[int, int]]:
        first = max(0, at - _REACH)
        window = folded[first : at + _REACH]
        for start, end in self._numeric(window, lang):
            yield first + start, first + end
        if any(stem in window for stem in _STEMS[self._day.month - 1]):
            for start, end in self._textual(window):
                yield first + start, first + end

    def _numeric(self, folded: str, lang: str) -> Iterator[tuple[int, int]]:
        for found in _NUMERIC.finditer(folded):
            a, b, c = found["a"], found["b"], found["c"]
            # Small numbers with blanks between them are values, unless all are written out.
            if found["gap"].isspace() and len(a + b + c) < 6:
                continue
            if self._is(a, b, c, lang):
                yield found.start("a"), found.end("c")

    def _is(self, a: str, b: str, c: str, lang: str) -> bool:
        born = self._day
        if len(a) == 4 and int(a) == born.year and len(c) == 2:
            return (int(b), int(c)) == (born.month, born.day)
        if len(a) > 2 or not self._year(c):
            return False
        day_first = (int(a), int(b)) == (born.day, born.month)
        return day_first or (lang in ("en", "") and (int(a), int(b)) == (born.month, born.day))

    def _year(self, digits: str) -> bool:
        year = self._day.year
        return int(digits) == (year if len(digits) == 4 else year % 100) and len(digits) != 3

    def _glued(self, folded: str, lang: str) -> Iterator[tuple[int, int]]:
        formats = [
            "%d%m%Y",
            "%Y%m%d",
            "%d%m%y",
            *(["%m%d%Y", "%m%d%y"] if lang in ("en", "") else []),
        ]
        for form in {_render(self._day, format) for format in formats}:
            if form in folded:
                for found in re.finditer(rf"(?<![0-9]){form}(?![0-9])", folded):
                    yield found.span()
            spaced = " ".join(form)
            if len(form) == 8 and spaced in folded:
                for found in re.finditer(rf"(?<![0-9])(?<![0-9] ){spaced}(?! ?[0-9])", folded):
                    yield found.span()

    def _textual(self, folded: str) -> Iterator[tuple[int, int]]:
        for found in _textual(self._day.month).finditer(folded):
            day = found["day"] or found["day2"] or found["day3"]
            year = found["year"] or found["year2"] or found["year3"]
            number = 1 if day == "premier" else int(day)
            if number == self._day.day and self._year(year):
                yield found.span()


def _render(day: date, format: str) -> str:
    # `%Y` of strftime does not pad on every platform.
    return (
        format.replace("%Y", f"{day.year:04d}").replace("%y", f"{day.year % 100:02d}")
        .replace("%m", f"{day.month:02d}").replace("%d", f"{day.day:02d}")
    )  # fmt: skip


@cache
def _textual(month: int) -> re.Pattern[str]:
    names = "|".join(sorted(_MONTHS[month - 1].split(), key=len, reverse=True))
    name = rf"(?:{names})(?![a-z])"
    day_word = r"(?:(?P<day>premier|[0-9]{1,2})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?)"
    return re.compile(
        rf"(?<![0-9]){day_word}{_JOIN}{name}{_JOIN}{_YEAR.format('year')}"
        rf"|(?<![a-z]){name}{_JOIN}{_DAY.format('day2')}{_JOIN}{_YEAR.format('year2')}"
        rf"|(?<![0-9])(?P<year3>[0-9]{{4}}){_JOIN}{name}{_JOIN}{_DAY.format('day3')}(?![0-9])"
    )
