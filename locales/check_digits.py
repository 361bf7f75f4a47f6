"""Check digits of the numbers that name people, thin over python-stdnum where it has them.

Functions that compute check digits take letters of either case and return capitals.
"""

import re
from string import ascii_uppercase

import stdnum.be.nn
import stdnum.ch.ssn
import stdnum.cl.rut
import stdnum.de.idnr
import stdnum.ean
import stdnum.es.ccc
import stdnum.es.dni
import stdnum.es.nie
import stdnum.fr.nir
import stdnum.gb.nhs
import stdnum.iban
import stdnum.iso7064.mod_11_10
import stdnum.it.codicefiscale
import stdnum.luhn
import stdnum.mx.curp
import stdnum.nl.bsn
import stdnum.us.itin
import stdnum.us.ssn


def luhn_digit(digits: str) -> str:
    """Compute the digit that makes a number valid when put after it (ISO/IEC 7812-1)."""
    return str(stdnum.luhn.calc_check_digit(digits))


def is_luhn(digits: str) -> bool:
    """Return whether a run of digits ends in the Luhn check digit of the others."""
    shaped = len(digits) > 1 and digits.isascii() and digits.isdigit()
    return shaped and bool(stdnum.luhn.is_valid(digits))


def npi_digit(digits: str) -> str:
    """Compute the last digit of a US National Provider Identifier for its first nine."""
    return luhn_digit("80840" + digits)


def nir_key(body: str) -> str:
    """Compute the two-digit key of a French NIR from its thirteen characters.

    Corsican departments `2A` and `2B` count as 19 and 18. Raises ValueError for another shape.
    """
    if len(body) != 13:
        raise ValueError("a NIR without its key has 13 characters")
    return str(stdnum.fr.nir.calc_check_digits(body.upper()))


# Sexes 1 and 2 are permanent, 3 and 4 wait for registration, 7 and 8 are temporary.
_NIR_SEXES = frozenset("123478")


def nir_shape(number: str) -> bool:
    """Return whether 13 or 15 characters are built like a NIR, whatever their key.

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
    """Return whether 15 characters are a NIR that ends in its own key."""
    return len(number) == 15 and nir_shape(number) and nir_key(number[:13]) == number[13:]


def dni_letter(digits: str) -> str:
    """Compute the letter of a Spanish DNI from its eight digits."""
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        raise ValueError("a DNI has 8 digits before its letter")
    return str(stdnum.es.dni.calc_check_digit(digits))


def dni_or_nie(number: str) -> bool:
    """Return whether a Spanish DNI (8 digits) or NIE (X,
    Y or Z and 7 digits) has its own letter.
    """
    compact = _alphanumeric(number)
    return bool(stdnum.es.dni.is_valid(compact) or stdnum.es.nie.is_valid(compact))


def affiliation_digits(number: str) -> str:
    """Compute the control of a Spanish social-security number: two digits for the first ten.

    Two digits of the province, eight of the person, of which a leading zero drops out of the sum.
    """
    province, person = number[:2], number[2:].removeprefix("0")
    return f"{int(province + person) % 97:02d}"


def nuss(number: str) -> bool:
    """Return whether a Spanish social-security number (NUSS, NAF) has its control."""
    digits = _alphanumeric(number)
    if len(digits) != 12 or not digits.isdigit():
        return False
    return 1 <= int(digits[:2]) <= 66 and affiliation_digits(digits[:10]) == digits[10:]


def us_ssn(number: str) -> bool:
    """Return whether `AAA-GG-SSSS` could have been issued:
    no area 000, 666 or 9xx, no zero part.
    """
    return bool(stdnum.us.ssn.is_valid(number))


def itin(number: str) -> bool:
    """Return whether `9AA-GG-SSSS` is a US taxpayer number of somebody without an SSN."""
    return bool(stdnum.us.itin.is_valid(number))


def german_digit(signs: str) -> str:
    """Compute the digit that ends a German insurance number: pension (11 signs) or health (9).

    A letter counts as its two-digit place in the alphabet; digits of the products are summed,
    modulus 10. Weights: 2 1 2 5 7 1 2 1 2 1 2 1 (VKVV, section 4), or 1 and 2 in turn (section
    290 of the German social code, book V).
    """
    digits = "".join(
        sign if sign.isdigit() else f"{ord(sign) - ord('A') + 1:02d}" for sign in signs.upper()
    )
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1) if len(digits) == 12 else (1, 2) * 5
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return str(sum(product // 10 + product % 10 for product in products) % 10)


def kvnr(number: str) -> bool:
    """Return whether a letter and nine digits are a German health-insurance number."""
    compact = _alphanumeric(number)
    if len(compact) != 10 or not compact[0].isalpha() or not compact[1:].isdigit():
        return False
    return german_digit(compact[:9]) == compact[9]


def rvnr(number: str) -> bool:
    """Return whether a German pension-insurance number has its check digit.

    Area, day, month and year of birth, first letter of the birth name, serial number.
    """
    compact = _alphanumeric(number)
    parts = compact[:8] + compact[9:]
    if len(compact) != 12 or not compact[8].isalpha() or not parts.isdigit():
        return False
    return 1 <= int(compact[4:6]) <= 12 and german_digit(compact[:11]) == compact[11]


def rijksregister(number: str) -> bool:
    """Return whether eleven digits are a Belgian national number: remainder by 97, and a date."""
    return bool(stdnum.be.nn.is_valid(_alphanumeric(number)))


def belgian_digits(body: str, *, is_later: bool) -> str:
    """Compute the two digits that end a Belgian national number; later births are from 2000 on."""
    return f"{97 - int(f'2{body}' if is_later else body) % 97:02d}"


def ahv(number: str) -> bool:
    """Return whether thirteen digits from 756 are a Swiss AHV number (EAN-13)."""
    return bool(stdnum.ch.ssn.is_valid(_alphanumeric(number)))


def codice_fiscale(number: str) -> bool:
    """Return whether sixteen characters are the Italian code of a person."""
    compact = _alphanumeric(number)
    return len(compact) == 16 and bool(stdnum.it.codicefiscale.is_valid(compact))


def italian_letter(signs: str) -> str:
    """Compute the letter that ends an Italian codice fiscale or begins a bank account (CIN)."""
    return str(stdnum.it.codicefiscale.calc_check_digit(signs.upper()))


def nhs_digit(digits: str) -> str | None:
    """Compute the last digit of a British NHS or CHI number for its first nine; None has none."""
    rest = -int(stdnum.gb.nhs.checksum(digits + "0")) % 11
    return None if rest == 10 else str(rest)


def bsn_digit(digits: str) -> str | None:
    """Compute the last digit of a Dutch BSN for its first eight; None has none."""
    rest = int(stdnum.nl.bsn.checksum(digits + "0")) % 11
    return None if rest == 10 else str(rest)


def german_tax_digit(digits: str) -> str | None:
    """Compute the last digit of a German tax number (IdNr) for its first ten; None has none.

    One of the ten recurs once or twice, and the first is no zero.
    """
    last = str(stdnum.iso7064.mod_11_10.calc_check_digit(digits))
    return last if stdnum.de.idnr.is_valid(digits + last) else None


def ean_digit(digits: str) -> str:
    """Compute the last digit of a number of 13 for its first 12: EAN, the Swiss AHV number."""
    return str(stdnum.ean.calc_check_digit(digits))


def is_ean(digits: str) -> bool:
    """Return whether 8, 12, 13 or 14 digits are an article number with its check digit (GS1)."""
    return bool(stdnum.ean.is_valid(digits))


def rut_digit(digits: str) -> str:
    """Compute the sign that ends a Chilean RUT: a digit or `K`."""
    return str(stdnum.cl.rut.calc_check_digit(digits))


def curp_digit(signs: str) -> str:
    """Compute the digit that ends a Mexican CURP, for its first 17 signs."""
    return str(stdnum.mx.curp.calc_check_digit(signs.upper().replace("Ñ", "&")))


_LETTERS_BY_36 = {ord(letter): str(int(letter, 36)) for letter in ascii_uppercase}


def iban(number: str) -> bool:
    """Return whether a number has its country's length and mod-97 remainder 1 (ISO 13616)."""
    compact = _alphanumeric(number)
    moved = compact[4:] + compact[:4]
    # The remainder by itself refuses nearly everything, thirty times as fast.
    if int(moved.translate(_LETTERS_BY_36) or "0") % 97 != 1:
        return False
    return bool(stdnum.iban.is_valid(compact, check_country=False))


def ccc(number: str) -> bool:
    """Return whether twenty digits are a Spanish bank account with its two check digits."""
    return bool(stdnum.es.ccc.is_valid(_alphanumeric(number)))


def iban_digits(country: str, account: str) -> str:
    """Compute the two check digits of an IBAN (ISO 13616)."""
    return str(stdnum.iban.calc_check_digits(f"{country}00{account}".upper()))


def ccc_digits(bank: str, account: str) -> str:
    """Compute the two digits of a Spanish bank account, for its 8 and its 10 digits."""
    return str(stdnum.es.ccc.calc_check_digits(f"{bank}00{account}"))


def rib_key(account: str) -> str:
    """Compute the key of a French bank account: 5 digits, 5 digits, 11 signs.

    Letters count by their places in three rows: A to I, J to R, and S to Z from 2 on.
    """
    digits = "".join(
        sign if sign.isdigit() else "12345678912345678923456789"[ord(sign) - ord("A")]
        for sign in account.upper()
    )
    bank, branch, number = int(digits[:5]), int(digits[5:10]), int(digits[10:21])
    return f"{97 - (89 * bank + 15 * branch + 3 * number) % 97:02d}"


def belgian_account_digits(account: str) -> str:
    """Compute the two digits that end a Belgian bank account, for its first ten."""
    return f"{int(account) % 97 or 97:02d}"


def payment_card(digits: str) -> bool:
    """Return whether 12 to 19 digits start like a card of a known issuer and satisfy Luhn."""
    if not 12 <= len(digits) <= 19 or not (digits.isascii() and digits.isdigit()):
        return False
    first = int(digits[:4])
    if len(digits) == 13:
        return digits[0] == "4" and is_luhn(digits)
    issued = 3000 <= first <= 6999 or 2221 <= first <= 2720 or first in (1800, 2131)
    return issued and is_luhn(digits)


_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin(number: str) -> bool:
    """Return whether seventeen characters are a vehicle number with its check digit (49
    CFR 565).
    """
    compact = _alphanumeric(number)
    if len(compact) != 17 or any(letter in compact for letter in "IOQ"):
        return False
    values = (_VIN_VALUES[c] if c.isalpha() else int(c) for c in compact)
    total = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True))
    return "0123456789X"[total % 11] == compact[8]


_OTHER_SIGNS = re.compile(r"[^0-9A-Za-z]+")


def _alphanumeric(number: str) -> str:
    return _OTHER_SIGNS.sub("", number).upper()
