from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import ean, iban, luhn
from stdnum.cl import rut
from stdnum.es import ccc
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.nl import bsn
from stdnum.util import get_cc_module

from locales import check_digits

NIR = [
    # (number, has the shape, has its key): examples of INSEE and of python-stdnum
    ("295109912611193", True, True),
    ("253072A07300443", True, True),
    ("253072A07300444", True, False),
    ("253072A07300443"[:13], True, False),
    ("255081416802538", True, True),
    ("255081416802539", True, False),
    ("299209912611193", True, False),
    ("299139912611193", False, False),
    ("599109912611193", False, False),
    ("2551381416802", False, False),
    ("29510991261119", False, False),
    ("2951099126111 3", False, False),
    ("", False, False),
]


@pytest.mark.parametrize(("number", "shaped", "valid"), NIR)
def test_nir(number: str, shaped: bool, valid: bool) -> None:
    assert check_digits.nir_shape(number) is shaped
    assert check_digits.nir_valid(number) is valid


@given(
    st.from_regex(r"[12][0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[1-8][0-9]|2A|2B)[0-9]{6}", fullmatch=True)
)
def test_the_key_of_a_nir_makes_it_valid_and_another_does_not(body: str) -> None:
    key = check_digits.nir_key(body)
    wrong = f"{int(key) % 97 + 1:02d}"
    assert nir.is_valid(body + key)
    assert check_digits.nir_valid(body + key)
    assert not check_digits.nir_valid(body + wrong)
    # The definition: key and number together are a multiple of 97, Corsica counted as 19 and 18.
    number = (
        int(body.replace("2A", "19").replace("2B", "18"))
        if "A" in body or "B" in body
        else int(body)
    )
    assert (number + int(key)) % 97 == 0


@pytest.mark.parametrize("body", ["", "123", "295109912611193"])
def test_no_key_for_another_shape(body: str) -> None:
    with pytest.raises(ValueError, match="13 characters"):
        check_digits.nir_key(body)


@given(st.from_regex(r"[0-9]{8}", fullmatch=True))
def test_dni_letter(digits: str) -> None:
    letter = check_digits.dni_letter(digits)
    assert letter == "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23]
    assert check_digits.dni_or_nie(f"{digits}-{letter.lower()}")
    assert not check_digits.dni_or_nie(digits + ("A" if letter != "A" else "B"))


@pytest.mark.parametrize(
    ("number", "valid"),
    [("X1234567L", True), ("Z-1234567-R", True), ("X1234567A", False), ("12345678", False)],
)
def test_nie(number: str, valid: bool) -> None:
    assert check_digits.dni_or_nie(number) is valid


def test_dni_letter_wants_eight_digits() -> None:
    with pytest.raises(ValueError, match="8 digits"):
        check_digits.dni_letter("1234567")


@given(st.from_regex(r"[0-9]{7,18}", fullmatch=True))
def test_exactly_one_digit_completes_a_luhn_number(digits: str) -> None:
    assert sum(check_digits.is_luhn(f"{digits}{last}") for last in range(10)) == 1


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("4111111111111111", True), ("378282246310005", True), ("6011111111111117", True),
        ("5555555555554444", True), ("4222222222222", True), ("30569309025904", True),
        ("4111111111111112", False), ("0000000000000000", False), ("1111", False), ("", False),
        ("8000000000000000", False),
    ],
)  # fmt: skip
def test_payment_cards(digits: str, valid: bool) -> None:
    assert check_digits.payment_card(digits) is valid


@pytest.mark.parametrize(
    ("number", "valid"),
    [
        ("FR7630006000011234567890189", True), ("FR76 3000 6000 0112 3456 7890 189", True),
        ("es91 2100 0418 4502 0005 1332", True), ("GB29NWBK60161331926819", True),
        ("FR7630006000011234567890188", False), ("FR76", False), ("XX29NWBK60161331926819", False),
    ],
)  # fmt: skip
def test_iban(number: str, valid: bool) -> None:
    assert check_digits.iban(number) is valid


@pytest.mark.parametrize(
    ("number", "valid"),
    [("856-45-6789", True), ("000-12-3456", False), ("666-12-3456", False),
     ("912-34-5678", False), ("123-00-4567", False), ("123-45-0000", False)],
)  # fmt: skip
def test_us_ssn(number: str, valid: bool) -> None:
    assert check_digits.us_ssn(number) is valid


@pytest.mark.parametrize(("digits", "last"), [("123456789", "3"), ("199999998", "4")])
def test_npi(digits: str, last: str) -> None:
    assert check_digits.npi_digit(digits) == last


# What computes the digits, the form of a body, and who checks the whole.
COMPUTED = [
    (lambda body: body + check_digits.luhn_digit(body), "[0-9]{3,18}", luhn.is_valid),
    (lambda body: body + str(check_digits.nhs_digit(body)), "[0-9]{9}", nhs.is_valid),
    (lambda body: body + str(check_digits.bsn_digit(body)), "[1-9][0-9]{7}", bsn.is_valid),
    (lambda body: body + check_digits.ean_digit(body), "[0-9]{12}", ean.is_valid),
    (lambda body: body + check_digits.rut_digit(body), "[0-9]{8}", rut.is_valid),
    (
        lambda body: body[:8] + check_digits.ccc_digits(body[:8], body[8:]) + body[8:],
        "[0-9]{18}",
        ccc.is_valid,
    ),
    (
        lambda body: f"DE{check_digits.iban_digits('de', body)}{body}",
        "[0-9]{18}",
        lambda number: iban.is_valid(number, check_country=False),
    ),
]


@pytest.mark.parametrize(("complete", "form", "is_valid"), COMPUTED)
@given(data=st.data())
def test_computed_digits_are_valid_by_the_library(
    complete: Callable[[str], str], form: str, is_valid: Callable[[str], bool], data: st.DataObject
) -> None:
    body = data.draw(st.from_regex(form, fullmatch=True))
    number = complete(body)
    if number.endswith("None"):
        return
    assert is_valid(number)


def test_the_letter_agrees_with_the_country_module() -> None:
    module: Any = get_cc_module("es", "dni")
    assert module.calc_check_digit("54362315") == check_digits.dni_letter("54362315") == "K"
