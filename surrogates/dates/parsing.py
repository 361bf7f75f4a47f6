"""Parses written dates: the dates they contain, and the text slots of day, month and year."""

import calendar
import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import pairwise

from surrogates.dates.tokens import DateToken, rank_languages, tokens
from surrogates.dates.words import RANGE_WORDS
from surrogates.patient.text_normalization import fold

_LONGEST = 120
_REMEMBERED = 8192
_RANGE_SIGNS = frozenset(("-", "+", "\u2013", "\u2192", "->"))
_RANGE = re.compile(r"[^\W\d_]+")
# The readings of a chunk of tokens: for each signature, the possible roles of its tokens, best
# first. `d` day, `m` month, `y` year, `s` season, `q` part of a year; a comma separates the dates
# of a chunk.
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
    "q": ("q",),
    "qY": ("qy",),
    "qn": ("qy",),
    "Yq": ("yq",),
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
    "YY": ("y,y",),
    "mYmY": ("my,my",),
    "nmYnmY": ("dmy,dmy",),
    "": ("",),
}
# The readings of numeric dates with the month first.
_MONTH_FIRST = {
    "nnY": ("mdy", "dmy"),
    "nnn": ("mdy", "dmy", "ymd"),
    "nn": ("md", "dm", "my"),
    "nnnn": ("md,md", "dm,dm"),
    "nnnnY": ("md,mdy", "dm,dmy"),
    "nnnY": ("md,dy", "d,dmy"),
}
# Signatures of one date, possible or not: never of two.
_WHOLE = frozenset({"nnY", "Ynn", "nnn", "nmY", "mnY"})
_RUNS = {"8": ("dmy", "ymd", "mdy"), "6": ("dmy", "ymd", "mdy")}
_MONTH_FIRST_RUNS = {"8": ("mdy", "dmy", "ymd"), "6": ("mdy", "dmy", "ymd")}


@dataclass(slots=True, repr=False)
class Slot:
    """A slot of a date form, filled by a number or word. `width` 0 means unpadded."""

    role: str
    token: DateToken
    width: int = 0


@dataclass(slots=True, repr=False)
class Group:
    """One complete or partial date of a written form.

    `part` is the number, from 0, of a part of the year that lasts `period` months. `excess` is
    how far the written day lies beyond the end of its month, whose last day `day` is then. `roles`
    are those that are written, such as `dmy`, weekdays left out.
    """

    day: int = 0
    month: int = 0
    year: int = 0
    weekday: int = -1
    season: int = -1
    part: int = -1
    period: int = 0
    excess: int = 0
    slots: list[Slot] = field(default_factory=list)
    roles: str = ""

    def fill(self, role: str, token: DateToken) -> None:
        """Add the slot of a number or word."""
        self.slots.append(Slot(role, token))
        if role != "w":
            self.roles += role


@dataclass(slots=True, repr=False)
class DateForm:
    """A parsed date text: its dates, and the text around their slots."""

    text: str
    lang: str
    groups: list[Group]


@dataclass(slots=True, repr=False)
class _Reader:
    """How numbers are read: the language, the order of day and month, the latest year."""

    text: str
    lang: str
    latest: int
    month_first: bool
    lenient: bool = False


def parse(text: str, *, lang: str, latest: int, day_first: bool | None = None) -> DateForm | None:
    """Parse a written date; None where it is not a date.

    The words of the date determine its language, `lang` where several have them. `latest` is the
    latest year that a two-digit year can mean. `day_first` disambiguates 03/04/2024; where it is
    None, English has the month first and all other languages the day. Days may be missing or,
    without a year, valid only in a leap year. A day beyond the end of its month is accepted only
    where no other reading is possible; a day or month of `00` is unknown.
    """
    if len(text) > _LONGEST:
        return None
    tokenized = _tokenize(text, lang)
    if not tokenized.tokens:
        return None
    month_first = tokenized.lang == "en" if day_first is None else not day_first
    return _parse_form(text, lang, latest, month_first and tokenized.is_ordered)


@dataclass(slots=True, repr=False)
class _TokenizedDate:
    """The tokens of a written date, and its language.

    `is_ordered` is set where the order of day and month may matter.
    """

    lang: str
    tokens: list[DateToken] | None
    is_ordered: bool


# Notes repeat their dates; cached results are never changed.
@lru_cache(maxsize=_REMEMBERED)
def _tokenize(text: str, lang: str) -> _TokenizedDate:
    langs = rank_languages(text, lang)
    found = tokens(text, langs)
    kinds = [token.kind for token in found or ()]
    return _TokenizedDate(
        langs[0], found, kinds.count("n") > 1 or not _RUNS.keys().isdisjoint(kinds)
    )


@lru_cache(maxsize=_REMEMBERED)
def _parse_form(text: str, lang: str, latest: int, month_first: bool) -> DateForm | None:
    tokenized = _tokenize(text, lang)
    for lenient in (False, True):
        reader = _Reader(text, tokenized.lang, latest, month_first, lenient)
        groups = _read_all(reader, tokenized.tokens or [])
        if groups:
            _set_padding(groups)
            return DateForm(text, tokenized.lang, groups)
    return None


def _read_all(reader: _Reader, found: list[DateToken]) -> list[Group] | None:
    groups: list[Group] = []
    # Split the tokens at words such as `au`, `and`, `al`.
    chunks = [[found[0]]]
    for before, token in pairwise(found):
        between = _RANGE.findall(fold(reader.text[before.end : token.start]))
        if any(word in RANGE_WORDS for word in between):
            chunks.append([])
        chunks[-1].append(token)
    for chunk in chunks:
        read = _read_chunk(reader, chunk)
        if read is None:
            return None
        groups += read
    return groups


def _read_chunk(reader: _Reader, chunk: list[DateToken]) -> list[Group] | None:
    weekdays = [token for token in chunk if token.kind == "w"]
    others = [token for token in chunk if token.kind != "w"]
    signature = "".join(token.kind for token in others)
    if len(weekdays) <= 1:
        groups = _read_signature(reader, others, signature)
        if groups:
            for token in weekdays:
                before = [g for g in groups if g.slots and g.slots[-1].token.end <= token.start]
                group = before[-1] if len(before) == len(groups) else groups[len(before)]
                group.weekday = token.value
                group.fill("w", token)
            return groups
    if signature in _WHOLE:
        return None
    # Rank the positions at which a chunk may split into two dates: comma, dash, middle
    ranked = []
    for cut in range(1, len(chunk)):
        between = fold(reader.text[chunk[cut - 1].end : chunk[cut].start])
        signs = [rank for rank, sign in enumerate(",;&-/") if sign in between]
        if signs:
            ranked.append((min(signs), abs(2 * cut - len(chunk)), cut))
    for _, _, cut in sorted(ranked):
        head = _read_chunk(reader, chunk[:cut])
        tail = _read_chunk(reader, chunk[cut:]) if head else None
        if head and tail:
            return head + tail
    return None


def _read_signature(reader: _Reader, found: list[DateToken], signature: str) -> list[Group] | None:
    if signature in _RUNS:
        return _read_run(reader, found[0])
    readings = _READINGS.get(signature, ())
    if reader.month_first and signature in _MONTH_FIRST:
        readings = _MONTH_FIRST[signature]
    if reader.lang == "en" and signature == "mn":
        readings = ("md", "my")
    # Narrow the readings by the text between two tokens, where their kinds are ambiguous
    if len(found) == 1 and signature == "n" and fold(reader.text[: found[0].start])[-1:] == "'":
        readings = ("y",)
    elif len(found) == 2:
        between = reader.text[found[0].end : found[1].start]
        if signature == "mn" and ("'" in fold(between) or "-" in between or found[0].glued):
            readings = ("my", "md")
        elif signature == "mn" and (len(found[1].text) == 1 or found[1].suffix):
            readings = ("md",)
        elif signature == "nY" and "," in between:
            readings = ("dy",)
        elif signature == "nn" and "," in between:
            readings = ("d,d",)
    elif len(found) == 3 and signature == "nnn":
        first, second = (reader.text[a.end : b.start] for a, b in pairwise(found))
        is_night = first == "/" and found[0].value + 1 == found[1].value
        is_range = is_night or first.strip(". ") in _RANGE_SIGNS
        if is_range and second != first and second in ("/", ".", "-"):
            # `22 - 23/02`: two days of one month.
            readings = ("d,dm", "d,md")
    for reading in readings:
        groups = _assign_roles(reader, reading, found)
        if groups is not None:
            return groups
    return None


def _read_run(reader: _Reader, token: DateToken) -> list[Group] | None:
    orders = (_MONTH_FIRST_RUNS if reader.month_first else _RUNS)[token.kind]
    wide = 4 if token.kind == "8" else 2
    for order in orders:
        parts, at = [], token.start
        for role in order:
            width = wide if role == "y" else 2
            digits = token.text[at - token.start : at - token.start + width]
            kind = "Y" if width == 4 else "n"
            parts.append(DateToken(kind, at, at + width, int(digits), digits))
            at += width
        groups = _assign_roles(reader, order, parts)
        if groups is not None:
            for slot in groups[0].slots:
                slot.width = len(slot.token.text)
            return groups
    return None


def _assign_roles(reader: _Reader, reading: str, found: list[DateToken]) -> list[Group] | None:
    groups = []
    remaining = iter(found)
    for roles in reading.split(","):
        group = Group()
        for role in roles:
            token = next(remaining)
            if reader.lenient and role in "dm" and token.text == "00":
                continue  # An unknown day or month is kept.
            if not set_part(group, role, token, reader.latest):
                return None
            group.fill(role, token)
        if not group.slots and roles:
            return None
        if not is_possible(group) and not (reader.lenient and _clip_excess(group)):
            return None
        groups.append(group)
    for before, group in pairwise(groups):
        # In `March 3-10, 2024` the second date takes its month from the first.
        if group.roles == "dy" and before.month:
            group.month = before.month + (group.day < before.day)
            if group.month > 12 or not is_possible(group):
                return None
    return groups


def _clip_excess(group: Group) -> bool:
    """Split an impossible day such as 31/02/2024 into the last of its month and the excess."""
    last = calendar.monthrange(group.year or 2000, group.month)[1]
    group.day, group.excess = last, group.day - last
    return True


def set_part(group: Group, role: str, token: DateToken, latest: int) -> bool:
    """Set a part of a date from a token; return whether the value is possible."""
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
    if role == "q":
        group.part, group.period = value, token.period
        return value < 12 // token.period
    if token.kind == "Y":
        group.year = value
        return 1800 <= value < 2200
    century = latest // 100 * 100
    group.year = century + value if century + value <= latest else century - 100 + value
    return len(token.text) == 2 and not token.suffix


def is_possible(group: Group) -> bool:
    """Return whether the month has the day; February has 29 without a year."""
    if not (group.day and group.month):
        return True
    try:
        date(group.year or 2000, group.month, group.day)
    except ValueError:
        return False
    return True


def _set_padding(groups: list[Group]) -> None:
    """Decide which numbers are zero-padded; where `12` is ambiguous, by the other numbers."""
    slots = [slot for group in groups for slot in group.slots if slot.role in "dm"]
    numbers = [slot for slot in slots if slot.token.kind == "n" and not slot.width]
    plain = any(len(slot.token.text) == 1 for slot in numbers)
    # Whether a month is written as in `05nov2023` and `05-Nov-2023`
    spacious = any(
        slot.token.style
        and not (slot.token.glued and slot.token.style is not None and slot.token.style.short)
        for slot in slots
    )
    # `lundi 12` and `31st` are unpadded as in prose, `lundi 12/03` padded as in forms.
    spacious = spacious or (len(slots) == 1 and groups[0].weekday >= 0)
    spacious = spacious or any(slot.token.suffix for slot in numbers)
    for slot in numbers:
        zero = slot.token.text.startswith("0")
        unsure = len(slot.token.text) == 2 and not plain and not spacious
        if not slot.token.spelt and (zero or unsure):
            slot.width = 2
