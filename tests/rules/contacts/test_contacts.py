from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from rules.contacts.contacts import detect
from tests.rules.marked import detected, unmark, whole

SEPARATORS = (" ", ".", "-", "", "/", " - ", "  ", ". ")
FRENCH_PREFIXES = (
    "0", "+33 ", "+33", "+33(0)", "+33 (0)", "+33 (0) ", "+33.", "+33-", "+ 33 ", "0033 ", "0033",
    "0033 (0)", "00 33 ", "(+33) ", "(0033) ", "(33) ",
)  # fmt: skip
FRENCH_NUMBERS = ("1 42 16 00 07", "6 12 34 56 78", "9 87 65 43 21")
AROUND = (
    "{}", "Tel : {}.", "joindre Mme X au {} svp", "{}\nDr A", "Fixe:{};", "le secrétariat ({})",
)  # fmt: skip
OTHER_NUMBERS = (
    "0 800 123 456", "0800 123 456", "01 4455 6677", "01 5512 3467", "06.31.2274.19",
    "0 1 4 2 1 6 0 0 0 7", "O1.55.12.34.54", "01 42 16 00 O7", "01 42 16 00 07 poste 1234",
    "+49 30 1234567", "+32101234567", "+44 (0)20 7946 0958", "+41 22 123 45 67",
    "+34 612 345 678", "+34612345678", "0034 912 345 678", "912 345 678", "612 34 56 78",
    "91 123 45 67", "954 37 06 44 ext 12", "(555) 234-5678", "555-234-5678", "555.234.5678",
    "+1 555 234 5678", "1-555-234-5678", "1 (555) 234-5678", "+1-555-234-5678 x123",
    "001-555-234-5678", "+351 912 345 678", "+52 55 1234 5678", "+212 6 12 34 56 78",
)  # fmt: skip
FAX_WORDS = (
    "Fax : {}", "fax {}", "Télécopie: {}", "FAX {}", "Fax. {}", "(fax) {}", "Telefax: {}",
    "Fax n° {}", "{} (fax)", "{} fax", "télécopieur {}",
)  # fmt: skip
MAILS = (
    "jean.dupont@chu-lille.fr", "JEAN.DUPONT@CHU.FR", "jean.dupont @ chu.fr", "j.d@aphp . fr",
    "jean . dupont @ chu . fr", "a_b+c@x.co.uk", "x@[192.168.1.10]", "héloïse@hôpital.fr",
    "jean.dupont(at)chu.fr", "jean [at] chu.fr", "jean arobase chu.fr", "o'neil@x.org", "m@fr",
    "1492abc@mar.es", "jean@localhost", "ευα@ιατρος.gr",
)  # fmt: skip
WEB = (
    "https://www.example.fr/a?b=c#d", "http://x.es/", "www.hopital.com", "WWW.HOPITAL.FR",
    "chu-lille.fr", "example.com/path/x", "https://10.0.0.1:8080/x", "salud.madrid.org",
    "ftp://a.b/c", "sub.x.co.uk/y",
)  # fmt: skip
ADDRESSES = ("192.168.1.10", "203.0.113.77", "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "fe80::1")

FRENCH = [
    around.format(f"[[{prefix}{separator.join(number.split())}|PHONE]]")
    for number, separator, prefix, around in product(
        FRENCH_NUMBERS, SEPARATORS, FRENCH_PREFIXES, AROUND
    )
    if (prefix, separator) != ("(33) ", "")
]
OTHERS = [around.format(f"[[{n}|PHONE]]") for n, around in product(OTHER_NUMBERS, AROUND)]
FAXES = [
    words.format(f"[[{number}|FAX]]")
    for words, number in product(
        FAX_WORDS,
        ("01 42 16 00 07", "+33 1 42 16 00 07", "912 345 678", "985-12-34-56", "55 12 34 56"),
    )
]
NETWORK = [
    around.format(f"[[{value}|{label}]]")
    for label, values in (("EMAIL", MAILS), ("URL", WEB), ("IP_ADDRESS", ADDRESSES))
    for value, around in product(values, ("{}", "voir {}, merci", "({})", "à : {}\nDr", "<{}>"))
]
SHORT = [
    "joignables au [[61207|PHONE]]",
    "poste [[1234|PHONE]]",
    "Bip n° [[4567|PHONE]] ou [[4568|PHONE]]",
    "DECT : [[12 34 56|PHONE]]",
    "Tel: [[07.55.12.34.52|PHONE]] / 28",
    "Tfno: [[911234567|PHONE]] / [[911234568|PHONE]] / [[611234569|PHONE]].",
    "Tél : [[01 42 16 00 07|PHONE]] - Fax : [[01 42 16 00 08|FAX]]",
    "su hermana Pili [[62 767 68 29|PHONE]]",
    "el 11-06-21 ([[+34 689 339 136|PHONE]]). Sin cambios",
    "her sister, [[(361) 555-1987|PHONE]]",
    "her sister, [[361.555.1987|PHONE]]",
    "mobile est le[[06.55.12.34.53|PHONE]].",
    "75015 [[01 42 16 00 07|PHONE]]",
    "[[01.55.12.34.50|PHONE]] [[01 55 12 34 51|PHONE]]",
    "Adresse mail: [[a.b@aphp.fr|EMAIL]]Dr Martin",
]
NOTHING = (
    "12.03 g/dL", "TA 12/8", "120/80 mmHg", "n° 1.2.3.4", "version 10.2.3.4", "1 042 160 007",
    "Hb 12.1 10.2 11.3 9.8 10.0", "0.5 0.25 0.125", "Plaquettes 250 000 300 000",
    "600 000 000 copies", "01/02/2012 03/04/2013", "12 34 56", "2 mg @ 8h", "le 07/02/2021 12h",
    "Page 01/12", "01 02 03 04", "pH 7.40 pCO2 40 pO2 90", "page 1 sur 12", "0,5 mg 1 cp x 3/j",
    "10 000 000 UI", "10h00 12h30 14h45", "n=12, p=0.05", "IgG 12.1 IgA 2.3 IgM 1.1",
    "L4-L5 L5-S1", "3 500 000", "0612", "2010-2012-2014-2016", "ATCD: HTA. RAS. D.T",
    "fin.es decir", "1.25 2.50 3.75 4.00 5.00", "90 80 70 60 50 40", "12/03/2024 01/04/2024",
    "01 02 03 04 05 06 07", "v1.2.3", "le patient@", "10:15:30", "1:100", "T2N0M0", "24/24",
    "Cont@ct", "dose 0,25", "du 10 au 12/08/1995", "IMC 24.5 kg/m2", "SpO2 98%", "5 x 10 mg",
    "250  500  1000  2000  3000", "BIP\t84\t45",
    "ECBU 10^5 UFC", "3-4-5", "1 2 3", "Hb 8.0 9.1 10.2 11.3 12.4 13.5", "12 345 678",
)  # fmt: skip
NEGATIVES = [
    around.format(value)
    for value, around in product(
        NOTHING,
        (
            "{}", "Bilan : {} ce jour", "- {}\n", "({})", "ce jour {}, stable", "{};", "{} ; RAS",
            "soit {}", "Biologie\n{}\n", "puis {} ?", "noté {}",
        ),
    )
]  # fmt: skip


@pytest.mark.parametrize("cases", [FRENCH, OTHERS, FAXES, NETWORK, SHORT])
def test_finds_every_form(cases: list[str]) -> None:
    assert [detected(detect, case) for case in cases if not whole(detect, case)] == []


def test_there_are_enough_forms() -> None:
    assert len(FRENCH) >= 500
    assert len(NEGATIVES) >= 500


def test_finds_nothing_in_measures_dates_and_versions() -> None:
    assert [found for case in NEGATIVES if (found := detected(detect, case)) != case] == []


@given(st.text(alphabet="0123456789 .-/()+@:wahtpsfxel\n", max_size=80))
def test_spans_lie_in_the_text_and_hold_a_sign_of_an_address(text: str) -> None:
    for span in detect(Document("1", text)):
        assert 0 <= span.start < span.end <= len(text)
        held = text[span.start : span.end]
        assert any(char.isalnum() for char in held)
        assert held == held.strip()


@given(
    st.from_regex(r"0[1-9][0-9]{8}", fullmatch=True),
    st.sampled_from([" ", ".", "-", ""]),
    st.text(alphabet="abc éœ€\U0001f600 ", max_size=12),
)
def test_offsets_hold_beside_any_character(digits: str, separator: str, before: str) -> None:
    number = separator.join(digits[i : i + 2] for i in range(0, 10, 2))
    text, spans = unmark(f"{before} tel [[{number}|PHONE]] {before}")
    assert [(s.start, s.end, s.label) for s in detect(Document("1", text))] == spans


@pytest.mark.parametrize("address", [
    "garnier at gmail point com", "sky at proton dot me", "a.gomez arroba hotmail punto es",
    "jan.weber klammeraffe gmx punkt de", "p.smit apenstaartje kpn punt nl",
    "jean point garnier arobase orange point fr", "info at st-mary dot nhs dot uk",
])  # fmt: skip
def test_addresses_in_words(address: str) -> None:
    text = f"mail {address}. Bilan"
    found = [span for span in detect(Document("1", text)) if span.label == "EMAIL"]
    assert [text[span.start : span.end] for span in found] == [address]


@pytest.mark.parametrize("text", [
    "seen at clinic dot phrase noted", "looks at point two", "at gmail point com", "at the dot",
    "tender at mcburney point now",
])  # fmt: skip
def test_other_words_are_no_address(text: str) -> None:
    assert detect(Document("1", text)) == []
