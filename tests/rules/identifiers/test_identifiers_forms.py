from collections import Counter

import pytest

from record.document import Document
from rules.identifiers.identifiers import detect
from tests.growth import MOST, growth
from tests.rules.identifiers.forms_identifiers import LANGUAGES, named, shaped
from tests.rules.identifiers.forms_not_identifiers import nobody
from tests.rules.marked import unmark

VALID = [*named(), *shaped()]
NOBODY = list(nobody())


def found(lang: str, text: str) -> list[tuple[int, int, str]]:
    return [(s.start, s.end, str(s.label)) for s in detect(Document("1", text, lang=lang))]


@pytest.mark.parametrize("lang", [*LANGUAGES, ""])
def test_finds_the_forms_of_a_language(lang: str) -> None:
    cases = [line for spoken, line in VALID if spoken == lang]
    missed = [line for line in cases if found(lang, unmark(line)[0]) != unmark(line)[1]]
    assert len(missed) <= len(cases) // 100, missed


@pytest.mark.parametrize("lang", LANGUAGES)
def test_takes_no_measure_or_code_for_a_number_of_somebody(lang: str) -> None:
    cases = [line for spoken, line in NOBODY if spoken == lang]
    wrong = [line for line in cases if found(lang, line)]
    assert len(wrong) <= len(cases) // 200, wrong


def test_there_are_enough_forms_in_each_language() -> None:
    for cases in (VALID, NOBODY):
        counts = Counter(lang for lang, _ in cases)
        assert all(counts[lang] >= 120 for lang in LANGUAGES)


HOSTILE = (
    "1", "1 ", "12 ", "1.", "1,", "1-", "8 ", "80", "a", "a ", "A1", "A-A-A-", "M. M. M. ", "\n",
    "[", "(", "n° ", "n°1", "ipp ", "ipp : ", "ipp 1", "id id ", "id: 1 ", "no no ", "patient ",
    "patient n° 1 ", "dossier 12 ", "lot a1 ", "serial no ", "pacemaker ", "fr76", "fr76 ", "es91 ",
    "1 85 05 78 ", "4111 ", "(01)", "(01)12345678901234", "00:", "24h1", "s24-", "|", "80123456 ",
    "signed by ", "signed by a", "login:", "plaque ab ", "xxx-", "12345678", "1234-5678-",
    "ssn last 4 ", "nhs 1", "cip a", "a1b2c3", "x1-", "12/", "rssmra", "ab 12 ", "n° col 1 ",
    "123 et ", "ipp 12345 et 12346 et ", "12345;", "id (", "id(a)", "é", "ipp\n",
    "ipp: 8012345678 ", "ipp\nnda\n", "987654321 ",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    assert growth(lambda text: found("", text), unit) < MOST
