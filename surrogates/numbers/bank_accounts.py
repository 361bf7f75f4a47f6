"""Numbers of bank accounts: IBAN, and French and Spanish ones without it, with check digits.

Each function gives the number that stands for one of its kind, in small letters, or None where
the given one is no such number.
"""

import re

from locales import check_digits
from surrogates.numbers.number_draws import Drawing

_IBAN = re.compile(r"[a-z]{2}\d{2}[a-z0-9]{10,30}")
_FRENCH = re.compile(r"\d{10}[a-z0-9]{11}\d{2}")
_SPANISH = re.compile(r"\d{20}")
_BELGIAN = re.compile(r"\d{12}")
_ITALIAN = re.compile(r"[a-z]\d{10}[a-z0-9]{12}")
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"


def iban(value: str, drawing: Drawing) -> str | None:
    """IBAN: the country stays; where its own check digits are known they hold, too."""
    if not _IBAN.fullmatch(value) or check_digits.iban_digits(value[:2], value[4:]) != value[2:4]:
        return None
    country, account = value[:2], value[4:]
    own = _NATIONAL.get(country)
    drawn = (own(account, drawing) if own else None) or _signs(account, drawing, country)
    return country + check_digits.iban_digits(country, drawn) + drawn


def french(value: str, drawing: Drawing) -> str | None:
    """France, RIB: bank, branch, account, and two check digits."""
    if not _FRENCH.fullmatch(value) or check_digits.rib_key(value[:21]) != value[21:]:
        return None
    drawn = _signs(value[:21], drawing, "fr")
    return drawn + check_digits.rib_key(drawn)


def spanish(value: str, drawing: Drawing) -> str | None:
    """Spain, CCC: bank and branch, two check digits, account."""
    if not _SPANISH.fullmatch(value):
        return None
    if check_digits.ccc_digits(value[:8], value[10:]) != value[8:10]:
        return None
    drawn = _signs(value[:8] + value[10:], drawing, "es")
    return drawn[:8] + check_digits.ccc_digits(drawn[:8], drawn[8:]) + drawn[8:]


def _belgian(value: str, drawing: Drawing) -> str | None:
    if (
        not _BELGIAN.fullmatch(value)
        or check_digits.belgian_account_digits(value[:10]) != value[10:]
    ):
        return None
    drawn = _signs(value[:10], drawing, "be")
    return drawn + check_digits.belgian_account_digits(drawn)


def _italian(value: str, drawing: Drawing) -> str | None:
    if not _ITALIAN.fullmatch(value) or check_digits.italian_letter(value[1:]).lower() != value[0]:
        return None
    drawn = _signs(value[1:], drawing, "it")
    return check_digits.italian_letter(drawn).lower() + drawn


def _signs(text: str, drawing: Drawing, country: str) -> str:
    """Return a digit for each digit and a letter for each letter."""
    kinds = "".join("d" if char.isdigit() else "l" for char in text)
    alphabets = [_DIGITS if kind == "d" else _LETTERS for kind in kinds]
    return drawing.signs(text, alphabets, f"account/{kinds}", country)


_NATIONAL = {
    "fr": french,
    "mc": french,
    "es": spanish,
    "be": _belgian,
    "it": _italian,
    "sm": _italian,
}
