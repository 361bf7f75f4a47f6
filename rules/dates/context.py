"""What stands around the parts of a date, and around the numbers that only look like one."""

import re

from locales.registry import every
from record.folding import fold

# After these a bare day and month, or a run of digits, is a date.
DAY_WORDS = every(lambda language: language.dates.day_words)
# A run of six digits, or days with blanks between, needs one that introduces nothing else.
# Short weekdays that are nothing else: a day and month follow them.
SHORT_WEEKDAY_WORDS = every(
    lambda language: frozenset(
        fold(word)
        for style in language.dates.weekdays
        if style.short
        for word in style.words
        if len(word) > len("ma")
    )
) - frozenset("sat sun mar sol dom ven".split())
DATE_WORDS = DAY_WORDS - frozenset("des les depuis al since until till seit bis ab op dem".split())
# Words of English notes that go before a day, and before scores out of ten as well.
LOOSE_DAY_WORDS = every(lambda language: language.dates.vague_day_words)
# A bare month after these is a date.
MONTH_WORDS = every(lambda language: language.dates.month_words)
# A year alone after these is a date.
YEAR_WORDS = every(lambda language: language.dates.year_words)
# These go before a year, and before many other numbers.
WEAK_YEAR_WORDS = every(lambda language: language.dates.weak_year_words)

# Before a number these announce a measure, a score or a page.
MEASURE_WORDS = frozenset(
    (
        "ta pa t.a p.a pas bp tas tad tension arterielle pression eva en ens score glasgow gcs"
        " apgar acuite vision visuelle od og os av grade stade stage ecog oms page p pages pg"
        " ratio n n° no numero nummer vs silverman souffle motricite force seance fraction"
        " pain level murmur strength reflex reflexes step bed room"
        " pag hoja grado estadio soplo fuerza escala cama tercio"
        " rr nrs vas seite s grad stadium kraftgrad visus nyha ccs blutdruck bett zimmer"
        " pagina blz graad kracht mrc kamer zaal"
    ).split()
)
VERSIONS = frozenset("v vers version release logiciel ip firmware versie rev".split())

# Units and counted things: a number before one is no part of a date.
UNITS = frozenset(
    (
        "mm cm m ml mg g g/l g/dl kg l ui u ie e h eme kpa pa mmhg mmol x fois times veces mal keer"
        " iu unit units euro euros"
        " mcg ug μg hz rpm bpm cc kcal cal kg/m2 ml/min cps"
        " patient patients patienten pacientes cas cases casos falle gevallen copies cells pas"
        " personnes people personas steps schritte stappen metres meters metros pieds eur dollars"
    ).split()
) | every(lambda language: language.dates.durations)
_AFTER = re.compile(r" ?([%/€$]|[a-zμ]+(?:/[a-z0-9]+)?|[0-9]|[.,\-][0-9])")


def is_followed_by_unit(folded: str, end: int) -> bool:
    """Return whether a unit, another number or a sign of one follows a number."""
    match = _AFTER.match(folded, end)
    return match is not None and (not match[1].isalpha() or match[1] in UNITS)


_QUANTITY = re.compile(r" ?(?:([:%/.,][0-9]|%)|([a-zμ]+))")


def is_quantity(folded: str, end: int) -> bool:
    """Return whether a number is a quantity, a time or part of a decimal."""
    match = _QUANTITY.match(folded, end)
    return match is not None and (match[1] is not None or match[2] in UNITS)


HOUR = re.compile(r" (?:[a-z]{1,2} )?[0-2]?[0-9] ?(?:h|uhr|uur)\b")
CLOCK = re.compile(r"[)\]]?\.?,? {0,2}(?:[a-z\-]{1,3} )?[0-2]?[0-9] ?[:h] ?[0-5][0-9](?![0-9])")


def continues_digits(folded: str, start: int, separators: str) -> bool:
    """Return whether more digits lead up to a number, at once or over one of the separators."""
    if not start:
        return False
    before = folded[start - 1]
    return before.isdigit() or (before in separators and start > 1 and folded[start - 2].isdigit())
