"""Every language is one file, and a further file is a further language."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from num2words import num2words

from locales.language import Language
from locales.registry import LANGUAGES, every
from record.folding import fold

ROOT = Path(__file__).parents[2]


def test_the_order_of_precedence_is_that_of_the_surrogates() -> None:
    assert list(LANGUAGES) == ["fr", "en", "es", "de", "nl"]


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda each: each.code)
def test_a_language_is_complete(language: Language) -> None:
    dates = language.dates
    assert {len(style.words) for style in dates.months} == {12}
    assert {len(style.words) for style in (*dates.weekdays, *dates.short_weekdays)} == {7}
    assert {len(style.words) for style in (*dates.seasons, *dates.period_ranks)} == {4}
    styles = (*dates.months, *dates.weekdays, *dates.seasons, *dates.period_ranks)
    assert {style.lang for style in styles} == {language.code}
    assert all(name.startswith(f"{language.code}-") for name in language.numbers.ordinals)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda each: each.code)
def test_lists_that_are_compared_with_folded_text_are_folded(language: Language) -> None:
    for part in (language.dates, language.numbers, language.ages, language.persons):
        for name in part.__slots__:
            value = getattr(part, name)
            if isinstance(value, frozenset):
                assert [word for word in value if fold(word) != word] == [], name


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda each: each.code)
def test_no_two_numbers_are_written_alike(language: Language) -> None:
    written = [language.numbers.cardinal(number) for number in range(3000)]
    assert len(set(written)) == 3000


@pytest.mark.parametrize("code", ["fr", "es", "de", "nl"])
def test_numbers_in_words_agree_with_num2words(code: str) -> None:
    cardinal = LANGUAGES[code].numbers.cardinal
    for number in range(3000):
        assert _plain(cardinal(number)) == _plain(_said(number, code)), number


def test_english_numbers_agree_with_num2words() -> None:
    """English says years in two halves, other numbers above a hundred are not written here."""
    cardinal = LANGUAGES["en"].numbers.cardinal
    for number in range(100):
        assert cardinal(number) == num2words(number, lang="en"), number
    for year in range(1800, 2000):
        said = num2words(year, lang="en", to="year")
        assert cardinal(year) == said.replace(" oh-", " "), year


def _said(number: int, code: str) -> str:
    """Return what num2words says; German and Dutch years are counted in hundreds here."""
    if code in ("de", "nl") and 1100 <= number < 2000:
        hundreds = num2words(number // 100 * 100 // 100, lang=code)
        rest = num2words(number % 100, lang=code) if number % 100 else ""
        return hundreds + ("hundert" if code == "de" else "honderd") + rest
    return num2words(number, lang=code)


def _plain(written: str) -> str:
    return "".join(char for char in fold(written) if char.isalpha())


def test_a_set_of_all_languages_holds_each() -> None:
    endings = every(lambda language: language.dates.ordinal_endings)
    assert {"er", "th", "o", "ste"} <= endings


# Esperanto: regular, and none of the five.
ESPERANTO = """
from locales.language import *

_UNITS = "nul unu du tri kvar kvin ses sep ok nau dek".split()


def _cardinal(number):
    thousands, rest = divmod(number, 1000)
    hundreds, rest = divmod(rest, 100)
    tens, unit = divmod(rest, 10)
    parts = [
        ("" if count == 1 else _UNITS[count]) + name
        for count, name in ((thousands, "mil"), (hundreds, "cent"), (tens, "dek"))
        if count
    ]
    return " ".join([*parts, *([_UNITS[unit]] if unit or not number else [])])


LANGUAGE = Language(
    code="eo",
    dates=DateWords(
        months=(
            style("eo", "januaro februaro marto aprilo majo junio julio auxgusto septembro oktobro"
                  " novembro decembro"),
        ),
        weekdays=(style("eo", "lundo mardo merkredo jxaudo vendredo sabato dimancxo"),),
        seasons=(style("eo", "printempo somero auxtuno vintro"),),
        day_words=words("la je"),
        connectors=words("la de je"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={"eo-a": OrdinalForm(lambda number: _cardinal(number) + "a")},
    ),
    ages=AgeWords(
        years_pattern="jaroj", years_span_pattern="jaroj", announcing=words("agxo"),
        persons=words("paciento"),
    ),
    persons=PersonWords(
        male_titles=words("sinjoro"), female_titles=words("sinjorino"), particles=words("dela"),
    ),
)
"""
SCRIPT = """
import json, sys
import locales.languages
locales.languages.__path__.append(sys.argv[1])
from record.document import Document
from record.policy import Policy
from rules.ages import ages
from rules.dates import dates
from rules.names import names
from surrogates.keys.keys import CohortKey
from surrogates.rewrite import Rewriter

document = Document("1", sys.argv[2], person_id="42", lang="eo")
found = [*dates.detect(document), *ages.detect(document), *names.detect(document)]
spans = sorted(found, key=lambda span: span.start)
cohort = CohortKey(bytes(range(32)), algorithm=2)
release = Rewriter(cohort, Policy()).rewrite(document, spans, None)
texts = (document.text, spans), (release.text, release.spans)
pairs = [[[span.label, text[span.start:span.end]] for span in found] for text, found in texts]
print(json.dumps(pairs))
"""
NOTE = (
    "Paciento, 47 jaroj, vizitis la 12 oktobro 2021. Operacio je lundo 3 marto 2020; kontrolo la"
    " dek du majo 2022. Patrino: 93 jaroj. Agxo: naudek kvin jaroj. Sinjoro Petro. Revenos la"
    " unua majo 2022 kun Sinjorino Dela Kvarcxo."
)
FOUND = [
    ["AGE", "47 jaroj"],
    ["DATE", "12 oktobro 2021"],
    ["DATE", "lundo 3 marto 2020"],
    ["DATE", "dek du majo 2022"],
    ["AGE", "93 jaroj"],
    ["AGE", "naudek kvin jaroj"],
    ["LAST_NAME", "Petro"],
    ["DATE", "unua majo 2022"],
    ["LAST_NAME", "Dela Kvarcxo"],
]


def _detect_and_rewrite(folder: Path) -> tuple[list[list[str]], list[list[str]]]:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), NOTE],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    found, written = json.loads(run.stdout)
    return found, written


def test_a_further_file_is_a_further_language(tmp_path: Path) -> None:
    (tmp_path / "eo.py").write_text(ESPERANTO, encoding="utf-8")
    found, written = _detect_and_rewrite(tmp_path)
    assert found == FOUND
    assert [label for label, _ in written] == [label for label, _ in FOUND]
    assert [text for label, text in written if label == "AGE"] == [
        "47 jaroj",
        "90+ jaroj",
        "90+ jaroj",
    ]
    months = set(
        "januaro februaro marto aprilo majo junio julio auxgusto septembro oktobro novembro"
        " decembro".split()
    )
    dates = [text for label, text in written if label == "DATE"]
    assert [text for text in dates if months.isdisjoint(text.split())] == []
    assert {text for _, text in FOUND}.isdisjoint(dates)
    # A weekday stays a weekday, a day in words one in words, an ordinal an ordinal.
    assert dates[1].split()[0] in "lundo mardo merkredo jxaudo vendredo sabato dimancxo".split()
    units = set("unu du tri kvar kvin ses sep ok nau".split())
    tens = {"dek", *(f"{unit}dek" for unit in units)}
    assert set(dates[2].split()[:-2]) <= units | tens
    *before, last = dates[3].split()[:-2]
    assert set(before) <= tens
    assert last.removesuffix("a") in units | tens
    assert last.endswith("a")
    # A title and a particle stay, the name beside them does not.
    names = [text for label, text in written if label == "LAST_NAME"]
    assert names[0] != "Petro"
    assert names[1].startswith("Dela ")
    assert not names[1].endswith("Kvarcxo")


def test_without_its_file_the_words_of_a_language_are_not_known(tmp_path: Path) -> None:
    found, _ = _detect_and_rewrite(tmp_path)
    assert {"Petro", "Dela Kvarcxo"}.isdisjoint(text for _, text in found)
    assert [text for label, text in found if label == "DATE" and " " in text] == []
