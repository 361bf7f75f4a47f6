"""Shifts complete dates with a cached layout of day, month and year for each date shape.

Most dates in notes have day, month and four-digit year (`3 mars 2024`, `12/03/2024`). They need no
context, and only two numbers and a word change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from surrogates.dates import parsing, rendering
from surrogates.dates.format_templates import LATEST, repair_digits, shape
from surrogates.dates.parsing import DateForm, Slot

_REMEMBERED = 1 << 12
_WEEK = 7


@dataclass(frozen=True, slots=True, repr=False)
class _Place:
    """The position of a part of a date in its shape.

    `words` are the alternatives for a word, each with the number of following characters that it
    replaces. `ordinal` follows an unpadded 1.
    """

    role: str
    start: int
    end: int
    width: int
    words: tuple[tuple[str, int], ...]
    ordinal: str


@dataclass(frozen=True, slots=True, repr=False)
class _Plan:
    """How complete dates of one shape are read and written.

    `month` is the position of a numeric month, else `named` is the month. `weekday` is -1 where
    there is none.
    """

    form: DateForm
    places: tuple[_Place, ...]
    year: slice
    month: slice | None
    day: slice
    named: int
    weekday: int


@dataclass(slots=True, repr=False)
class WholeDate:
    """A written date with its day, month and year of four digits."""

    text: str
    day: date
    weekday: int
    plan: _Plan

    def move(self, days: int) -> str:
        """Return the date shifted by a number of days, in the same format.

        Raises OverflowError where the result is outside the calendar.
        """
        text, day = self.text, self.day
        moved = day + timedelta(days=days)
        pieces: list[str] = []
        end = 0
        for place in self.plan.places:
            role, start = place.role, place.start
            pieces.append(text[end:start])
            end = place.end
            if role == "y":
                pieces.append(f"{moved.year:04d}")
            elif place.words:
                number = moved.month - 1 if role == "m" else (self.weekday + days) % _WEEK
                word, more = place.words[number]
                pieces.append(word)
                end += more
            elif role == "d":
                pieces.append(_render_number(text[start:end], day.day, moved.day, place))
            else:
                pieces.append(_render_number(text[start:end], day.month, moved.month, place))
        pieces.append(text[end:])
        return rendering.elide("".join(pieces), self.plan.form)


def _render_number(written: str, before: int, after: int, place: _Place) -> str:
    if before == after:
        return written
    if place.width == 2 or written[0] == "0":
        return f"{after:02d}"
    return f"{after}{place.ordinal}" if after == 1 else str(after)


@lru_cache(_REMEMBERED)
def read_whole_date(text: str, lang: str, day_first: bool | None) -> WholeDate | None:
    """Read a date with day, month and four-digit year that needs no OCR repair.

    None for other text, or where the shape does not determine how it is read and written.
    """
    like = shape(text)
    plan = _make_plan(like, lang, None) if like else None
    if plan is None or repair_digits(text) != text:
        return None
    if plan.month and day_first is not None:
        plan = _make_plan(like, lang, day_first) or plan
    month = int(text[plan.month]) if plan.month else plan.named
    try:
        day = date(int(text[plan.year]), month, int(text[plan.day]))
    except ValueError:
        return None
    return WholeDate(text, day, day.weekday() if plan.weekday < 0 else plan.weekday, plan)


@lru_cache(_REMEMBERED)
def _make_plan(like: str, lang: str, day_first: bool | None) -> _Plan | None:
    form = parsing.parse(like, lang=lang, latest=LATEST, day_first=day_first)
    if form is None or len(form.groups) != 1:
        return None
    slots = {slot.role: slot for slot in form.groups[0].slots}
    if len(slots) != len(form.groups[0].slots) or not _is_whole(slots):
        return None
    at = {role: slice(slot.token.start, slot.token.end) for role, slot in slots.items()}
    month = slots["m"].token
    return _Plan(
        form,
        tuple(
            _make_place(slot, form)
            for slot in sorted(slots.values(), key=lambda slot: slot.token.start)
        ),
        year=at["y"],
        month=at["m"] if month.kind == "n" else None,
        day=at["d"],
        named=month.value + 1,
        weekday=slots["w"].token.value if "w" in slots else -1,
    )


def _is_whole(slots: Mapping[str, Slot]) -> bool:
    if not {"d", "m", "y"} <= slots.keys() <= set("dmyw"):
        return False
    tokens = [slot.token for slot in slots.values()]
    plain = not any(token.suffix or token.spelt for token in tokens)
    return plain and slots["y"].token.kind == "Y"


def _make_place(slot: Slot, form: DateForm) -> _Place:
    token = slot.token
    words: tuple[tuple[str, int], ...] = ()
    if token.style is not None:
        written = [rendering.word(token, each) for each in range(len(token.style.words))]
        is_month = token.kind == "m"
        words = tuple(
            (each, int(is_month and rendering.is_dot_spent(token, each, form.text)))
            for each in written
        )
    ordinal = rendering.ordinal(slot, 1, form) if slot.role == "d" else ""
    return _Place(slot.role, token.start, token.end, slot.width, words, ordinal)
