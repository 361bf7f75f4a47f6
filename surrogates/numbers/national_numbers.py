"""National numbers that tell birth and sex: they agree with the surrogate birth date and the sex.

Each function gives the number that stands for one of its kind, in small letters, or None where
the given one is no such number.
"""

import re
from datetime import date

from locales import check_digits
from record.errors import Unsafe
from surrogates.numbers.number_draws import Drawing, day
from surrogates.patient import gazetteer, lexicon
from surrogates.patient.patient import DRAWS
from surrogates.places.places import town_for

_NIR = re.compile(r"[1-478]\d{4}(?:\d\d|2[ab])\d{6}(?:\d\d)?")
_CORSICA = ("2a", "2b")
_CORSICAN_CODE = "20000"
_ABROAD = "99"
_ORDERS = 999
# Abroad the commune is a country: its continent, then its number there.
_CONTINENTS, _COUNTRIES = 4, 50
_FEMALE = {"1": "2", "3": "4", "7": "8"}
_MALE = {female: male for male, female in _FEMALE.items()}
_FISCAL = re.compile(r"[a-z]{6}\d\d[abcdehlmprst]\d\d[a-z]\d{3}[a-z]")
_FISCAL_MONTHS = "abcdehlmprst"
_FISCAL_FEMALE = 40
_FISCAL_TOWNS = "abcdefghilm"
_CURP = re.compile(r"[a-z]{4}\d{6}[hm][a-z]{5}[0-9a-z]\d")
_STATES = (
    *("as", "bc", "bs", "cc", "ch", "cl", "cm", "cs", "df", "dg", "gr", "gt", "hg", "jc", "mc"),
    *("mn", "ms", "nt", "nl", "oc", "pl", "qr", "qt", "sl", "sp", "sr", "tc", "tl", "ts", "vz"),
    *("yn", "zs", "ne"),
)
_PENSION = re.compile(r"\d{8}[a-z]\d{3}")
_AREAS = 89
_HALF = 50
_MILLENNIUM = 2000


def is_valid_nir(value: str) -> bool:
    """Return whether a number has the form of a NIR and the two check digits of it."""
    has_form = len(value) == 15 and _NIR.fullmatch(value) is not None
    return has_form and check_digits.nir_key(value[:13]) == value[13:]


def nir(value: str, drawing: Drawing) -> str | None:
    """France: sex, year and month of birth, department, commune, order, and two check digits.

    The month is that of the surrogate birth date; a number of somebody born abroad or in Corsica
    stays one of such. Months above 12, of those whose month nobody knows, stay with their year.
    """
    if not _NIR.fullmatch(value):
        return None
    if drawing.asked:
        return value
    born = _nir_birth(value, drawing)
    sex = value[0]
    turned = _FEMALE if drawing.sex("") == "F" else _MALE if drawing.sex("") == "M" else {}
    department, commune = _nir_place(value, drawing)
    body = f"{turned.get(sex, sex)}{born}{department}{commune}"
    return body + check_digits.nir_key(body) if len(value) == 15 else body


def _nir_birth(value: str, drawing: Drawing) -> str:
    written = day(1900 + int(value[1:3]), int(value[3:5]), 15)
    if written is None and drawing.subject.birth_date is None:
        return value[1:5]
    moved = drawing.born(written or date.min)
    return f"{moved:%y%m}"


def _nir_place(value: str, drawing: Drawing) -> tuple[str, str]:
    """Return department, and commune and order: of the town that stands for the town of birth."""
    commune, order = int(value[7:10]) - 1, int(value[10:13]) - 1
    # What the number tells besides is fixed by the person: it decides the order of the rest.
    tweak = value[:10]
    if value[5:7] == _ABROAD:
        sizes = (_CONTINENTS, _COUNTRIES, _ORDERS)
        places = (commune // 100, commune % 100, order)
        continent, country, order = drawing.places(places, sizes, "nir/abroad", value[:5])
        return _ABROAD, f"{continent + 1}{country + 1:02d}{order + 1:03d}"
    (order,) = drawing.places((order,), (_ORDERS,), "nir", tweak)
    number = _town(value[5:10], drawing)
    return number[:2], f"{number[2:]}{order + 1:03d}"


def _town(number: str, drawing: Drawing) -> str:
    """Return the number of the commune that stands for one, as a town of the text does.

    Corsica stays Corsica, since the letter has to stay where it is.
    """
    name = gazetteer.commune_name(number.upper()) or f"commune {number}"
    is_corsican = number[:2] in _CORSICA
    towns = None
    if is_corsican:
        towns = gazetteer.towns_around(_CORSICAN_CODE, "fr", gazetteer.DEPARTMENT)
    elif drawing.subject.locale != "fr":
        towns = lexicon.load("cities", "fr")
    for further in range(DRAWS):
        wanted = name if not further else f"{name} {further}"
        found = gazetteer.commune_number(*town_for(wanted, drawing.subject, towns=towns)).lower()
        if (found[:2] in _CORSICA) is is_corsican:
            return found
    raise Unsafe("no-surrogate")


def belgian(value: str, drawing: Drawing) -> str | None:
    """Belgium: date of birth, serial number (odd for men), and two check digits.

    Months of numbers given before the sex or the registration was known stay 20 or 40 too high.
    """
    if len(value) != 11 or not value.isdigit():
        return None
    later = [
        is_later
        for is_later in (False, True)
        if check_digits.belgian_digits(value[:9], is_later=is_later) == value[9:]
    ]
    if not later:
        return None
    extra = int(value[2:4]) // 20 * 20
    century = 2000 if later[0] else 1900
    written = day(century + int(value[:2]), int(value[2:4]) - extra, int(value[4:6]))
    if written is None:
        return None
    moved = drawing.born(written)
    serial = int(value[6:9])
    odd = {"M": 1, "F": 0}[drawing.sex("M" if serial % 2 else "F")]
    (place,) = drawing.places(((serial + 1) // 2 - 1,), (499,), "belgian", value[:6] + str(odd))
    body = f"{moved:%y}{moved.month + extra:02d}{moved:%d}{2 * place + 2 - odd:03d}"
    return body + check_digits.belgian_digits(body, is_later=moved.year >= _MILLENNIUM)


def italian(value: str, drawing: Drawing) -> str | None:
    """Italy, codice fiscale: letters of the names, date of birth, sex, town, and a check letter."""
    if not _FISCAL.fullmatch(value) or check_digits.italian_letter(value[:15]).lower() != value[15]:
        return None
    number = int(value[9:11])
    is_female = number > _FISCAL_FEMALE
    month = 1 + _FISCAL_MONTHS.index(value[8])
    written = day(1900 + int(value[6:8]), month, number - _FISCAL_FEMALE * is_female)
    if written is None:
        return None
    moved = drawing.born(written)
    number = moved.day + _FISCAL_FEMALE * (drawing.sex("F" if is_female else "M") == "F")
    # Z is a country abroad.
    towns = "z" if value[11] == "z" else _FISCAL_TOWNS
    town = drawing.signs(value[11:15], [towns, *["0123456789"] * 3], "italian", value[:11])
    letters = drawing.shaped(value[:6], speakable=True)
    body = f"{letters}{moved:%y}{_FISCAL_MONTHS[moved.month - 1]}{number:02d}{town}"
    return body + check_digits.italian_letter(body).lower()


def scottish(value: str, drawing: Drawing) -> str | None:
    """Scotland, CHI number: date of birth, serial number (ninth digit odd for men), check digit.

    Taken for one where it begins with the patient's birth date.
    """
    born = drawing.subject.birth_date
    if born is None or len(value) != 10 or not value.isdigit() or value[:6] != f"{born:%d%m%y}":
        return None
    if check_digits.nhs_digit(value[:9]) != value[9]:
        return None
    day_written = f"{drawing.born(born):%d%m%y}"
    odd = {"M": 1, "F": 0}[drawing.sex("M" if int(value[8]) % 2 else "F")]
    places = [int(value[6:8]), int(value[8]) // 2]
    # One serial number in eleven has no check digit: then the next one stands for it.
    while True:
        places = drawing.places(places, (100, 5), "scottish")
        body = f"{day_written}{places[0]:02d}{2 * places[1] + odd}"
        last = check_digits.nhs_digit(body)
        if last is not None:
            return body + last


def mexican(value: str, drawing: Drawing) -> str | None:
    """Mexico, CURP: letters of the names, birth, sex, state, letters, and a check digit."""
    if not _CURP.fullmatch(value) or check_digits.curp_digit(value[:17]) != value[17]:
        return None
    # The sign before the check digit tells the century.
    century = 1900 if value[16].isdigit() else 2000
    written = day(century + int(value[4:6]), int(value[6:8]), int(value[8:10]))
    if written is None:
        return None
    moved = drawing.born(written)
    sex = {"M": "h", "F": "m"}[drawing.sex("M" if value[10] == "h" else "F")]
    place = _STATES.index(value[11:13]) if value[11:13] in _STATES else 0
    (state,) = drawing.places((place,), (len(_STATES),), "mexican")
    letters = drawing.shaped(value[:4] + value[13:16], speakable=True)
    signs = "0123456789" if moved.year < _MILLENNIUM else "abcdefghijklmnopqrstuvwxyz"
    kind = drawing.signs(value[16], [signs], "mexican/kind")
    body = f"{letters[:4]}{moved:%y%m%d}{sex}{_STATES[state]}{letters[4:]}{kind}"
    return body + check_digits.curp_digit(body)


def german_pension(value: str, drawing: Drawing) -> str | None:
    """Germany, pension insurance: area, date of birth, initial, serial number (women from 50)."""
    if not _PENSION.fullmatch(value) or check_digits.german_digit(value[:11]) != value[11]:
        return None
    written = day(1900 + int(value[6:8]), int(value[4:6]), int(value[2:4]))
    if written is None:
        return None
    moved = drawing.born(written)
    serial = int(value[9:11])
    female = drawing.sex("F" if serial >= _HALF else "M") == "F"
    places = (int(value[:2]) - 1, ord(value[8]) - ord("a"), serial)
    area, initial, serial = drawing.places(places, (_AREAS, 26, _HALF), "german", value[2:8])
    letter = chr(ord("a") + initial)
    body = f"{area + 1:02d}{moved:%d%m%y}{letter}{serial + _HALF * female:02d}"
    return body + check_digits.german_digit(body)
