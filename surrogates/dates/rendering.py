"""Renders a parsed date form for other days."""

import re
from datetime import date

from surrogates.dates.number_words import ROMAN, spell
from surrogates.dates.parsing import DateForm, Group, Slot
from surrogates.dates.tokens import DateToken
from surrogates.dates.words import AGREEING, MONTH_INDEX, ROMAN_MONTHS
from surrogates.patient.text_normalization import fold, unaccented


def render(form: DateForm, days: list[tuple[date, int]], *, repeats_month: bool = False) -> str:
    """Render a form for other days, each with a weekday (0 is Monday), one for each group.

    Parts that do not change are kept as written. With `repeats_month` the month goes before a day
    that is in another one than the day before it: `March 30-April 1` for `April 3-5`.
    """
    filled = [
        (slot, render_slot(slot, group, day, weekday, form))
        for group, (day, weekday) in zip(form.groups, days, strict=True)
        for slot in group.slots
    ]
    spent: frozenset[int] = frozenset()
    if repeats_month and len(days) > 1:
        filled, spent = _repeat_months(form, days, filled)
    filled.sort(key=lambda each: each[0].token.start)
    pieces: list[str] = []
    end = 0
    for slot, written in filled:
        token = slot.token
        pieces += (form.text[end : token.start], written)
        is_spent = token.kind == "m" and is_dot_spent(token, written, form.text)
        end = token.end + (is_spent or token.start in spent)
    return elide("".join((*pieces, form.text[end:])), form)


def _repeat_months(
    form: DateForm, days: list[tuple[date, int]], filled: list[tuple[Slot, str]]
) -> tuple[list[tuple[Slot, str]], frozenset[int]]:
    """Put a month beside each day that has none, and no longer is in that of the day beside it.

    That is the day before it, or for the first one the day after it: `28 mars au 3 avril` for
    `2 au 8 avril`. Returns also where the days start whose full stop is written before the month.
    """
    spent: set[int] = set()
    written = {slot.token.start: text for slot, text in filled}
    month: Slot | None = None
    for place, (group, (day, _)) in enumerate(zip(form.groups, days, strict=True)):
        for slot in group.slots:
            if slot.role == "m":
                month = slot if slot.token.kind == "m" else None
        is_bare = "d" in group.roles and "m" not in group.roles
        if not is_bare:
            continue
        first = next(slot for slot in group.slots if slot.role == "d")
        if not place and days[1][0].month != day.month:
            behind = _month_behind(form, day)
            written[first.token.start] += behind
            if behind.startswith("."):
                spent.add(first.token.start)
        if not (month and place) or days[place - 1][0].month == day.month:
            continue
        written[first.token.start] = (
            f"{word(month.token, day.month - 1)} " + written[first.token.start]
        )
    return [(slot, written[slot.token.start]) for slot, _ in filled], frozenset(spent)


def _month_behind(form: DateForm, day: date) -> str:
    """Return the month as it stands behind the day of the second date; nothing where it does not.

    What stands between both comes with it: ` de `, or a full stop where the first day has one too.
    """
    slots = {slot.role: slot.token for slot in form.groups[1].slots}
    second, month = slots.get("d"), slots.get("m")
    if not second or not month or month.kind != "m":
        return ""
    first = next(slot.token for slot in form.groups[0].slots if slot.role == "d")
    gap = form.text[second.end : month.start]
    has_stop = form.text[first.end : first.end + 1] == "."
    if gap not in (" ", " de ", ". ") or has_stop != gap.startswith("."):
        return ""
    return f"{gap}{word(month, day.month - 1)}"


def is_dot_spent(token: DateToken, written: str, text: str) -> bool:
    """Return whether an abbreviation's dot is dropped because the new month is in full."""
    if token.glued or text[token.end : token.end + 2] != ". ":
        return False
    langs = {style.lang for style, _ in MONTH_INDEX.get(fold(written), ()) if not style.short}
    return written != token.text and token.style is not None and token.style.lang in langs


def render_slot(slot: Slot, group: Group, day: date, weekday: int, form: DateForm) -> str:
    """Render one part of a date for another day and weekday."""
    token = slot.token
    if slot.role == "w":
        return word(token, weekday)
    if slot.role == "s":
        return word(token, (day.month - 3) % 12 // 3)
    if slot.role == "q":
        part = (day.month - 1) // group.period
        return word(token, part) if token.style else f"{part + 1}" + ordinal(slot, part + 1, form)
    if slot.role == "m" and token.kind == "m":
        return word(token, day.month - 1)
    number = day.day if slot.role == "d" else day.month if slot.role == "m" else day.year
    if number == token.value or (slot.role == "y" and number == group.year):
        return form.text[token.start : token.end]
    if token.spelt:
        return _render_spelt(token, number, form)
    if slot.role == "y":
        return f"{number:04d}" if token.kind == "Y" else f"{number % 100:02d}"
    return f"{number:0{slot.width}d}" + ordinal(slot, number, form)


def word(token: DateToken, number: int) -> str:
    """Render a month, weekday, season or rank in the style and case of a word."""
    assert token.style is not None
    if number == token.value:
        return token.text
    proper = token.style.words[number]
    if token.style is ROMAN_MONTHS:
        return proper if token.text.isupper() else proper.lower()
    capitals = token.text.isupper() and len(token.text) > 1
    bare = unaccented(token.style.words[token.value]) != token.style.words[token.value]
    # German capitals keep their dots, where others may drop their accents.
    if token.text.isascii() and (bare or (capitals and token.style.lang != "de")):
        proper = unaccented(proper)
    if capitals:
        return proper.upper()
    return proper.lower() if token.text.islower() else proper[:1].upper() + proper[1:].lower()


def _render_spelt(token: DateToken, number: int, form: DateForm) -> str:
    if token.spelt == ROMAN:
        written = spell(number, ROMAN)
        return written.lower() if token.text.islower() else written
    two_digits = token.kind == "n" and number > 31
    words = spell(number % 100 if two_digits else number, token.spelt)
    if token.spelt == "fr" and number == 1 and token.kind == "n":
        words = "premier"
    # Whether a number in words has blanks instead of hyphens: `vingt quatre`
    if "-" not in form.text and any(
        "-" in spell(token.value, token.spelt)
        for token in (slot.token for group in form.groups for slot in group.slots)
        if token.spelt
    ):
        words = words.replace("-", " ")
    if token.text.isascii() and token.spelt[:2] == "de":
        words = words.replace("ß", "ss")
    if token.text.isupper():
        return unaccented(words).upper()
    return words if token.text[:1].islower() else words[:1].upper() + words[1:]


def ordinal(slot: Slot, number: int, form: DateForm) -> str:
    """Return the ordinal ending of a number: `er`, `th`, `º`; most have none."""
    if not slot.token.suffix and number != 1 and slot.role != "q":
        return ""
    suffix = fold(slot.token.suffix).strip(" .")
    capitals = slot.token.suffix.isupper() if suffix else form.text.isupper()
    ending = ""
    if suffix in AGREEING:
        ending = AGREEING[suffix](number)
    elif slot.role == "q":
        # The ordinal ending of a quarter, which in French differs for the first
        french = suffix in ("er", "e", "ere", "eme") and "mestre" in fold(form.text)
        if french and (number == 1 or suffix in ("er", "ere")):
            ending = "er" if number == 1 else "e"
        else:
            ending = slot.token.suffix
    elif suffix and suffix != "er":
        kept = number == 1 or slot.token.value != 1 or _has_month_in(form, "nl")
        ending = slot.token.suffix if kept else ""
    elif (
        number == 1
        and slot.width == 0
        and slot.role == "d"
        and (suffix or _has_month_in(form, "fr"))
    ):
        ending = "er"
    return ending.upper() if capitals else ending


def _has_month_in(form: DateForm, lang: str) -> bool:
    """Return whether the form has a full month name of a language; `1er` needs a French one."""
    if lang == "nl" and form.lang == "nl":
        return True
    return any(
        token.kind == "m" and token.style and token.style.lang == lang and not token.glued
        for token in (slot.token for group in form.groups for slot in group.slots)
    )


_ELIDED = re.compile(r"\b([dD])['’](?=[^\W\d_])(?![aeiouyhéAEIOUYHÉ])")
_UNELIDED = re.compile(r"\b([dD])[eE] (?=(?:avril|ao[uû]t|octobre|automne|été)\b)", re.IGNORECASE)


def elide(written: str, form: DateForm) -> str:
    """Correct a French `de` or `d'` before a changed month."""
    if form.lang != "fr" or ("d" not in form.text and "D" not in form.text):
        return written
    return _UNELIDED.sub(r"\1'", _ELIDED.sub(r"\1e ", written))
