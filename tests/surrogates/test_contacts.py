"""Phones, mail and web addresses: same form, reserved ranges, names followed."""

import ipaddress
import re
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.folding import fold
from record.patient import PatientRecord
from surrogates.patient.patient import Subject
from tests.surrogates.conftest import Replace

FICTION = re.compile(r"0(1990 0|26191|35301|46571|53649|63998)".replace(" ", ""))


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("fr", "01 44 55 66 77", r"01 99 00 \d\d \d\d"),
        ("fr", "01.44.55.66.77", r"01\.99\.00\.\d\d\.\d\d"),
        ("fr", "0144556677", r"019900\d{4}"),
        ("fr", "+33 1 44 55 66 77", r"\+33 1 99 00 \d\d \d\d"),
        ("fr", "+33 (0)1 44 55 66 77", r"\+33 \(0\)1 99 00 \d\d \d\d"),
        ("fr", "0033144556677", r"003319900\d{4}"),
        ("fr", "(33) 1 45 56 78 90", r"\(33\) 1 99 00 \d\d \d\d"),
        ("fr", "02 44 55 66 77", r"02 61 91 \d\d \d\d"),
        ("fr", "06-12-34-56-78", r"06-39-98-\d\d-\d\d"),
        ("fr", "07 12 34 56 78", r"06 39 98 \d\d \d\d"),
        ("fr", "08 10 20 30 40", r"08 10 \d\d \d\d \d\d"),
        ("fr", "01 44 55 66 77 poste 1234", r"01 99 00 \d\d \d\d poste \d{4}"),
        ("fr", "poste 1234", r"poste \d{4}"),
        ("en", "(617) 734-2368", r"\(\d{3}\) 555-01\d\d"),
        ("en", "+1-617-734-2368", r"\+1-\d{3}-555-01\d\d"),
        ("en", "617.734.2368 x12", r"\d{3}\.555\.01\d\d x\d\d"),
        ("en", "+44 20 7123 4567", r"\+44 20 7946 0\d{3}"),
        ("en", "07700 123456", r"07700 900\d{3}"),
        ("es", "914 90 66 60", r"9\d\d \d\d \d\d \d\d"),
        ("es", "+34 615 984 278", r"\+34 6\d\d \d{3} \d{3}"),
        ("es", "34679802102", r"346\d{8}"),
        ("fr", "+41 38 549 02 90", r"\+41 3\d \d{3} \d\d \d\d"),
    ],
)
def test_phones_keep_their_form(replace: Replace, lang: str, text: str, pattern: str) -> None:
    for label in ("PHONE", "FAX"):
        drawn = replace(text, label, lang=lang)
        assert re.fullmatch(pattern, drawn), drawn
        assert _digits(drawn) != _digits(text)


@pytest.mark.parametrize("text", ["6l7 5lO OlOI", "6I7-51O-0lOI", "Tel 6l7 5lO OlOI"])
def test_letters_that_recognition_put_for_digits_do_not_stay(replace: Replace, text: str) -> None:
    drawn = replace(text, "PHONE", lang="en")
    assert re.fullmatch(r"(?:Tel )?\d{3}.\d{3}.\d{4}", drawn)
    assert _digits(drawn) == _digits(replace("617 510 0101", "PHONE", lang="en"))


def test_a_phone_is_the_same_in_every_form(replace: Replace) -> None:
    forms = ("01 44 55 66 77", "+33 1 44 55 66 77", "0144556677", "+33(0)144556677")
    assert len({_digits(replace(form, "PHONE"))[-9:] for form in forms}) == 1


@given(st.text("0123456789 .-+()", min_size=1, max_size=20).filter(lambda t: len(_digits(t)) > 1))
def test_no_phone_stays_itself(replace: Replace, text: str) -> None:
    drawn = replace(text, "PHONE")
    assert _digits(drawn) != _digits(text)
    assert re.sub(r"\d", "9", drawn) == re.sub(r"\d", "9", text)


def test_mail_follows_known_names(
    subject_of: Callable[..., Subject], replace: Replace, record: PatientRecord
) -> None:
    subject = subject_of(record=record)
    # Of a name of two words an account has the first.
    dupont = fold(replace("Dupont", "LAST_NAME", subject=subject)).partition("-")[0]
    jean = fold(replace("Jean", "FIRST_NAME", subject=subject)).partition("-")[0]
    for text, local in {
        "jean.dupont@free.fr": f"{jean}.{dupont}",
        "j.dupont@free.fr": f"{jean[0]}.{dupont}",
        "jdupont@free.fr": f"{jean[0]}{dupont}",
        "dupont_jean@free.fr": f"{dupont}_{jean}",
    }.items():
        drawn = replace(text, "EMAIL", subject=subject)
        assert drawn.split("@")[0] == local
    assert replace("jdupont", "USERNAME", subject=subject) == f"{jean[0]}{dupont}"


@pytest.mark.parametrize(
    "text",
    [
        "jp.dupont@example.org",
        "SECRETARIAT@APHP.FR",
        "a@b.c",
        "dr.x-y_z12@chu.hopital.fr",
        "x @ y.fr",
    ],
)
def test_mail_ends_at_a_reserved_domain(replace: Replace, text: str) -> None:
    drawn = replace(text, "EMAIL")
    assert re.search(r"\.example\.(org|com|net)$", drawn.lower())
    assert drawn.count("@") == 1
    assert drawn.isupper() == text.isupper()
    assert fold(drawn) != fold(text)


def test_one_domain_stays_one_domain(replace: Replace) -> None:
    first, second, other = (
        replace(f"{who}@{where}", "EMAIL").split("@")[1]
        for who, where in (("a.b", "chu.fr"), ("c.d", "chu.fr"), ("a.b", "aphp.fr"))
    )
    assert first == second != other


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("http://www.chu-x.fr/", r"http://www\.[a-z]+\.example\.(org|com|net)/"),
        (
            "https://chu.fr:8080/a/dupont.html?id=12",
            r"https://[a-z.]+:8080/[a-z]/[a-z]{6}\.html\?[a-z]{2}=\d\d",
        ),
        ("www.chu.fr", r"www\.[a-z]+\.example\.(org|com|net)"),
        ("chu.fr/dr/42", r"[a-z]+\.example\.(org|com|net)/[a-z]{2}/\d\d"),
    ],
)
def test_web_addresses_keep_their_form(replace: Replace, text: str, pattern: str) -> None:
    drawn = replace(text, "URL")
    assert re.fullmatch(pattern, drawn), drawn
    assert "chu" not in drawn


@given(st.ip_addresses())
def test_addresses_come_from_the_ranges_for_documentation(
    replace: Replace, address: IPv4Address | IPv6Address
) -> None:
    drawn = ipaddress.ip_address(replace(str(address), "IP_ADDRESS"))
    ranges = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    assert any(drawn in ipaddress.ip_network(each) for each in ranges)
    assert drawn.version == address.version
    assert drawn != address


def test_a_port_is_not_part_of_the_address(replace: Replace) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+:8080", replace("10.1.2.3:8080", "IP_ADDRESS"))


@pytest.mark.parametrize("text", ["¼", "01 44 55 66 7²", "poste ①②③④"])
def test_digits_in_other_dress_are_drawn_too(replace: Replace, text: str) -> None:
    drawn = replace(text, "PHONE")
    assert fold(drawn) != fold(text)
    assert not {char for char in drawn if char in "¼²①②③④"}
