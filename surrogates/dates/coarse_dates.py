"""Renders a written date without the parts that a policy does not release: `February 1960`."""

from datetime import date

from surrogates.dates import rendering
from surrogates.dates.parsing import DateForm, Group, Slot
from surrogates.dates.words import MONTHS
from surrogates.patient.date_shift import Precision
from surrogates.patient.text_normalization import HAS_CONTENT

_KEPT = {"month": "mysq", "year": "y"}


def render(form: DateForm, moved: tuple[date, int], precision: Precision) -> str | None:
    """Render a date with month and year, or the year, in the form and language of the text.

    Words before the first part that stays, and a time after the last one, are not written. A year
    of two digits gets four, which are no day. A day and month in digits become the name of the
    month. None where no part is dropped, or where none would be left.
    """
    if precision == "day" or len(form.groups) != 1:
        return None
    group = form.groups[0]
    slots = sorted(group.slots, key=lambda slot: slot.token.start)
    kept = [slot for slot in slots if slot.role in _KEPT[precision]]
    if not kept or len(kept) == len(slots):
        return None
    if len(kept) == 1 and kept[0].role == "m" and kept[0].token.kind != "m":
        return _name_month(form, moved[0])
    text, last = form.text, kept[-1]
    start = text[: kept[0].token.start] if kept[0] is slots[0] else ""
    end = text[last.token.end :] if last is slots[-1] else ""
    pieces = [start]
    for place, slot in enumerate(kept):
        written = _render_part(slot, group, moved, form)
        pieces.append(written)
        if place + 1 < len(kept):
            pieces.append(_gap(form, slots, slot, written))
    pieces.append("" if HAS_CONTENT.search(end) else end)
    return rendering.elide("".join(pieces), form)


def _render_part(slot: Slot, group: Group, moved: tuple[date, int], form: DateForm) -> str:
    if slot.role == "y" and slot.token.kind != "Y" and not slot.token.spelt:
        return f"{moved[0].year:04d}"
    return rendering.render_slot(slot, group, *moved, form)


def _gap(form: DateForm, slots: list[Slot], slot: Slot, written: str) -> str:
    """Return what separates a part that stays from the next one that does."""
    following = slots[slots.index(slot) + 1]
    start = slot.token.end + rendering.is_dot_spent(slot.token, written, form.text)
    gap = form.text[start : following.token.start]
    if gap:
        return gap.replace(",", "") or " "
    if slot.token.kind == "m" or following.token.kind == "m":
        return ""
    # Digits without signs between them: `021960` would read as another date.
    return "-" if slot.role == "y" else "/"


def _name_month(form: DateForm, day: date) -> str:
    styles = [style for style in MONTHS if style.lang == form.lang and not style.short]
    return (styles or MONTHS)[0].words[day.month - 1]
