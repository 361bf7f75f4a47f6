"""Surrogates of numbers and codes: same shape, other value, valid check digits."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from record.errors import Unsafe
from record.folding import fold
from record.label import Label
from surrogates import checks, shape
from surrogates.lexicon import listed
from surrogates.subject import DRAWS, WORD, Mention, Subject, compact

_NIR = re.compile(r"[1-478]\d{4}(?:\d\d|2[ab])\d{6}(?:\d\d)?")
_SSN = re.compile(r"\d{9}")
_DNI = re.compile(r"(?P<digits>\d{8})(?P<letter>[a-z])")
_NIE = re.compile(r"(?P<kind>[xyz])(?P<digits>\d{7})(?P<letter>[a-z])")
_IBAN = re.compile(r"[a-z]{2}\d{2}[a-z0-9]{10,30}")
# A prefix such as `NIR: ` or `DNI ` within the span stays in front of the number.
_HEAD = re.compile(r"^(?P<head>(?:[^\W\d_]+[\s.:°º#-]+)*)(?P<body>.*)$", re.DOTALL)
_DEPARTMENTS = 95
_COMMUNES = 990
_ORDERS = 999


def replace(mention: Mention, subject: Subject) -> str:
    """Give another value of the same kind.

    A French NIR keeps its sex and takes year and month from the moved birth date; a US SSN gets an
    area that is never issued; check digits that held hold again; anything else keeps its shape.
    """
    head, text = _behead(mention)
    value = compact(text)
    special = _kind(value, mention)
    if special is None:
        return head + shape.scramble(text, mention.label, subject)
    for counter in range(DRAWS):
        drawn = special(value, mention, subject, counter)
        if drawn != value and drawn not in subject.avoided_codes:
            return head + shape.pour(drawn, text)
    raise Unsafe("no-surrogate")


_Maker = Callable[[str, Mention, Subject, int], str]
_HEADS = frozenset(
    listed(
        "n no num numero number nir ss secu insee ins ssn mrn ipp nda nip iep nhc npi rpps adeli"
        " finess dni nie nif naf nuss cip iban ref reference id dossier visit visite patient"
        " account card carte tarjeta col colegiado episodio historia sejour venue de la"
    )
)


def _behead(mention: Mention) -> tuple[str, str]:
    """Part what names the number (`NIR : `, `MRN `) from the number; it stays as it is."""
    match = _HEAD.fullmatch(mention.text)
    if match is None or not compact(match["body"]):
        return "", mention.text
    known = all(fold(word) in _HEADS for word in WORD.findall(match["head"]))
    return (match["head"], match["body"]) if known else ("", mention.text)


def _kind(value: str, mention: Mention) -> _Maker | None:
    """Recognize a number by its form, and by its check digits where the form is common."""
    if not value.isascii():
        return None
    if mention.label in (Label.SSN, Label.INSURANCE_ID, Label.ID, Label.PATIENT_ID):
        if _NIR.fullmatch(value) and (mention.label == Label.SSN or _is_valid_nir(value)):
            return _nir
        if mention.label == Label.SSN and _SSN.fullmatch(value):
            return _ssn
    if _DNI.fullmatch(value) or _NIE.fullmatch(value):
        return _dni
    if _IBAN.fullmatch(value) and checks.iban_digits(value[:2], value[4:]) == value[2:4]:
        return _iban
    if not value.isdigit():
        return None
    if len(value) == 12 and checks.affiliation_digits(value[:10]) == value[10:]:
        return _affiliation
    if len(value) == 10 and checks.npi_digit(value[:9]) == value[9]:
        return _npi
    return _luhn if len(value) >= 8 and checks.is_luhn(value) else None


def _is_valid_nir(value: str) -> bool:
    return len(value) == 15 and checks.nir_key(value[:13]) == value[13:]


def _nir(value: str, _mention: Mention, subject: Subject, counter: int) -> str:
    draw = subject.key.draw(Label.SSN, value[:13], 12, counter=counter)
    numbers = [int.from_bytes(draw[i : i + 4], "big") for i in (0, 4, 8)]
    department = f"{1 + numbers[0] % _DEPARTMENTS:02d}"
    # Corsica lost 20 to 2A and 2B in 1976: a drawn 20 would not be valid for the young.
    department = "21" if department == "20" else department
    if value[5:7] in ("2a", "2b"):
        department = f"2{'ab'[numbers[0] % 2]}"
    commune, order = 1 + numbers[1] % _COMMUNES, 1 + numbers[2] % _ORDERS
    born = _birth(value, subject)
    body = f"{value[0]}{born}{department}{commune:03d}{order:03d}"
    return body + checks.nir_key(body) if len(value) == 15 else body


def _birth(value: str, subject: Subject) -> str:
    """Give the year and month of the moved birth date; else those of the number, moved."""
    born = subject.birth_date
    if born is None:
        month = int(value[3:5])
        # Months above 12 mark people whose month of birth is not known.
        if not 1 <= month <= 12:
            return value[1:5]
        born = date(1900 + int(value[1:3]), month, 15)
    moved = born + timedelta(days=subject.days)
    return f"{moved.year % 100:02d}{moved.month:02d}"


def _ssn(value: str, _mention: Mention, subject: Subject, counter: int) -> str:
    """Draw from the areas 900 to 999 and groups 01 to 49: neither an SSN nor an ITIN."""
    draw = subject.key.draw(Label.SSN, value, 12, counter=counter)
    area, group, serial = (int.from_bytes(draw[i : i + 4], "big") for i in (0, 4, 8))
    return f"9{area % 100:02d}{1 + group % 49:02d}{1 + serial % 9999:04d}"


def _dni(value: str, mention: Mention, subject: Subject, counter: int) -> str:
    prefix = value[0] if value[0] in "xyz" else ""
    digits = value[len(prefix) : -1]
    drawn = _digits(value, len(digits), mention, subject, counter)
    number = str("xyz".index(prefix)) + drawn if prefix else drawn
    return prefix + drawn + checks.dni_letter(number)


def _iban(value: str, mention: Mention, subject: Subject, counter: int) -> str:
    stream = subject.key.draw(mention.label, value, 2 * len(value), counter=counter)
    account = ""
    for place, char in enumerate(value[4:]):
        number = stream[2 * place] << 8 | stream[2 * place + 1]
        account += str(number % 10) if char.isdigit() else chr(ord("a") + number % 26)
    return value[:2] + checks.iban_digits(value[:2], account) + account


def _affiliation(value: str, mention: Mention, subject: Subject, counter: int) -> str:
    province = f"{1 + subject.key.number(mention.label, value, 52, counter=counter):02d}"
    number = province + _digits(value, 8, mention, subject, counter)
    return number + checks.affiliation_digits(number)


def _npi(value: str, mention: Mention, subject: Subject, counter: int) -> str:
    body = value[0] + _digits(value, 8, mention, subject, counter)
    return body + checks.npi_digit(body)


def _luhn(value: str, mention: Mention, subject: Subject, counter: int) -> str:
    # A card keeps the first digit, which tells its kind; so does an RPPS number.
    body = value[0] + _digits(value, len(value) - 2, mention, subject, counter)
    return body + checks.luhn_digit(body)


def _digits(value: str, size: int, mention: Mention, subject: Subject, counter: int) -> str:
    stream = subject.key.draw(mention.label, value, 2 * size, counter=counter)
    return "".join(str((stream[2 * i] << 8 | stream[2 * i + 1]) % 10) for i in range(size))
