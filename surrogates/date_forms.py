"""What a written date means, and how the same form is written for another day."""

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import pairwise

from record.folding import fold
from surrogates.date_tokens import Token, tokens
from surrogates.date_words import RANGE_WORDS, spell
from surrogates.subject import unaccented

_LONGEST = 120
_RANGE = re.compile(r"[^\W\d_]+")
# The readings of a chunk of tokens: for each signature, what each token may be, best first.
# `d` day, `m` month, `y` year, `s` season; a comma parts the dates of one chunk.
_READINGS = {
    "Ynn": ("ymd", "ydm"),
    "nnY": ("dmy", "mdy"),
    "nnn": ("dmy", "mdy", "ymd"),
    "nmY": ("dmy",),
    "nmn": ("dmy", "ymd"),
    "mnY": ("mdy",),
    "mnn": ("mdy",),
    "Ymn": ("ymd",),
    "nm": ("dm",),
    "mY": ("my",),
    "Ym": ("ym",),
    "mn": ("my", "md"),
    "nY": ("my", "dy"),
    "Yn": ("ym",),
    "nn": ("dm", "md", "my"),
    "m": ("m",),
    "Y": ("y",),
    "n": ("d", "y"),
    "s": ("s",),
    "sY": ("sy",),
    "Ys": ("ys",),
    "sn": ("sy",),
    "nnnY": ("d,dmy",),
    "nnmY": ("d,dmy",),
    "nnmn": ("d,dmy",),
    "nnm": ("d,dm",),
    "nnnm": ("d,d,dm",),
    "nnnmY": ("d,d,dmy",),
    "mnnY": ("md,dy",),
    "nnnn": ("dm,dm", "md,md"),
    "nnnnY": ("dm,dmy", "md,mdy"),
    "nmnm": ("dm,dm",),
    "nmnmY": ("dm,dmy",),
    "mnmnY": ("md,mdy",),
    "mm": ("m,m",),
    "mmY": ("m,my",),
    "": ("",),
}
_MONTH_FIRST = {
    "nnY": ("mdy", "dmy"),
    "nnn": ("mdy", "dmy", "ymd"),
    "nn": ("md", "dm", "my"),
    "mn": ("md", "my"),
    "nnnn": ("md,md", "dm,dm"),
    "nnnnY": ("md,mdy", "dm,dmy"),
    "nnnY": ("md,dy", "d,dmy"),
}
_RUNS = {"8": ("dmy", "ymd", "mdy"), "6": ("dmy", "ymd", "mdy")}
_MONTH_FIRST_RUNS = {"8": ("mdy", "dmy", "ymd"), "6": ("mdy", "dmy", "ymd")}


@dataclass(slots=True)
class Slot:
    """A place in the form that a number or word of the date fills. `width` 0 means unpadded."""

    role: str
    token: Token
    width: int = 0


@dataclass(slots=True)
class Group:
    """One date, whole or partial, of a written form, as far as it says."""

    day: int = 0
    month: int = 0
    year: int = 0
    weekday: int = -1
    season: int = -1
    slots: list[Slot] = field(default_factory=list)

    @property
    def roles(self) -> str:
        """The roles that are written, such as `dmy`; weekdays left out."""
        return "".join(slot.role for slot in self.slots if slot.role != "w")


@dataclass(slots=True)
class Form:
    """A written date: the dates it holds, and the text around their slots."""

    text: str
    lang: str
    groups: list[Group]


# Notes repeat their dates; a form is never changed once it is read.
@lru_cache(maxsize=8192)
def parse(text: str, *, lang: str, latest: int) -> Form | None:
    """Read a written date; None where it is none.

    `latest` is the last year that a two-digit year can mean. Days may be missing or, where the
    year is not written, fit a leap year only.
    """
    if len(text) > _LONGEST:
        return None
    found = tokens(text, lang)
    if not found:
        return None
    groups: list[Group] = []
    for chunk in _chunks(text, found):
        read = _read(text, chunk, lang, latest)
        if read is None:
            return None
        groups += read
    if not groups:
        return None
    _pad(groups)
    return Form(text, lang, groups)


def render(form: Form, days: list[tuple[date, int]]) -> str:
    """Write the form for other days, one with its weekday (0 is Monday) for each group."""
    filled = [
        (slot, _fill(slot, day, weekday, form))
        for group, (day, weekday) in zip(form.groups, days, strict=True)
        for slot in group.slots
    ]
    filled.sort(key=lambda each: each[0].token.start)
    pieces: list[str] = []
    end = 0
    for slot, written in filled:
        pieces += (form.text[end : slot.token.start], written)
        end = slot.token.end
    return _elide("".join((*pieces, form.text[end:])), form)


def _chunks(text: str, found: list[Token]) -> list[list[Token]]:
    """Part the tokens where a word such as `au`, `and`, `al` stands between them."""
    chunks = [[found[0]]]
    for before, token in pairwise(found):
        between = _RANGE.findall(fold(text[before.end : token.start]))
        if any(word in RANGE_WORDS for word in between):
            chunks.append([])
        chunks[-1].append(token)
    return chunks


def _read(text: str, chunk: list[Token], lang: str, latest: int) -> list[Group] | None:
    weekdays = [token for token in chunk if token.kind == "w"]
    others = [token for token in chunk if token.kind != "w"]
    signature = "".join(token.kind for token in others)
    if len(weekdays) <= 1:
        groups = _read_signature(text, others, signature, lang, latest)
        if groups:
            return _with_weekday(groups, weekdays)
    for cut in _cuts(text, chunk):
        head = _read(text, chunk[:cut], lang, latest)
        tail = _read(text, chunk[cut:], lang, latest) if head else None
        if head and tail:
            return head + tail
    return None


def _cuts(text: str, chunk: list[Token]) -> list[int]:
    """Rank the places where a chunk may hold two dates: after a comma, at a dash, in the middle."""
    ranked = []
    for cut in range(1, len(chunk)):
        between = fold(text[chunk[cut - 1].end : chunk[cut].start])
        signs = [rank for rank, sign in enumerate(",;&-/") if sign in between]
        if signs:
            ranked.append((min(signs), abs(2 * cut - len(chunk)), cut))
    return [cut for _, _, cut in sorted(ranked)]


def _read_signature(
    text: str, found: list[Token], signature: str, lang: str, latest: int
) -> list[Group] | None:
    if signature in _RUNS:
        return _read_run(found[0], lang, latest)
    readings = _READINGS.get(signature, ())
    if lang == "en" and signature in _MONTH_FIRST:
        readings = _MONTH_FIRST[signature]
    readings = _reconsider(text, found, signature, readings)
    for reading in readings:
        groups = _assign(reading, found, latest)
        if groups is not None:
            return groups
    return None


def _reconsider(
    text: str, found: list[Token], signature: str, readings: tuple[str, ...]
) -> tuple[str, ...]:
    """Let what stands between two tokens decide where their kinds alone do not."""
    if len(found) != 2:
        return readings
    between = text[found[0].end : found[1].start]
    if signature == "mn" and ("'" in fold(between) or "-" in between or found[0].glued):
        return ("my", "md")
    if signature == "mn" and (len(found[1].text) == 1 or found[1].suffix):
        return ("md",)
    if signature == "nY" and "," in between:
        return ("dy",)
    if signature == "nn" and "," in between:
        return ("d,d",)
    return readings


def _read_run(token: Token, lang: str, latest: int) -> list[Group] | None:
    orders = (_MONTH_FIRST_RUNS if lang == "en" else _RUNS)[token.kind]
    wide = 4 if token.kind == "8" else 2
    for order in orders:
        parts, at = [], token.start
        for role in order:
            width = wide if role == "y" else 2
            digits = token.text[at - token.start : at - token.start + width]
            kind = "Y" if width == 4 else "n"
            parts.append(Token(kind, at, at + width, int(digits), digits))
            at += width
        groups = _assign(order, parts, latest)
        if groups is not None:
            for slot in groups[0].slots:
                slot.width = len(slot.token.text)
            return groups
    return None


def _assign(reading: str, found: list[Token], latest: int) -> list[Group] | None:
    groups = []
    remaining = iter(found)
    for roles in reading.split(","):
        group = Group()
        for role in roles:
            token = next(remaining)
            if not _set(group, role, token, latest):
                return None
            group.slots.append(Slot(role, token))
        if not _is_possible(group):
            return None
        groups.append(group)
    for before, group in pairwise(groups):
        # In `March 3-10, 2024` the second date takes its month from the first one.
        if group.roles == "dy" and before.month:
            group.month = before.month + (group.day < before.day)
            if group.month > 12 or not _is_possible(group):
                return None
    return groups


def _set(group: Group, role: str, token: Token, latest: int) -> bool:
    value = token.value + (token.kind == "m")
    if role == "d":
        group.day = value
        return 1 <= value <= 31
    if role == "m":
        group.month = value
        return 1 <= value <= 12 and not token.suffix
    if role == "s":
        group.season = value
        return True
    if token.kind == "Y":
        group.year = value
        return 1800 <= value < 2200
    century = latest // 100 * 100
    group.year = century + value if century + value <= latest else century - 100 + value
    return len(token.text) == 2 and not token.suffix


def _is_possible(group: Group) -> bool:
    if not (group.day and group.month):
        return True
    try:
        date(group.year or 2000, group.month, group.day)
    except ValueError:
        return False
    return True


def _with_weekday(groups: list[Group], weekdays: list[Token]) -> list[Group]:
    for token in weekdays:
        before = [g for g in groups if g.slots and g.slots[-1].token.end <= token.start]
        group = before[-1] if len(before) == len(groups) else groups[len(before)]
        group.weekday = token.value
        group.slots.append(Slot("w", token))
    return groups


def _pad(groups: list[Group]) -> None:
    """Decide which numbers keep a leading zero; `12` alone does not tell, the others do."""
    slots = [slot for group in groups for slot in group.slots if slot.role in "dm"]
    numbers = [slot for slot in slots if slot.token.kind == "n" and not slot.width]
    plain = any(len(slot.token.text) == 1 for slot in numbers)
    spacious = any(slot.token.style and not _is_tight(slot.token) for slot in slots)
    for slot in numbers:
        zero = slot.token.text.startswith("0")
        unsure = len(slot.token.text) == 2 and not plain and not spacious
        if not slot.token.spelt and (zero or unsure):
            slot.width = 2


def _is_tight(token: Token) -> bool:
    """Tell whether a month is written like in `05nov2023` and `05-Nov-2023`."""
    return token.glued and token.style is not None and token.style.short


def _fill(slot: Slot, day: date, weekday: int, form: Form) -> str:
    token = slot.token
    if slot.role == "w":
        return _word(token, weekday)
    if slot.role == "s":
        return _word(token, (day.month - 3) % 12 // 3)
    if slot.role == "m" and token.kind == "m":
        return _word(token, day.month - 1)
    number = {"d": day.day, "m": day.month, "y": day.year}[slot.role]
    if token.spelt:
        return _spell(token, number, form)
    if slot.role == "y":
        return f"{number:04d}" if token.kind == "Y" else f"{number % 100:02d}"
    return f"{number:0{slot.width}d}" + _ordinal(slot, number, form)


def _word(token: Token, number: int) -> str:
    assert token.style is not None
    proper = token.style.words[number]
    capitals = token.text.isupper() and len(token.text) > 1
    bare = unaccented(token.style.words[token.value]) != token.style.words[token.value]
    if token.text.isascii() and (bare or capitals):
        proper = unaccented(proper)
    if capitals:
        return proper.upper()
    return proper.lower() if token.text.islower() else proper[:1].upper() + proper[1:].lower()


def _spell(token: Token, number: int, form: Form) -> str:
    two_digits = token.kind == "n" and number > 31
    words = spell(number % 100 if two_digits else number, token.spelt)
    if token.spelt == "fr" and number == 1 and token.kind == "n":
        words = "premier"
    if "-" not in form.text:
        words = words.replace("-", " ")
    if token.text.isupper():
        return unaccented(words).upper()
    return words if token.text[:1].islower() else words[:1].upper() + words[1:]


def _ordinal(slot: Slot, number: int, form: Form) -> str:
    suffix = fold(slot.token.suffix)
    capitals = slot.token.suffix.isupper() if suffix else form.text.isupper()
    ending = ""
    if suffix in ("st", "nd", "rd", "th"):
        teen = 11 <= number % 100 <= 13
        ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    elif suffix and suffix != "er":
        ending = slot.token.suffix if number == 1 else ""
    elif number == 1 and slot.width == 0 and slot.role == "d" and (suffix or _is_french(form)):
        ending = "er"
    return ending.upper() if capitals else ending


def _is_french(form: Form) -> bool:
    """Tell whether a French month in full is written, which takes `1er`."""
    return any(
        token.kind == "m" and token.style and token.style.lang == "fr" and not token.glued
        for token in (slot.token for group in form.groups for slot in group.slots)
    )


_ELIDED = re.compile(r"\b([dD])['’](?=[^\W\d_])(?![aeiouyhéAEIOUYHÉ])")
_UNELIDED = re.compile(r"\b([dD])[eE] (?=(?:avril|ao[uû]t|octobre|automne|été)\b)", re.IGNORECASE)


def _elide(written: str, form: Form) -> str:
    if form.lang != "fr" or ("d" not in form.text and "D" not in form.text):
        return written
    return _UNELIDED.sub(r"\1'", _ELIDED.sub(r"\1e ", written))
