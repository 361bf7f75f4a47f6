"""Kinds of damage after which no human recognizes the value."""

import base64
import codecs
import datetime
import random
import re

from benchmarks.attacks.damage.damage import ALL, DATES, NAMES, NOT_DATES, NUMBERS, Damage
from benchmarks.attacks.damage.dates import dated, spreadsheet_serial
from benchmarks.attacks.damage.glyphs import replace_signs
from benchmarks.attacks.damage.makers import unreadable
from benchmarks.attacks.damage.numbers import replace_digit, swap_digits
from benchmarks.attacks.damage.typing_errors import WORD


def _initials(value: str, _rng: random.Random) -> str:
    """Keep the initials."""
    return "".join(part[0] for part in WORD.findall(value))


def _base64(value: str, _rng: random.Random) -> str:
    """Write the value in base64."""
    return base64.b64encode(value.encode()).decode("ascii")


def _hexadecimal(value: str, _rng: random.Random) -> str:
    """Write the value's bytes in hexadecimal."""
    return value.encode().hex()


def _rot13(value: str, _rng: random.Random) -> str:
    """Shift the letters by thirteen."""
    return codecs.encode(value, "rot13")


def _backwards(value: str, _rng: random.Random) -> str:
    """Write the value backwards."""
    return value[::-1]


def _drop_vowels(value: str, _rng: random.Random) -> str:
    """Drop the vowels."""
    return re.sub("(?i)(?<=[^\\W\\d_])[aeiouy]", "", value)


def _mask_middle(value: str, _rng: random.Random) -> str:
    """Mask the middle."""
    return value[:2] + "*" * (len(value) - 4) + value[-2:] if len(value) > 5 else value


def _shuffle(value: str, rng: random.Random) -> str:
    """Mix the letters."""
    return "".join(rng.sample(value, len(value)))


def _interleave(value: str, _rng: random.Random) -> str:
    """Mix the value's signs with those of the line below."""
    below = "tensionartériellestableapyrétique" * 3
    return "".join(sign + below[i] for i, sign in enumerate(value))


def _question_marks(value: str, _rng: random.Random) -> str:
    """Replace every letter and digit by a question mark."""
    return re.sub(r"\w", "?", value)


UNREADABLE_KINDS: tuple[Damage, ...] = (
    unreadable("base64", ALL, _base64, "A mail attachment stays encoded, which nobody reads."),
    unreadable("hexadecimal bytes", ALL, _hexadecimal,
               "A binary column is dumped, nobody reads bytes."),
    unreadable("rot13", NAMES, _rot13, "A toy cipher hides the name from any reader."),
    unreadable("Russian keyboard", NAMES,
               replace_signs("abcdefghijklmnopqrstuvwxyz", "фисвуапршолдьтщзйкыегмцчня"),
               "The wrong alphabet is switched on and the letters tell nothing."),
    unreadable("stored backwards", ALL, _backwards,
               "Mirrored text is extracted, and a reader passes over it."),
    unreadable("letters mixed", ALL, _shuffle, "A broken font table mixes the order."),
    unreadable("vowels dropped", NAMES, _drop_vowels,
               "Shorthand leaves a skeleton that many names share."),
    unreadable("initials", NAMES, _initials, "Two or three letters fit thousands of persons."),
    unreadable("cut to four letters", NAMES, lambda value, _rng: value[:4] + ".",
               "A hurried abbreviation (`Rous.`) fits many names."),
    unreadable("middle masked", NOT_DATES, _mask_middle,
               "The system has hidden the middle already."),
    unreadable("last four signs", NUMBERS, lambda value, _rng: value[-4:],
               "Four digits are shared by many numbers."),
    unreadable("one digit wrong", NUMBERS, replace_digit,
               "The result is another valid-looking number that tells no reader of this one."),
    unreadable("two digits swapped", NUMBERS, swap_digits,
               "The result is another valid-looking number that tells no reader of this one."),
    unreadable("lines interleaved", ALL, _interleave,
               "OCR mixes two lines sign by sign, which no reader undoes."),
    unreadable("all signs lost", ALL, _question_marks,
               "A font without a table gives question marks only."),
    Damage("spreadsheet day number", DATES, dated(spreadsheet_serial), False,
           "A cell loses its format, and no reader knows the day from `21984`.",
           on_text=False, group="unreadable", load="heavy"),
    Damage("day of the year", DATES, dated(lambda day: f"{day:%Y%j}"), False,
           "A device counts days, and no reader knows the day from `1960069`.",
           on_text=False, group="unreadable", load="heavy"),
    Damage("ISO week", DATES, dated(lambda day: f"{day:%G-W%V-%u}"), False,
           "A planner counts weeks, and no reader knows the birthday from `1960-W10-3`.",
           on_text=False, group="unreadable", load="heavy"),
    Damage("seconds of Unix", DATES,
           dated(lambda day: str((day - datetime.date(1970, 1, 1)).days * 86400)), False,
           "A database stores seconds, which no reader turns into a day.",
           on_text=False, group="unreadable", load="heavy"),
    Damage("year only", DATES, dated(lambda day: str(day.year)), False,
           "The day is gone, and a year is no birth date.",
           on_text=False, group="unreadable", load="heavy"),
)  # fmt: skip
