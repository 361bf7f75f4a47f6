"""The attack on numbers with check digits: the end of a line inside, at every place."""

import random
from collections.abc import Callable, Iterator

import pytest

from locales import check_digits
from record.document import Document
from rules.identifiers.identifiers import detect
from tests.rules.marked import detected

ENDS = {
    "line end": "\n",
    "line end of Windows": "\r\n",
    "hyphen": "-\n",
    "indentation": "\n        ",
    "hyphen and indentation": "-\r\n    ",
    "quoting mark": "\n> ",
    "two quoting marks": "\n>> ",
}


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def _by_fours(number: str) -> str:
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4))


def _iban(country: str, bank: str, count: int) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        account = bank + _digits(rng, count)
        return _by_fours(f"{country}{check_digits.iban_digits(country, account)}{account}")

    return make


def _nir(rng: random.Random) -> str:
    body = (
        f"{rng.choice('12')}{_digits(rng, 2)}{rng.randrange(1, 13):02d}{rng.randrange(1, 95):02d}"
    )
    body += _digits(rng, 6)
    parts = (body[:1], body[1:3], body[3:5], body[5:7], body[7:10], body[10:])
    return " ".join((*parts, check_digits.nir_key(body)))


def _dni(rng: random.Random) -> str:
    digits = _digits(rng, 8)
    return digits + check_digits.dni_letter(digits)


def _nuss(rng: random.Random) -> str:
    body = f"{rng.randrange(1, 53):02d}{_digits(rng, 8)}"
    return f"{body[:2]} {body[2:]} {check_digits.affiliation_digits(body)}"


def _ahv(rng: random.Random) -> str:
    body = f"756{_digits(rng, 9)}"
    number = body + check_digits.ean_digit(body)
    return f"{number[:3]}.{number[3:7]}.{number[7:11]}.{number[11:]}"


def _card(rng: random.Random) -> str:
    body = f"4{_digits(rng, 14)}"
    return _by_fours(body + check_digits.luhn_digit(body))


def _kvnr(rng: random.Random) -> str:
    body = f"K{_digits(rng, 8)}"
    return body + check_digits.german_digit(body)


def _rvnr(rng: random.Random) -> str:
    body = f"65170839J{_digits(rng, 2)}"
    return body + check_digits.german_digit(body)


def _codice(rng: random.Random) -> str:
    body = f"RSSMRA85T{rng.randrange(10, 29)}A{_digits(rng, 3)}"
    return body + check_digits.italian_letter(body)


def _belgian(rng: random.Random) -> str:
    body = f"8507{rng.randrange(10, 29)}{_digits(rng, 3)}"
    number = body + check_digits.belgian_digits(body, is_later=False)
    return f"{number[:2]}.{number[2:4]}.{number[4:6]}-{number[6:9]}.{number[9:]}"


NUMBERS: dict[str, Callable[[random.Random], str]] = {
    "IBAN, France": _iban("FR", "", 23),
    "IBAN, Germany": _iban("DE", "", 18),
    "IBAN, United Kingdom": _iban("GB", "NWBK", 14),
    "NIR": _nir,
    "DNI": _dni,
    "NUSS": _nuss,
    "AHV": _ahv,
    "card": _card,
    "SSN": lambda _: "536-22-8726",
    "KVNR": _kvnr,
    "RVNR": _rvnr,
    "codice fiscale": _codice,
    "Rijksregister": _belgian,
}


def _broken(number: str, end: str) -> Iterator[str]:
    """Yield the number with the end of a line at each place, in place of a blank where one is."""
    for at in range(1, len(number)):
        if number[at - 1] != " ":
            yield number[:at] + end + number[at + (number[at] == " ") :]


def _left(text: str, written: str) -> bool:
    """Return whether a digit of a number written in a text is left."""
    covered = {at for span in detect(Document("1", text)) for at in range(span.start, span.end)}
    start = text.index(written)
    return any(
        text[at].isdigit() and at not in covered for at in range(start, start + len(written))
    )


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_with_check_digits_are_found_over_the_end_of_a_line(kind: str, end: str) -> None:
    rng = random.Random(4)
    for _ in range(5):
        number = NUMBERS[kind](rng)
        for written in _broken(number, ENDS[end]):
            assert not _left(f"Ses coordonnées sont {written} selon la fiche.", written), written


def test_a_number_that_is_none_is_left_over_the_end_of_a_line() -> None:
    rng = random.Random(4)
    left = 0
    for _ in range(50):
        number = NUMBERS["IBAN, France"](rng)
        wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
        written = rng.choice(list(_broken(wrong, "\n")))
        left += _left(f"Ses coordonnées sont {written} selon la fiche.", written)
    assert left == 50, "check digits prove nothing, or nothing is shown"


VALUES = (
    "Na 140\n139 mmol/l\n4.2 K\n101 Cl",
    "12/03/2024 7.40 38 24\n13/03/2024 7.38 41 25",
    "Leucocytes 12 400\nPlaquettes 245 000\nHb 12,4 g/dl\nCRP 45",
    "TA 120/80\n130/85 FC 72\n84 SpO2 98\n97",
    "dose de 500 mg\n3 fois par jour pendant 10 jours",
    "score 12345678\nA jeun depuis hier",
)


def wrapped_lines() -> Iterator[str]:
    """Yield numbers with the end of a line at each place, and values that are no number."""
    rng = random.Random(4)
    for number in (make(rng) for make in NUMBERS.values()):
        for end in ("\n", "-\n", "\n> "):
            for written in _broken(number, end):
                yield f"Ses coordonnées sont {written} selon la fiche."
                yield f"Compte {written}"
    yield from VALUES


@pytest.mark.parametrize("text", VALUES)
def test_values_on_several_lines_are_no_number(text: str) -> None:
    assert not any("\n" in text[span.start : span.end] for span in detect(Document("1", text)))


def test_a_hyphen_goes_on_with_a_number_that_a_word_names() -> None:
    line = "IPP : [[80123-\n    45678|PATIENT_ID]], NDA [[7501-\r\n> 234|VISIT_ID]]"
    assert detected(detect, line) == line
    line = "IPP : [[8012345678|PATIENT_ID]]\n45 ans, NDA [[750123456|VISIT_ID]] -\n12/03/2024"
    assert detected(detect, line) == line
