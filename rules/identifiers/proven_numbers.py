"""Whether a number is one of a person, an account, a card or a vehicle by its check digits."""

import re
from collections.abc import Callable

from locales import check_digits

_LEAST_SIGNS, _MOST_SIGNS = 9, 34
_OTHER_SIGNS = re.compile(r"[^0-9A-Za-z]+")


def _is_nhs(number: str) -> bool:
    return (
        len(number) == 10 and number.isdigit() and check_digits.nhs_digit(number[:9]) == number[9]
    )


def _is_rut(number: str) -> bool:
    digits = number[:8]
    return len(number) == 9 and digits.isdigit() and check_digits.rut_digit(digits) == number[8]


def _is_rpps(number: str) -> bool:
    return len(number) == 11 and check_digits.is_luhn(number)


_CHECKED: tuple[Callable[[str], bool], ...] = (
    *(check_digits.nir_valid, check_digits.dni_or_nie, check_digits.nuss, check_digits.rvnr),
    *(check_digits.kvnr, check_digits.rijksregister, check_digits.ahv),
    *(check_digits.codice_fiscale, _is_nhs, _is_rut, _is_rpps, check_digits.ccc),
    *(check_digits.payment_card, check_digits.iban, check_digits.vin),
)


def holds_check_digits(number: str) -> bool:
    """Return whether a number checks by its digits, whatever stands between these."""
    compact = _OTHER_SIGNS.sub("", number).upper()
    if not _LEAST_SIGNS <= len(compact) <= _MOST_SIGNS or not any(map(str.isdigit, compact)):
        return False
    return any(is_valid(compact) for is_valid in _CHECKED)
