"""Surrogates speak the language of the note; a patient's own names are the same in all notes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import stdnum.de.idnr
import stdnum.iban
import stdnum.nl.bsn
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from locales import check_digits
from record.document import Document
from record.errors import ConfigError, Unsafe
from record.folding import fold
from record.label import Label
from record.languages import FIRST_LANGUAGES, LANGUAGES
from record.patient import PatientRecord, PersonName
from record.policy import Action, Policy
from record.release import Release
from record.span import Span
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.patient import lexicon, name_lists
from surrogates.rewrite import Rewriter

Rewrite = Callable[..., str]
# One value for each label whose surrogate is a word or number of the language.
VALUES = {
    "fr": {"STREET": "12 rue Pasteur", "ZIP": "69003", "CITY": "Lyon", "PHONE": "06 12 34 56 78"},
    "en": {"STREET": "12 Elm Street", "ZIP": "02139", "CITY": "Boston", "PHONE": "(617) 734-2368"},
    "es": {"STREET": "Calle Mayor 5", "ZIP": "28013", "CITY": "Madrid", "PHONE": "912 345 678"},
    "de": {"STREET": "Goethestr. 12", "ZIP": "79098", "CITY": "Freiburg", "PHONE": "0761 123456"},
    "nl": {"STREET": "Kerkstraat 12", "ZIP": "1017 GN", "CITY": "Leiden", "PHONE": "020-1234567"},
}
PHONES = {
    "fr": r"06 39 98 \d\d \d\d",
    "en": r"\(\d{3}\) 555-01\d\d",
    "es": r"9\d\d \d{3} \d{3}",
    "de": r"0221 4710\d\d",
    "nl": r"0[1-7]\d-[2-9]\d{6}",
}
STREETS = {
    "fr": r"\d\d rue d?.+",
    "en": r"\d\d [A-Z].+ Street",
    "es": r"Calle .+ \d",
    "de": r"[A-ZÄÖÜ]\w+str\. \d\d",
    "nl": r"[A-Z]\w+straat \d\d",
}
NAMES = {
    "fr": ("Brigitte", "Moreau"),
    "en": ("Heather", "Johnson"),
    "es": ("Mercedes", "Jiménez"),
    "de": ("Ursula", "Schneider"),
    "nl": ("Sanne", "Bakker"),
}
LISTED = {
    "REGION": "regions",
    "COUNTRY": "countries",
    "ORGANIZATION": "organizations",
    "PROFESSION": "professions",
}


@pytest.fixture(scope="module")
def one(master: MasterKey) -> Rewrite:
    """Rewrite a note that is one value, in a cohort whose policy is French unless told."""
    made: dict[tuple[str, int], Rewriter] = {}

    def rewrite(
        value: str,
        label: str,
        lang: str,
        *,
        locale: str = "fr",
        algorithm: int = 3,
        record: PatientRecord | None = None,
        person: str = "42",
    ) -> str:
        if (locale, algorithm) not in made:
            cohort = master.cohort("languages", algorithm=algorithm)
            made[locale, algorithm] = Rewriter(cohort, Policy(locale=locale))
        note = Document("1", value, person_id=person, lang=lang)
        release: Release = made[locale, algorithm].rewrite(
            note, (Span(0, len(value), label),), record
        )
        return release.text

    return rewrite


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("locale", ["fr", "de"])
def test_names_are_of_the_language_and_gender(one: Rewrite, lang: str, locale: str) -> None:
    first, last = NAMES[lang]
    for person in map(str, range(12)):
        given_name = one(first, "FIRST_NAME", lang, locale=locale, person=person)
        family_name = one(last, "LAST_NAME", lang, locale=locale, person=person)
        # A name that no list has is replaced by one of a list, too.
        unlisted = one("Xavrilon", "LAST_NAME", lang, locale=locale, person=person)
        for name in (family_name, unlisted):
            words = re.split("[ -]", fold(name).removeprefix("de "))
            assert set(words) <= set(name_lists.family(lang).places)
        for word in re.split("[ -]", fold(given_name)):
            assert name_lists.given(lang).genders[word] in ("F", "")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_addresses_are_of_the_language(one: Rewrite, lang: str) -> None:
    values = VALUES[lang]
    towns = lexicon.load("cities", lang)
    for person in map(str, range(12)):
        town = one(values["CITY"], "CITY", lang, person=person)
        assert town in towns.entries
        code = one(values["ZIP"], "ZIP", lang, person=person)
        form = r"[1-9]\d{3} [A-Z]{2}" if lang == "nl" else r"\d{5}"
        assert re.fullmatch(form, code)
        assert code[: len(towns.codes[0])] in towns.codes
        assert re.fullmatch(STREETS[lang], one(values["STREET"], "STREET", lang, person=person))
        assert re.fullmatch(PHONES[lang], one(values["PHONE"], "PHONE", lang, person=person))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("label", LISTED)
def test_listed_values_are_of_the_language(one: Rewrite, lang: str, label: str) -> None:
    entries = lexicon.load(LISTED[label], lang).entries
    for person in map(str, range(5)):
        assert one(entries[7], label, lang, person=person) in entries


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_patients_own_names_are_one_in_all_notes(one: Rewrite, lang: str) -> None:
    record = PatientRecord(
        "42",
        given_names=("Mercedes",),
        family_names=("Schneider",),
        gender="F",
        relatives=(PersonName(("Pieter",), ("Bakker",)),),
    )
    for locale in LANGUAGES:
        for value, label in (
            ("Mercedes", "FIRST_NAME"), ("Schneider", "LAST_NAME"), ("Pieter", "FIRST_NAME"),
            ("Bakker", "LAST_NAME"), ("SCHNEIDER", "LAST_NAME"),
        ):  # fmt: skip
            at_home = one(value, label, locale, locale=locale, record=record)
            assert one(value, label, lang, locale=locale, record=record) == at_home
            assert one(value, label, "", locale=locale, record=record) == at_home


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nobody_else_gets_the_patients_surrogate(one: Rewrite, lang: str) -> None:
    record = PatientRecord("42", given_names=("Zoé",), family_names=("Dupont",), gender="F")
    own = fold(one("Dupont", "LAST_NAME", "fr", record=record))
    # One edit from the patient's name is the patient's name, misspelt.
    names = [
        each
        for each in lexicon.load("family", lang).entries[::7]
        if OSA.distance(fold(each), "dupont") > 2
    ]
    assert own not in {fold(one(each, "LAST_NAME", lang, record=record)) for each in names}


@pytest.mark.parametrize("label", ["PATIENT_ID", "VISIT_ID", "PROVIDER_ID"])
def test_ids_of_rows_are_one_in_all_languages(one: Rewrite, label: str) -> None:
    # 9434765919 is an NHS number, and 111222333 a BSN: as ids of rows they are none.
    for value in ("9434765919", "111222333", "8012345678"):
        assert len({one(value, label, lang) for lang in (*LANGUAGES, "")}) == 1


@given(st.integers(0, 10**8 - 1), st.sampled_from("AKZ"))
def test_numbers_of_the_language_stay_valid(one: Rewrite, number: int, letter: str) -> None:
    body = f"{number:08d}"
    last = check_digits.bsn_digit(body)
    if last is not None and int(body):
        drawn = one(body + last, "SSN", "nl")
        assert drawn != body + last and stdnum.nl.bsn.is_valid(drawn)
    insured = letter + body + check_digits.german_digit(letter + body)
    drawn = one(insured, "INSURANCE_ID", "de")
    assert drawn != insured and check_digits.kvnr(drawn)


@pytest.mark.parametrize("value", ["86095742719", "65929970489", "57549285017"])
def test_a_german_tax_number_stays_one(one: Rewrite, value: str) -> None:
    assert stdnum.de.idnr.is_valid(value)
    drawn = {one(value, "SSN", "de", person=str(person)) for person in range(8)}
    assert value not in drawn and len(drawn) == 8
    assert all(stdnum.de.idnr.is_valid(each) for each in drawn)


@pytest.mark.parametrize(
    ("lang", "value"),
    [("de", "DE89 3704 0044 0532 0130 00"), ("nl", "NL91 ABNA 0417 1643 00")],
)
def test_an_account_stays_in_its_country(one: Rewrite, lang: str, value: str) -> None:
    drawn = one(value, "ACCOUNT", lang)
    assert stdnum.iban.is_valid(drawn)
    assert drawn[:2] == value[:2] and drawn != value


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("de", "030 12345678", r"0(?:30 23125|69 90009|40 66969|89 99998)\d{3}"),
        ("de", "+49 30 12345678", r"\+49 (?:30 23125|69 90009|40 66969|89 99998)\d{3}"),
        ("fr", "+49 (0)30 12345678", r"\+49 \(0\)(?:30 23125|69 90009|40 66969|89 99998)\d{3}"),
        ("de", "0221/1234567", r"0221/4710\d{3}"),
        ("de", "07141 123456", r"0\d{4} [2-9]\d{5}"),
        ("de", "0171 1234567", r"0171 39200\d\d"),
        ("de", "0176 12345678", r"0176 040690\d\d"),
        ("de", "01711234567", r"017139200\d\d"),
        ("de", "0800 1234567", r"0800 \d{7}"),
        ("de", "4711", r"\d{4}"),
        ("nl", "06-12345678", r"06-[1-5]\d{7}"),
        ("nl", "+31 6 12345678", r"\+31 6 [1-5]\d{7}"),
        ("nl", "0172 123456", r"0\d{3} [2-9]\d{5}"),
        ("nl", "0900-1234567", r"0900-\d{7}"),
        ("es", "+31 20 1234567", r"\+31 \d\d [2-9]\d{6}"),
    ],
)
def test_phones_keep_country_class_and_form(
    one: Rewrite, lang: str, text: str, pattern: str
) -> None:
    for label in ("PHONE", "FAX"):
        drawn = {one(text, label, lang, person=str(person)) for person in range(20)}
        assert text not in drawn
        assert [each for each in drawn if not re.fullmatch(pattern, each)] == []


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("de", "Berliner Straße 5", r"\w+straße \d"),
        ("de", "KONRAD-ADENAUER-STR. 7", r"[A-ZÄÖÜ]+STR\. \d"),
        ("de", "Am Markt 3, 2. OG", r"\w+weg \d, \d\. OG"),
        ("nl", "Van Goghlaan 3 hs", r"\w+laan \d hs"),
        ("nl", "Prinsengracht 263-III", r"\w+gracht \d{3}-III"),
    ],
)
def test_streets_keep_their_type(one: Rewrite, lang: str, text: str, pattern: str) -> None:
    drawn = one(text, "STREET", lang)
    assert re.fullmatch(pattern, drawn), drawn


@pytest.mark.parametrize(
    ("lang", "text", "pattern"),
    [
        ("de", "Universitätsklinikum Freiburg", r"Universitätsklinikum (?!Freiburg)[A-ZÄÖÜ].+"),
        ("de", "St.-Marien-Krankenhaus", r"Krankenhaus [A-ZÄÖÜ].+"),
        ("de", "Marienkrankenhaus", r"Krankenhaus [A-ZÄÖÜ].+"),
        ("de", "Station 3B", r"Station \d[A-Z]"),
        ("nl", "Ziekenhuis Gelderse Vallei", r"Ziekenhuis [A-Z].+"),
        ("nl", "St. Antonius Ziekenhuis", r"Ziekenhuis [A-Z].+"),
        ("nl", "afdeling C3", r"afdeling [A-Z]\d"),
    ],
)
def test_care_sites_keep_their_type(one: Rewrite, lang: str, text: str, pattern: str) -> None:
    drawn = one(text, "HOSPITAL", lang)
    assert re.fullmatch(pattern, drawn), drawn
    assert "Marien" not in drawn and "Antonius" not in drawn


@pytest.mark.parametrize("lang", ["it", "pt-BR", "xx", "tlh"])
def test_a_language_without_lists_is_refused(one: Rewrite, lang: str) -> None:
    for label in (Label.LAST_NAME, Label.CITY, Label.DATE):
        with pytest.raises(Unsafe) as caught:
            one("Rossi", label, lang)
        assert caught.value.reason == "no-surrogate"


def test_what_is_not_drawn_needs_no_language(cohort: CohortKey) -> None:
    actions = {label.value: Action.MASK for label in Label} | {"CITY": Action.KEEP}
    note = Document("1", "Rossi, Roma", lang="it")
    spans = (Span(0, 5, "LAST_NAME"), Span(7, 11, "CITY"))
    assert Rewriter(cohort, Policy(actions)).rewrite(note, spans, None).text == "[LAST_NAME], Roma"
    assert Rewriter(cohort, Policy()).rewrite(note, (), None).text == note.text


@pytest.mark.parametrize(("tag", "lang"), [("es-MX", "es"), ("DE", "de"), ("nl_BE", "nl")])
def test_a_tag_is_its_language(one: Rewrite, tag: str, lang: str) -> None:
    for label, value in VALUES[lang].items():
        assert one(value, label, tag) == one(value, label, lang)


@pytest.mark.parametrize("lang", ["", *LANGUAGES, "it"])
def test_the_first_version_draws_in_the_language_of_the_policy(one: Rewrite, lang: str) -> None:
    for label, value in (("CITY", "Madrid"), ("LAST_NAME", "García"), ("FIRST_NAME", "Ursula")):
        drawn = one(value, label, lang, algorithm=2)
        assert drawn == one(value, label, "fr", algorithm=2)


def test_the_first_version_has_three_languages(master: MasterKey) -> None:
    first = master.cohort("languages", algorithm=2)
    for locale in LANGUAGES:
        if locale in FIRST_LANGUAGES:
            Rewriter(first, Policy(locale=locale))
        else:
            with pytest.raises(ConfigError):
                Rewriter(first, Policy(locale=locale))
    with pytest.raises(ConfigError):
        Policy(locale="it")


def test_the_lists_say_how_many_names_they_have() -> None:
    """docs/surrogates.md counts them."""
    text = (Path(__file__).parents[2] / "docs" / "surrogates.md").read_text(encoding="utf-8")
    for lang in LANGUAGES:
        kinds = ("family", "given.male", "given.female", "given.both")
        names = {kind: lexicon.rows(kind, lang) for kind in kinds if _has(kind, lang)}
        family = sum(code != "r" for _, code in names["family"])
        given_names = sum(code != "r" for kind in names for _, code in names[kind]) - family
        towns = len(lexicon.load("cities", lang))
        assert f"| {lang} | {family:,} | {given_names:,} | {towns:,} |" in text


def _has(kind: str, lang: str) -> bool:
    return bool(lexicon.rows(kind, lang))
