"""Names of months, weekdays and numbers in French, English and Spanish, as folded text has them."""

from typing import NamedTuple

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "janvier janv jan january enero ene",
            "fevrier fevier fevr fev february feb febrero",
            "mars mar march marzo",
            "avril avr april apr abril abr",
            "mai may mayo",
            "juin jun june junio",
            "juillet juill juil jul july julio",
            "aout aou august aug agosto agto ago",
            "septembre septiembre setiembre september sept sep set",
            "octobre october octubre oct",
            "novembre november noviembre nov",
            "decembre december diciembre dec dic",
        ),
        start=1,
    )
    for name in names.split()
}

# Also ordinary words: without a year they need a capital, a glued day or a hyphen to count.
AMBIGUOUS_MONTHS = frozenset({"may", "mar", "march", "ago", "set"})

MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"

WEEKDAY = (
    "(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    "|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    "|lunes|martes|miercoles|jueves|viernes|sabado|domingo)"
)
SHORT_WEEKDAY = (
    "(?:lun|mar|mer|jeu|ven|sam|dim|mon|tues?|wed|thur?s?|fri|sat|sun|mie|jue|vie|sab|dom)"
)

_UNITS = {
    word: number
    for number, words in enumerate(
        (
            "zero cero",
            "un une uno una one first premier primero primer",
            "deux two dos second deuxieme",
            "trois three tres third",
            "quatre four cuatro fourth",
            "cinq five cinco fifth",
            "six seis sixth",
            "sept seven siete seventh",
            "huit eight ocho eighth",
            "neuf nine nueve ninth",
            "dix ten diez tenth",
            "onze eleven once eleventh",
            "douze twelve doce twelfth",
            "treize thirteen trece thirteenth",
            "quatorze fourteen catorce fourteenth",
            "quinze fifteen quince fifteenth",
            "seize sixteen dieciseis sixteenth",
            "seventeen diecisiete seventeenth",
            "eighteen dieciocho eighteenth",
            "nineteen diecinueve nineteenth",
            "vingt vingts twenty veinte twentieth",
            "veintiun veintiuno veintiuna",
            "veintidos",
            "veintitres",
            "veinticuatro",
            "veinticinco",
            "veintiseis",
            "veintisiete",
            "veintiocho",
            "veintinueve",
            "trente thirty treinta thirtieth",
        )
    )
    for word in words.split()
}
_TENS = {
    "quarante": 40, "forty": 40, "cuarenta": 40, "cinquante": 50, "fifty": 50, "cincuenta": 50,
    "soixante": 60, "sixty": 60, "sesenta": 60, "septante": 70, "seventy": 70, "setenta": 70,
    "huitante": 80, "octante": 80, "eighty": 80, "ochenta": 80,
    "nonante": 90, "ninety": 90, "noventa": 90,
    "novecientos": 900, "novecientas": 900,
}  # fmt: skip
_HUNDREDS = frozenset({"cent", "cents", "hundred", "cien", "ciento"})
_THOUSANDS = frozenset({"mille", "mil", "thousand"})
_LINKS = frozenset({"et", "and", "y"})

SPOKEN = (
    "(?:"
    + "|".join(
        sorted({*_UNITS, *_TENS, *_HUNDREDS, *_THOUSANDS}, key=lambda word: (-len(word), word))
    )
    + ")"
)


class Moment(NamedTuple):
    """A date found in a text: where it stands and what is known of its value.

    Offsets are code points, half open; unknown parts are None.
    """

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None

    @property
    def value(self) -> tuple[int | None, int | None, int | None]:
        """Year, month and day: equal for two spellings of one date."""
        return self.year, self.month, self.day


def spoken(words: str) -> int | None:
    """Read a number written in folded words; None where a word is not part of a number.

    Years said in two halves (`nineteen eighty five`) are read as one number.
    """
    total, current, previous = 0, 0, ""
    for word in words.replace("-", " ").split():
        if word in _THOUSANDS:
            total, current = total + max(current, 1) * 1000, 0
        elif word in _HUNDREDS:
            current = max(current, 1) * 100
        elif word in ("vingt", "vingts") and previous == "quatre":
            current += 76
        elif word in _UNITS or word in _TENS:
            number = _UNITS.get(word, _TENS.get(word, 0))
            halves = 13 <= current <= 20 and 10 <= number < 100 and not total
            current = current * 100 + number if halves else current + number
        elif word not in _LINKS:
            return None
        previous = word
    return total + current


def full_year(digits: str) -> int:
    """Complete a year of two digits: up to 39 it belongs to this century, above to the last."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return 2000 + year if year < 40 else 1900 + year


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def possible_day(day: int, month: int) -> bool:
    """Tell whether a month of some year has that day."""
    return 1 <= month <= 12 and 1 <= day <= _LENGTHS[month - 1]
