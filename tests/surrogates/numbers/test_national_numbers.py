"""National numbers stay valid, and agree with the surrogate birth date, the sex and the town."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locales import check_digits
from locales import check_digits as checks
from record.patient import PatientRecord
from record.policy import Policy
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey
from surrogates.numbers import identifiers
from surrogates.numbers.number_draws import Drawing
from surrogates.patient import gazetteer
from surrogates.patient.lexicon import load
from surrogates.patient.patient import Mention, Subject
from surrogates.patient.text_normalization import squeeze
from surrogates.places.places import draw_town

stdnum = pytest.importorskip("stdnum", reason="python-stdnum is the oracle of check digits")

from stdnum import iban as oracle_iban  # noqa: E402
from stdnum.be import nn as oracle_be  # noqa: E402
from stdnum.ch import ssn as oracle_ch  # noqa: E402
from stdnum.cl import rut as oracle_cl  # noqa: E402
from stdnum.es import ccc as oracle_ccc  # noqa: E402
from stdnum.fr import nir as oracle_nir  # noqa: E402
from stdnum.gb import nhs as oracle_nhs  # noqa: E402
from stdnum.it import codicefiscale as oracle_it  # noqa: E402
from stdnum.mx import curp as oracle_mx  # noqa: E402
from stdnum.nl import bsn as oracle_nl  # noqa: E402

BORN = st.dates(date(1930, 1, 1), date(2020, 12, 31))
SEX = st.sampled_from("MF")


@pytest.fixture(scope="module")
def person(cohort: CohortKey) -> Callable[..., Subject]:
    """A patient as the makers see them, of a sex and birth, under a policy."""

    def make(sex: str = "", born: date | None = None, name: str = "42", **settings: Any) -> Subject:
        policy, key = Policy(**settings), cohort.patient(name)
        record = PatientRecord(name, gender=sex, birth_date=born)
        return Subject(key, policy, record, days=dates.shift_days(key, policy))

    return make


def made(text: str, label: str, subject: Subject, lang: str = "fr") -> str:
    return identifiers.replace(Mention(text, label, lang=lang), subject)


def belgian_account(number: str) -> bool:
    # The oracle knows which banks there are.
    is_iban = oracle_iban.is_valid(number, check_country=False)
    return is_iban and (int(number[4:14]) - int(number[14:])) % 97 == 0


def nir(body: str) -> str:
    return body + checks.nir_key(body)


@settings(max_examples=60)
@given(
    SEX, BORN, st.sampled_from(["shift", "month", "year", "jitter"]), st.sampled_from(["75056",
    "35238", "2a004", "2b033", "99352", "97105", "01999"]), st.integers(1, 999),
)  # fmt: skip
def test_a_nir_agrees_with_sex_birth_and_town(
    person: Callable[..., Subject], sex: str, born: date, births: str, place: str, order: int
) -> None:
    subject = person(sex, born, birth_dates=births, old_births="shift")
    given_sex = "12"[order % 2]
    text = nir(f"{given_sex}{born:%y%m}{place}{order:03d}")
    drawn = made(text, "SSN", subject).lower()
    written = born.strftime("%d/%m/%Y")
    moved = dates.replace(Mention(written, "BIRTH_DATE", lang="fr"), subject)
    month, year = {"month": moved, "year": f"01/{moved}"}.get(births, moved[3:]).split("/")
    assert oracle_nir.is_valid(drawn)
    assert drawn[0] == {"M": "1", "F": "2"}[sex]
    assert drawn[1:5] == year[2:] + month
    if place == "99352":
        assert drawn[5:7] == "99"
    elif place.startswith("2"):
        assert drawn[5:7] in ("2a", "2b")
    elif place == "35238":
        town, code = draw_town("Rennes", subject)
        assert gazetteer.commune_number(town, code) == drawn[5:10]
    else:
        assert gazetteer.commune_name(drawn[5:10].upper())


def test_a_nir_keeps_the_area_that_the_policy_keeps(person: Callable[..., Subject]) -> None:
    subject = person("F", date(1950, 2, 3), keep_area="department")
    drawn = made(nir("2500235238123"), "SSN", subject)
    assert drawn[5:7] == "35"
    assert drawn[5:10] != "35238"


@settings(max_examples=25)
@given(SEX, BORN, st.integers(1, 997))
def test_a_belgian_number(
    person: Callable[..., Subject], sex: str, born: date, serial: int
) -> None:
    body = f"{born:%y%m%d}{serial:03d}"
    text = body + checks.belgian_digits(body, is_later=born.year >= 2000)
    assert oracle_be.is_valid(text)
    subject = person(sex, born)
    drawn = made(text, "SSN", subject)
    assert oracle_be.is_valid(drawn)
    assert drawn[:6] == f"{dates.move_birth(born, subject):%y%m%d}"
    assert oracle_be.get_gender(drawn) == sex


@settings(max_examples=25)
@given(SEX, BORN)
def test_an_italian_number(person: Callable[..., Subject], sex: str, born: date) -> None:
    month = "abcdehlmprst"[born.month - 1]
    body = f"rssmra{born:%y}{month}{born.day + 40 * (sex == 'M'):02d}h501"
    subject = person(sex, born)
    drawn = made((body + checks.italian_letter(body)).upper(), "SSN", subject)
    assert oracle_it.is_valid(drawn)
    moved = dates.move_birth(born, subject)
    assert oracle_it.get_birth_date(drawn).strftime("%y%m%d") == f"{moved:%y%m%d}"
    assert oracle_it.get_gender(drawn) == sex


@settings(max_examples=25)
@given(SEX, BORN)
def test_mexican_scottish_and_german_numbers(
    person: Callable[..., Subject], sex: str, born: date
) -> None:
    subject = person(sex, born)
    moved = dates.move_birth(born, subject)
    body = f"boxw{born:%y%m%d}hnerxn{'0' if born.year < 2000 else 'a'}"
    drawn = made((body + checks.curp_digit(body)).upper(), "SSN", subject)
    assert oracle_mx.is_valid(drawn)
    assert (oracle_mx.get_birth_date(drawn), oracle_mx.get_gender(drawn)) == (moved, sex)
    body = next(b for b in (f"{born:%d%m%y}{n:03d}" for n in range(9)) if checks.nhs_digit(b))
    drawn = made(f"{body}{checks.nhs_digit(body)}", "PATIENT_ID", subject)
    assert oracle_nhs.is_valid(drawn)
    assert drawn[:6] == f"{moved:%d%m%y}"
    assert int(drawn[8]) % 2 == (sex == "M")
    body = f"65{born:%d%m%y}j00"
    drawn = made((body + checks.german_digit(body)).upper(), "SSN", subject)
    assert check_digits.rvnr(drawn)
    assert drawn[2:8] == f"{moved:%d%m%y}"
    assert (int(drawn[9:11]) >= 50) == (sex == "F")


def test_a_birth_that_nobody_knows_is_the_numbers_own(person: Callable[..., Subject]) -> None:
    subject = person()
    drawn = made("85.07.30-033.28", "SSN", subject)
    moved = dates.move_birth(date(1985, 7, 30), subject)
    assert oracle_be.is_valid(drawn)
    assert drawn[:8] == f"{moved:%y.%m.%d}"
    assert oracle_be.get_gender(drawn) == "M"


@pytest.mark.parametrize(
    ("text", "label", "lang", "valid"),
    [
        ("756.9217.0769.85", "SSN", "fr", oracle_ch.is_valid),
        ("111222333", "SSN", "nl", oracle_nl.is_valid),
        ("943 476 5919", "PATIENT_ID", "en", oracle_nhs.is_valid),
        ("12.531.909-2", "SSN", "es", oracle_cl.is_valid),
        ("2100 0418 45 0200051332", "ACCOUNT", "es", oracle_ccc.is_valid),
        ("BE68 5390 0754 7034", "ACCOUNT", "fr", lambda n: belgian_account(n.replace(" ", ""))),
        ("ES91 2100 0418 4502 0005 1332", "ACCOUNT", "es", oracle_iban.is_valid),
        ("FR1420041010050500013M02606", "ACCOUNT", "fr", oracle_iban.is_valid),
        ("IT60X0542811101000000123456", "ACCOUNT", "fr", oracle_iban.is_valid),
        ("A123456780", "INSURANCE_ID", "de", check_digits.kvnr),
        ("046 454 286", "SSN", "en", lambda n: checks.is_luhn(n.replace(" ", ""))),
        ("AB123456C", "SSN", "en", lambda n: n[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT")),
    ],
)
def test_numbers_stay_valid_where_they_are_from(
    person: Callable[..., Subject], text: str, label: str, lang: str, valid: Callable[..., Any]
) -> None:
    assert valid(text)
    found = {made(text, label, person(name=str(number)), lang) for number in range(8)}
    assert text not in found
    assert all(valid(each) for each in found)
    assert {len(each) for each in found} == {len(text)}
    # A French IBAN holds a RIB with its own key.
    assert not text.startswith("FR") or all(
        checks.rib_key(f[4:25].lower()) == f[25:] for f in found
    )


def test_a_number_that_is_only_asked_for_stays_as_it_is(person: Callable[..., Subject]) -> None:
    subject = person("F", date(1950, 2, 3))
    for text in ("250023523812345", "85073003328", "boxw310820hnerxn09", "8012345678"):
        mention = Mention(text, "SSN")
        maker = identifiers._recognize_kind(text, text, mention, subject)
        assert maker(text, Drawing(mention, subject, dry_run=True)) == text


def test_towns_have_a_number_and_codes_belong_to_them() -> None:
    towns = load("cities", "fr")
    pairs = zip(towns.entries, towns.codes, strict=True)
    assert all(gazetteer.commune_number(town, code) for town, code in pairs)
    assert len({squeeze(town) for town in towns.entries}) == len(towns)
