"""Numbers keep shape and check digits, and none is a number that somebody holds."""

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from locales import check_digits
from record.label import Label
from record.patient import PatientRecord
from surrogates.patient.patient import Subject
from tests.surrogates.conftest import Replace

stdnum = pytest.importorskip("stdnum", reason="python-stdnum is the oracle of check digits")

from stdnum import iban as oracle_iban  # noqa: E402
from stdnum import luhn as oracle_luhn  # noqa: E402
from stdnum.be import nn as oracle_nn  # noqa: E402
from stdnum.ch import ssn as oracle_ahv  # noqa: E402
from stdnum.es import dni as oracle_dni  # noqa: E402
from stdnum.es import nie as oracle_nie  # noqa: E402
from stdnum.fr import nir as oracle_nir  # noqa: E402
from stdnum.gb import nhs as oracle_nhs  # noqa: E402
from stdnum.us import ssn as oracle_ssn  # noqa: E402

DIGITS = st.text("0123456789", min_size=1, max_size=16)
CODES = "SSN PATIENT_ID VISIT_ID PROVIDER_ID INSURANCE_ID ACCOUNT DEVICE_ID VEHICLE_ID ID".split()


def _shape(text: str) -> str:
    return re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub(r"\d", "9", text)))


def _nir(draw: tuple[int, int, int, int, int, int]) -> str:
    body = "{}{:02d}{:02d}{:02d}{:03d}{:03d}".format(*draw)
    return body + check_digits.nir_key(body)


NIRS = st.tuples(
    st.integers(1, 2),
    st.integers(0, 99),
    st.integers(1, 12),
    st.integers(1, 95).filter(lambda d: d != 20),
    st.integers(1, 990),
    st.integers(1, 999),
).map(_nir)


@given(NIRS, st.dates(date(1920, 1, 1), date(2023, 1, 1)))
def test_a_nir_follows_the_moved_birth_date(
    subject_of: Callable[..., Subject], replace: Replace, nir: str, born: date
) -> None:
    subject = subject_of(record=PatientRecord("42", birth_date=born))
    drawn = replace(nir, "SSN", subject=subject)
    moved = born + timedelta(days=subject.days)
    assert oracle_nir.is_valid(drawn)
    assert drawn[0] == nir[0]
    # Of a birth that tells an age over 89 only the year is released.
    assert drawn[1:5] == (f"{moved:%y}01" if born <= date(1935, 6, 15) else f"{moved:%y%m}")
    assert drawn != nir
    spaced = f"{nir[0]} {nir[1:3]} {nir[3:5]} {nir[5:7]} {nir[7:10]} {nir[10:13]} {nir[13:]}"
    assert replace(spaced, "SSN", subject=subject).replace(" ", "") == drawn
    assert replace(nir[:13], "SSN", subject=subject) == drawn[:13]


@pytest.mark.parametrize("text", ["2 85 05 2A 123 456", "1 50 02 2B 116 001"])
def test_corsica_stays_corsica(replace: Replace, text: str) -> None:
    body = text.replace(" ", "").lower()
    drawn = replace(f"{text} {check_digits.nir_key(body)}", "SSN")
    assert re.fullmatch(r"[12] \d\d \d\d 2[AB] \d{3} \d{3} \d\d", drawn)
    assert oracle_nir.is_valid(drawn)


@pytest.mark.parametrize("prefix", ["NIR : ", "N° SS ", "INS: "])
def test_what_stands_before_the_number_stays(replace: Replace, prefix: str) -> None:
    nir = _nir((1, 50, 2, 75, 116, 1))
    drawn = replace(prefix + nir, "SSN")
    assert drawn.startswith(prefix)
    assert oracle_nir.is_valid(drawn.removeprefix(prefix))


@given(st.integers(1, 899), st.integers(1, 99), st.integers(1, 9999))
def test_a_us_number_is_never_one_that_was_issued(
    replace: Replace, area: int, group: int, serial: int
) -> None:
    text = f"{area:03d}-{group:02d}-{serial:04d}"
    drawn = replace(text, "SSN", lang="en")
    assert re.fullmatch(r"9\d\d-[0-4]\d-\d{4}", drawn)
    assert not oracle_ssn.is_valid(drawn)


@given(st.integers(0, 99999999), st.sampled_from("XYZ"))
def test_spanish_numbers_have_their_letter(replace: Replace, number: int, kind: str) -> None:
    dni = f"{number:08d}{check_digits.dni_letter(f'{number:08d}').upper()}"
    assert oracle_dni.is_valid(dni)
    for label in ("SSN", "ID", "PATIENT_ID"):
        drawn = replace(dni, label, lang="es")
        assert oracle_dni.is_valid(drawn)
        assert drawn != dni
    digits = f"{number % 10**7:07d}"
    nie = f"{kind}{digits}{check_digits.dni_letter(str('XYZ'.index(kind)) + digits).upper()}"
    drawn = replace(nie, "SSN", lang="es")
    assert oracle_nie.is_valid(drawn)
    assert drawn[0] == kind


@given(DIGITS.filter(lambda d: len(d) >= 7), st.sampled_from(["ACCOUNT", "PROVIDER_ID", "ID"]))
def test_luhn_numbers_stay_luhn(replace: Replace, body: str, label: str) -> None:
    number = body + check_digits.luhn_digit(body)
    assert oracle_luhn.is_valid(number)
    # By chance it may also be a number of a state, which wins; a Scottish one is an NHS number.
    assume(len(number) != 12 or check_digits.affiliation_digits(number[:10]) != number[10:])
    states = (oracle_nir, oracle_nn, oracle_nhs, oracle_ahv)
    assume(not any(oracle.is_valid(number) for oracle in states))
    drawn = replace(number, label)
    assert oracle_luhn.is_valid(drawn) or check_digits.npi_digit(drawn[:9]) == drawn[9:]
    assert len(drawn) == len(number)


@given(st.integers(0, 99999999))
def test_provider_numbers_of_the_us(replace: Replace, number: int) -> None:
    body = f"1{number:08d}"
    drawn = replace(body + check_digits.npi_digit(body), "PROVIDER_ID", lang="en")
    assert oracle_luhn.is_valid(f"80840{drawn}")
    assert drawn.startswith("1")


@pytest.mark.parametrize(
    "text",
    [
        "FR76 3000 6000 0112 3456 7890 189",
        "GB82WEST12345698765432",
        "ES91 2100 0418 4502 0005 1332",
    ],
)
def test_an_iban_stays_valid_in_its_country(replace: Replace, text: str) -> None:
    drawn = replace(text, "ACCOUNT")
    assert oracle_iban.is_valid(drawn, check_country=False)
    assert drawn[:2] == text[:2]
    assert _shape(drawn) == _shape(text)


def test_spanish_social_security(replace: Replace) -> None:
    drawn = replace("28 28647825 16", "INSURANCE_ID", lang="es")
    digits = drawn.replace(" ", "")
    number = "281234567840"
    assert _shape(drawn) == "99 99999999 99"
    valid = number[:10] + check_digits.affiliation_digits(number[:10])
    digits = replace(valid, "SSN", lang="es")
    assert check_digits.affiliation_digits(digits[:10]) == digits[10:]
    assert 1 <= int(digits[:2]) <= 52


@given(
    st.from_regex(r"[A-Z0-9][A-Za-z0-9 ./-]{0,14}[A-Za-z0-9]", fullmatch=True),
    st.sampled_from(CODES),
)
def test_everything_else_keeps_its_shape(replace: Replace, text: str, label: str) -> None:
    drawn = replace(text, label)
    assert _shape(drawn) == _shape(text)
    assert drawn != text
    assert drawn == replace(text, label)


@given(DIGITS.filter(lambda d: len(d) > 3))
def test_separators_and_case_do_not_change_what_it_is(replace: Replace, digits: str) -> None:
    plain = replace(f"ab{digits}", "DEVICE_ID")
    spaced = replace(f"AB-{digits[:2]} {digits[2:]}", "DEVICE_ID")
    assert re.sub("[ -]", "", spaced).lower() == plain


def test_no_number_is_known_of_the_patient(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    from record.patient import Identifier

    known = tuple(Identifier("ID", str(number)) for number in range(10) if number != 4)
    subject = subject_of(record=PatientRecord("42", identifiers=known))
    assert replace("7", "ID", subject=subject) == "4"


def test_the_label_parts_what_happens_to_be_equal(replace: Replace) -> None:
    drawn = [replace("8012345678", label) for label in CODES if label != Label.SSN]
    assert len(set(drawn)) == len(drawn)
