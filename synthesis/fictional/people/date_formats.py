"""Date formats of notes in each language of the fiction."""

from datetime import date
from random import Random

from locales.registry import LANGUAGES

# Of a language's abbreviations of the months those that notes have most.
_SHORT_MONTHS = {"fr": 2, "en": 1, "es": 1, "de": 1, "nl": 1}

# How a whole day is written. d, m, y: numbers; yy: two digits; d1: "1er" in French for the first.
PATTERNS = {
    "fr": {
        "slashes": "{d:02}/{m:02}/{y}",
        "words": "{d1} {month} {y}",
        "dots": "{d:02}.{m:02}.{y}",
        "two digits": "{d:02}-{m:02}-{yy:02}",
        "short slashes": "{d}/{m}/{yy:02}",
        "iso": "{y}-{m:02}-{d:02}",
        "weekday": "{weekday} {d1} {month} {y}",
        "capitals": "{d1} {MONTH} {y}",
        "glued": "{d}{short}{y}",
        "abbreviated": "{d} {short}. {y}",
        "blanks": "{d:02} {m:02} {y}",
    },
    "en": {
        "slashes": "{m:02}/{d:02}/{y}",
        "words": "{month} {d}, {y}",
        "dots": "{m:02}.{d:02}.{y}",
        "two digits": "{m:02}-{d:02}-{yy:02}",
        "short slashes": "{m}/{d}/{yy:02}",
        "iso": "{y}-{m:02}-{d:02}",
        "weekday": "{weekday}, {month} {d}, {y}",
        "capitals": "{MONTH} {d}, {y}",
        "glued": "{d}{short}{y}",
        "abbreviated": "{short} {d}, {y}",
        "ordinal": "{month} {dth}, {y}",
    },
    "es": {
        "slashes": "{d:02}/{m:02}/{y}",
        "words": "{d} de {month} de {y}",
        "dots": "{d:02}.{m:02}.{y}",
        "two digits": "{d:02}-{m:02}-{yy:02}",
        "short slashes": "{d}/{m}/{yy:02}",
        "iso": "{y}-{m:02}-{d:02}",
        "weekday": "{weekday} {d} de {month} de {y}",
        "capitals": "{d} DE {MONTH} DE {y}",
        "glued": "{d}{short}{y}",
        "abbreviated": "{d} {short}. {y}",
        "words without of": "{d} {month} {y}",
    },
    "de": {
        "slashes": "{d:02}.{m:02}.{y}",
        "words": "{d}. {month} {y}",
        "dots": "{d}.{m}.{y}",
        "two digits": "{d:02}.{m:02}.{yy:02}",
        "iso": "{y}-{m:02}-{d:02}",
        "weekday": "{weekday}, {d}. {month} {y}",
        "capitals": "{d}. {MONTH} {y}",
        "abbreviated": "{d}. {short}. {y}",
    },
    "nl": {
        "slashes": "{d:02}-{m:02}-{y}",
        "words": "{d} {month} {y}",
        "dots": "{d}-{m}-{y}",
        "two digits": "{d:02}-{m:02}-{yy:02}",
        "short slashes": "{d}/{m}/{y}",
        "iso": "{y}-{m:02}-{d:02}",
        "weekday": "{weekday} {d} {month} {y}",
        "capitals": "{d} {MONTH} {y}",
        "abbreviated": "{d} {short} {y}",
    },
}  # fmt: skip
PARTIAL = {
    "fr": {"day and month": "{d:02}/{m:02}", "day and month in words": "{d1} {month}"},
    "en": {"day and month": "{m:02}/{d:02}", "day and month in words": "{month} {d}"},
    "es": {"day and month": "{d:02}/{m:02}", "day and month in words": "{d} de {month}"},
    "de": {"day and month in words": "{d}. {month}"},
    "nl": {"day and month in words": "{d} {month}"},
}
MONTH_AND_YEAR = {
    "fr": "{month} {y}", "en": "{month} {y}", "es": "{month} de {y}", "de": "{month} {y}",
    "nl": "{month} {y}",
}  # fmt: skip

_WEIGHTS = {
    "slashes": 40, "words": 22, "dots": 7, "two digits": 5, "short slashes": 6, "iso": 5,
    "weekday": 5, "capitals": 3, "glued": 2, "abbreviated": 3, "blanks": 1, "ordinal": 2,
    "words without of": 3,
}  # fmt: skip
# A birth date stands in forms and stamps: seldom with a weekday, never with two digits of a year
# alone where a century could be mistaken by the reader.
_BIRTH_WEIGHTS = {"slashes": 60, "words": 15, "dots": 8, "two digits": 5, "iso": 6, "capitals": 2}


def draw_form(rng: Random, lang: str, *, birth: bool = False) -> str:
    """Draw a writer's format of full dates (or birth dates)."""
    weights = _BIRTH_WEIGHTS if birth else _WEIGHTS
    forms = [form for form in PATTERNS[lang] if form in weights]
    return rng.choices(forms, [weights[form] for form in forms])[0]


def write_day(day: date, lang: str, form: str) -> str:
    """Write a full date in one of the language's formats."""
    return PATTERNS[lang][form].format_map(_Parts(day, lang))


def write_partial(day: date, lang: str, form: str) -> str:
    """Write a day without its year."""
    return PARTIAL[lang][form].format_map(_Parts(day, lang))


def write_month(day: date, lang: str) -> str:
    """Write month and year."""
    return MONTH_AND_YEAR[lang].format_map(_Parts(day, lang))


def write_day_number(day: date, lang: str) -> str:
    """Write the day of the month alone, as the beginning of a range."""
    return "1er" if lang == "fr" and day.day == 1 else str(day.day)


class _Parts(dict[str, object]):
    def __init__(self, day: date, lang: str) -> None:
        dates = LANGUAGES[lang].dates
        month = dates.months[0].words[day.month - 1]
        super().__init__(
            d=day.day,
            m=day.month,
            y=day.year,
            yy=day.year % 100,
            d1="1er" if day.day == 1 and lang == "fr" else str(day.day),
            dth=f"{day.day}{dates.ordinal_ending(day.day)}",
            month=month,
            MONTH=month.upper(),
            short=dates.months[_SHORT_MONTHS[lang]].words[day.month - 1],
            weekday=dates.weekdays[0].words[day.weekday()],
        )


def age(birth: date, day: date) -> int:
    """Return the age in years on a day."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
