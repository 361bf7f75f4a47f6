"""Check digits of the numbers that name people, thin over python-stdnum where it has them."""

import stdnum.es.dni
import stdnum.es.nie
import stdnum.fr.nir
import stdnum.iban
import stdnum.luhn
import stdnum.us.ssn


def luhn(digits: str) -> bool:
    """Tell whether a run of digits ends in its Luhn check digit (ISO/IEC 7812-1)."""
    return bool(digits.isascii() and digits.isdigit() and stdnum.luhn.is_valid(digits))


def nir_key(body: str) -> str:
    """Compute the two-digit key of a French NIR from its thirteen characters.

    Corsican departments `2A` and `2B` count as 19 and 18. Raises ValueError for another shape.
    """
    body = body.upper()
    if len(body) != 13 or not nir_shape(body):
        raise ValueError("a NIR without its key has 13 characters")
    return str(stdnum.fr.nir.calc_check_digits(body))


# Sexes 1 and 2 are permanent, 3 and 4 wait for registration, 7 and 8 are temporary.
_NIR_SEXES = frozenset("123478")


def nir_shape(number: str) -> bool:
    """Tell whether 13 or 15 characters are built like a NIR, whatever their key.

    The month may be a fictitious one (20 to 42, 50 to 99), used where a birth is badly known.
    """
    number = number.upper()
    if len(number) not in (13, 15) or not number.isascii():
        return False
    department, rest = number[5:7], number[7:]
    if not (number[:5] + rest).isdigit() or number[0] not in _NIR_SEXES:
        return False
    if department == "00" or (department not in ("2A", "2B") and not department.isdigit()):
        return False
    if number[0] in "78":
        return True
    month = int(number[3:5])
    return 1 <= month <= 12 or 20 <= month <= 42 or 50 <= month <= 99


def nir_valid(number: str) -> bool:
    """Tell whether 15 characters are a NIR that ends in its own key."""
    return len(number) == 15 and nir_shape(number) and nir_key(number[:13]) == number[13:]


def dni_letter(digits: str) -> str:
    """Compute the letter of a Spanish DNI from its eight digits."""
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        raise ValueError("a DNI has 8 digits before its letter")
    return str(stdnum.es.dni.calc_check_digit(digits))


def dni_or_nie(number: str) -> bool:
    """Tell whether a Spanish DNI (8 digits) or NIE (X, Y or Z and 7 digits) has its own letter."""
    compact = _alphanumeric(number)
    return bool(stdnum.es.dni.is_valid(compact) or stdnum.es.nie.is_valid(compact))


def us_ssn(number: str) -> bool:
    """Tell whether `AAA-GG-SSSS` could have been issued: no area 000, 666 or 9xx, no zero part."""
    return bool(stdnum.us.ssn.is_valid(number))


def iban(number: str) -> bool:
    """Tell whether a number has its country's length and mod-97 remainder 1 (ISO 13616)."""
    return bool(stdnum.iban.is_valid(_alphanumeric(number), check_country=False))


def payment_card(digits: str) -> bool:
    """Tell whether 12 to 19 digits start like a card of a known issuer and satisfy Luhn."""
    if not 12 <= len(digits) <= 19 or not luhn(digits):
        return False
    first = int(digits[:4])
    if len(digits) == 13:
        return digits[0] == "4"
    return 3000 <= first <= 6999 or 2221 <= first <= 2720 or first in (1800, 2131)


def npi(digits: str) -> bool:
    """Tell whether ten digits are a US National Provider Identifier (Luhn after `80840`)."""
    return len(digits) == 10 and digits[0] in "12" and luhn("80840" + digits)


def _alphanumeric(number: str) -> str:
    return "".join(char for char in number if char.isascii() and char.isalnum()).upper()
