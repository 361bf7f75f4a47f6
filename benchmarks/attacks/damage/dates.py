"""Ways to write a date, and damage to the name of its month."""

import datetime
import random
import re
from collections.abc import Callable

from benchmarks.attacks.damage.accents import accented_as, drop_accents
from benchmarks.attacks.damage.damage import Apply, WordEdit
from benchmarks.attacks.damage.encodings import misread

Writing = Callable[[datetime.date], str]
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_MONTHS: dict[str, tuple[str, ...]] = {
    "fr": tuple(
        "janvier février mars avril mai juin juillet août septembre octobre novembre "
        "décembre".split()
    ),
    "en": tuple(
        "January February March April May June July August September October November "
        "December".split()
    ),
    "es": tuple(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre".split()
    ),
    "de": tuple(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
    ),
}

_NAMED_SHAPES: dict[str, str] = {
    "fr": "{d} {m} {y}",
    "en": "{d} {m} {y}",
    "es": "{d} de {m} de {y}",
    "de": "{d}. {m} {y}",
}
_ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_FRENCH_WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")


def _with_month_name(language: str) -> Writing:
    """Give the writing of a date with the month's name in a language."""

    def write(day: datetime.date) -> str:
        """Write the day."""
        month = _MONTHS[language][day.month - 1]
        return _NAMED_SHAPES[language].format(d=day.day, m=month, y=day.year)

    return write


def _by_format(pattern: str) -> Writing:
    """Give the writing of a date by a format."""

    def write(day: datetime.date) -> str:
        """Write the day."""
        return pattern.format(
            d=day.day, m=day.month, y=day.year, yy=day.year % 100, r=_ROMAN_MONTHS[day.month - 1],
            fr=_MONTHS["fr"][day.month - 1], en=_MONTHS["en"][day.month - 1],
            en3=_MONTHS["en"][day.month - 1][:3], w=_FRENCH_WEEKDAYS[day.weekday()],
        )  # fmt: skip

    return write


_WRITINGS: tuple[Writing, ...] = (
    _by_format("{d:02d}/{m:02d}/{y}"),
    _by_format("{d:02d}.{m:02d}.{y}"),
    _by_format("{d:02d}-{m:02d}-{y}"),
    _by_format("{d}/{m}/{y}"),
    _by_format("{y}-{m:02d}-{d:02d}"),
    _with_month_name("fr"),
    _with_month_name("en"),
    _with_month_name("es"),
    _with_month_name("de"),
)


def dated(write: Writing) -> Apply:
    """Make of a writing a damage of an ISO date."""

    def apply(value: str, _rng: random.Random) -> str:
        """Write the date so, or leave what is no date."""
        if not _ISO_DATE.fullmatch(value):
            return value
        return write(datetime.date.fromisoformat(value))

    return apply


def formats(*patterns: str) -> Apply:
    """Make a damage that writes a date by one of several formats."""

    def apply(value: str, rng: random.Random) -> str:
        """Write the date by a format drawn."""
        return dated(_by_format(rng.choice(patterns)))(value, rng)

    return apply


def on_date(apply: Apply) -> Apply:
    """Let a damage of written text take an ISO date, which it writes first."""

    def wrapped(value: str, rng: random.Random) -> str:
        """Damage the text, or the date in the first writing drawn that can be damaged."""
        if not _ISO_DATE.fullmatch(value):
            return apply(value, rng)
        day = datetime.date.fromisoformat(value)
        for write in rng.sample(_WRITINGS, len(_WRITINGS)):
            damaged = apply(write(day), rng)
            if damaged != write(day):
                return damaged
        return value

    return wrapped


_FRENCH_UNITS = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize dix-sept dix-huit dix-neuf"
).split()
_FRENCH_TENS = "_ dix vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt"

_ENGLISH_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_ENGLISH_TENS = "_ ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def _french_number(number: int) -> str:
    """Write a number under 100 in French."""
    if number < 20:
        return _FRENCH_UNITS[number]
    ten = number // 10
    rest = number - 10 * ten + (10 if ten in (7, 9) else 0)
    tens = _FRENCH_TENS.split(" ")[ten]
    if rest == 0:
        return "quatre-vingts" if ten == 8 else tens
    joint = " et " if rest in (1, 11) and ten < 8 else "-"
    return tens + joint + _FRENCH_UNITS[rest]


def _english_number(number: int) -> str:
    """Write a number under 100 in English."""
    if number < 20:
        return _ENGLISH_UNITS[number]
    rest = number % 10
    return _ENGLISH_TENS[number // 10] + (f" {_ENGLISH_UNITS[rest]}" if rest else "")


def in_french_words(day: datetime.date) -> str:
    """Write a date in French words."""
    head = "mille neuf cent" if day.year < 2000 else "deux mille"
    rest = f" {_french_number(day.year % 100)}" if day.year % 100 else ""
    number = "premier" if day.day == 1 else _french_number(day.day)
    return f"{number} {_MONTHS['fr'][day.month - 1]} {head}{rest}"


def in_english_words(day: datetime.date) -> str:
    """Write a date in English words as speech recognition does."""
    head = "nineteen" if day.year < 2000 else "two thousand"
    rest = f" {_english_number(day.year % 100)}" if day.year % 100 else " hundred"
    rest = "" if day.year == 2000 else rest
    return f"{_MONTHS['en'][day.month - 1]} {_english_number(day.day)} {head}{rest}"


def english_ordinal(day: datetime.date) -> str:
    """Write a date with an English ordinal."""
    tail = "th" if 10 < day.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return f"{day.day}{tail} of {_MONTHS['en'][day.month - 1]} {day.year}"


def boxed_digits(day: datetime.date) -> str:
    """Write a date's digits in boxes."""
    return "|" + "|".join(f"{day.day:02d}{day.month:02d}{day.year}") + "|"


def spreadsheet_serial(day: datetime.date) -> str:
    """Write a date as a spreadsheet's day number."""
    return str((day - datetime.date(1899, 12, 30)).days)


def edit_month(edit: WordEdit) -> Apply:
    """Make a damage that edits the month's name in a written date."""

    def apply(value: str, rng: random.Random) -> str:
        """Write the date with its month's name damaged."""
        if not _ISO_DATE.fullmatch(value):
            return value
        day = datetime.date.fromisoformat(value)
        for language in rng.sample(tuple(_MONTHS), len(_MONTHS)):
            month = _MONTHS[language][day.month - 1]
            damaged = edit(month, rng) if len(month) > 3 else month
            if damaged != month:
                return _NAMED_SHAPES[language].format(d=day.day, m=damaged, y=day.year)
        return value

    return apply


def break_accents(word: str, rng: random.Random) -> str:
    """Break the accents of a month's name."""
    broken = (misread("utf-8", "cp1252"), accented_as("?"), accented_as("\ufffd"),
              misread("cp850", "cp1252"), accented_as(""))  # fmt: skip
    return rng.choice(broken)(word, rng)


def space_letters(word: str, _rng: random.Random) -> str:
    """Space the letters of a month's name out."""
    return " ".join(word)


def bare_capitals(word: str, rng: random.Random) -> str:
    """Write a month in capitals without accents."""
    return drop_accents(word, rng).upper()


def abbreviate(word: str, rng: random.Random) -> str:
    """Cut a month's name as a hurried hand does."""
    cut = word[:4] if word[:3].lower() in ("jui", "jun", "jul") else word[:3]
    return cut + rng.choice(("", "."))
