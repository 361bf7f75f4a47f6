"""Whatever a model writes for an identifier, the note gets one that is well formed."""

import re
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from random import Random

import stdnum.es.dni
import stdnum.es.nie
import stdnum.fr.nir
import stdnum.iban
import stdnum.nl.bsn
from hypothesis import given, settings
from hypothesis import strategies as st

from locales import check_digits
from pipeline.files.pseudonymization import load_policy
from record.document import Annotated, Document
from record.span import Span
from surrogates.dates.dates import UNDATED, complete_dates
from surrogates.dates.parsing import parse
from surrogates.keys.keys import CohortKey
from synthesis.fictional.people import identifiers
from synthesis.identifier_filling import IdentifierFiller, donors_of

LANGS = ("fr", "en", "es", "nl")
BIRTH = date(1950, 2, 3)
ZIPS = {"fr": "75012", "en": "02139", "es": "28009", "nl": "1017 GN"}
FORMS = {"fr": r"\d{5}", "en": r"\d{5}", "es": r"\d{5}", "nl": r"\d{4} [A-Z]{2}"}
TOWNS = {"fr": "Rouen", "en": "Boston", "es": "Madrid", "nl": "Amsterdam"}
AGES = {"fr": "74 ans", "en": "74-year-old", "es": "74 a\xf1os", "nl": "74-jarige"}


def is_american(number: str) -> bool:
    """By form alone: surrogates have an area that was never issued, which check digits refuse."""
    return re.fullmatch(r"\d{3}-\d{2}-\d{4}", number) is not None


NATIONAL: dict[str, tuple[Callable[[str], bool], Callable[[str], bool]]] = {
    "fr": (check_digits.nir_valid, stdnum.fr.nir.is_valid),
    "en": (is_american, is_american),
    "es": (
        check_digits.dni_or_nie,
        lambda number: stdnum.es.dni.is_valid(number) or stdnum.es.nie.is_valid(number),
    ),
    "nl": (lambda number: check_digits.bsn_digit(number[:8]) == number[8], stdnum.nl.bsn.is_valid),
}


def donors(lang: str) -> dict[str, list[str]]:
    rng = Random(f"donors/{lang}")
    national = [
        identifiers.national_number(rng, lang, gender=sex, birth=BIRTH, zip_code=ZIPS[lang])
        for sex in "MFMF"
    ]
    return {
        "SSN": national,
        "PATIENT_ID": [identifiers.patient_number(rng) for _ in range(4)],
        "PROVIDER_ID": [identifiers.provider_number(rng, lang) for _ in range(4)],
        "INSURANCE_ID": [identifiers.insurance_number(rng, lang) for _ in range(4)],
        "ACCOUNT": [identifiers.iban(rng, lang) for _ in range(4)],
        "PHONE": [identifiers.phone(rng, lang) for _ in range(4)],
        "ZIP": [ZIPS[lang]],
        "CITY": [TOWNS[lang]],
        "EMAIL": ["a.martin@example.org"],
        "NAME": ["Anna Martin"],
        "DATE": ["12/03/2024", "5/11/2023"],
        "BIRTH_DATE": ["03/02/1950"],
        "AGE": [AGES[lang]],
    }


def filler(lang: str) -> IdentifierFiller:
    policy = load_policy("synthetic-source", lang)
    return IdentifierFiller(donors(lang), CohortKey(bytes(range(32))), policy)


FILLERS = {lang: filler(lang) for lang in LANGS}


def marked(lang: str, parts: list[tuple[str, str]], number: int = 0) -> Annotated:
    text, spans = "", []
    for label, value in parts:
        text += "seen: "
        spans.append(Span(len(text), len(text) + len(value), label, "synthetic"))
        text += value + " ;\n"
    return Annotated(Document(f"s{number}", text, lang=lang), tuple(spans))


def values(note: Annotated, label: str) -> list[str]:
    text = note.document.text
    return [text[span.start : span.end] for span in note.spans if span.label == label]


def day_of(text: str, lang: str) -> date:
    form = parse(text, lang=lang, latest=UNDATED.year + 3)
    assert form is not None
    found = complete_dates(form.groups, UNDATED)
    assert found is not None
    return found[0]


WRITTEN = st.one_of(
    st.sampled_from(["7", "99/99/9", "12/13/20245", "1 2 3", "xx", "03.04.2021", "85", "12 mai"]),
    st.text("0123456789 ./-abX", min_size=1, max_size=14).filter(
        lambda s: any(map(str.isalnum, s))
    ),
)
LABELS = ("DATE", "DATE", "BIRTH_DATE", "AGE", "SSN", "PATIENT_ID", "PROVIDER_ID", "INSURANCE_ID",
          "ACCOUNT", "PHONE", "ZIP", "EMAIL", "DATE", "SSN")  # fmt: skip


@settings(max_examples=25)
@given(st.sampled_from(LANGS), st.lists(WRITTEN, min_size=14, max_size=14), st.integers(0, 99))
def test_all_identifiers_are_well_formed_whatever_was_written(
    lang: str, written: list[str], number: int
) -> None:
    note = FILLERS[lang].fill(marked(lang, list(zip(LABELS, written, strict=True))), number)
    assert [span.label for span in note.spans] == list(LABELS)
    ours, outside = NATIONAL[lang]
    for value in values(note, "SSN"):
        assert ours(value) and outside(value)
    assert len(set(values(note, "SSN"))) == 1  # one person has one
    (account,) = values(note, "ACCOUNT")
    if lang != "en":
        assert check_digits.iban(account.replace(" ", "")) and stdnum.iban.is_valid(
            account, check_country=False
        )
    assert all(re.fullmatch(FORMS[lang], value) for value in values(note, "ZIP"))
    assert all(re.fullmatch(r"\d{10}", value) for value in values(note, "PATIENT_ID"))
    assert all("@" in value for value in values(note, "EMAIL"))
    # What was written alike is the same day. One without its year is read as of another day here.
    dates = dict.fromkeys(values(note, "DATE"))
    days = [day_of(each, lang) for each in dates if re.search(r"\d{4}", each)]
    assert all(one <= other for one, other in pairwise(days))
    (written_birth,) = values(note, "BIRTH_DATE")
    if not re.search(r"\d{4}", written_birth):
        return
    born = day_of(written_birth, lang)
    (age,) = [re.search(r"\d+", value) for value in values(note, "AGE")]
    assert age is not None
    for day in days:
        years = day.year - born.year - ((day.month, day.day) < (born.month, born.day))
        assert years == int(age[0])


def test_an_age_takes_a_form_that_ages_have() -> None:
    for lang, form in AGES.items():
        # The model wrote the number alone, which no note does.
        note = FILLERS[lang].fill(marked(lang, [("AGE", "67")]), 1)
        assert re.sub(r"\d+", "67", values(note, "AGE")[0]) == form.replace("74", "67")


def test_one_person_has_one_name_and_nothing_that_was_written_is_kept() -> None:
    parts = [("NAME", "Zx Qwert"), ("NAME", "Paul Petit"), ("NAME", "Zx Qwert"), ("ZIP", "7501")]
    note = FILLERS["fr"].fill(marked("fr", parts), 3)
    first, other, again = values(note, "NAME")
    assert first == again != other
    assert not any(written in note.document.text for _, written in parts)
    assert all(span.detector == "synthetic" for span in note.spans)


def test_the_same_seed_gives_the_same_note_and_each_note_is_another_person() -> None:
    parts = [("NAME", "Paul Petit"), ("DATE", "1/2/2020"), ("SSN", "1")]
    texts = [
        FILLERS["fr"].fill(marked("fr", parts, number), seed).document.text
        for number, seed in ((0, 1), (0, 1), (1, 1), (0, 2))
    ]
    assert texts[0] == texts[1] and len(set(texts)) == 3


def test_what_is_no_identifier_stays_where_it_is() -> None:
    parts = [("NAME", "Paul Petit"), ("DISEASE", "asthme"), ("CITY", "X")]
    note = FILLERS["fr"].fill(marked("fr", parts), 5)
    assert values(note, "DISEASE") == ["asthme"]
    assert [span.label for span in note.spans] == ["NAME", "DISEASE", "CITY"]
    plain = marked("fr", [("DISEASE", "asthme")])
    assert FILLERS["fr"].fill(plain, 1) == plain


def test_the_form_of_one_patient_is_nobodys() -> None:
    notes = [marked("fr", [("PATIENT_ID", value)]) for value in ("12345", "AB-1", "67890", "24680")]
    assert donors_of(notes, ["1", "2", "3", "4"]) == {"PATIENT_ID": ["12345", "24680", "67890"]}
    assert donors_of(notes[:2], ["1", "2"])["PATIENT_ID"] == ["AB-1"]


def test_birth_dates_are_written_where_a_release_has_only_their_months_or_years() -> None:
    policy = load_policy("synthetic-source", "fr")
    for known in (["février 1950"], ["1925"], []):
        given_donors = donors("fr") | {"BIRTH_DATE": known}
        written = IdentifierFiller(given_donors, CohortKey(bytes(range(32))), policy).fill(
            marked("fr", [("BIRTH_DATE", "x7")]), 1
        )
        (birth,) = values(written, "BIRTH_DATE")
        assert re.search(r"\d{4}$", birth) and "x7" not in birth


@given(st.integers(0, 999), st.sampled_from((": {}", "{} (", "({}", "{},", ". {}:")))
@settings(max_examples=20, deadline=None)
def test_signs_that_a_model_drew_into_a_date_go(place: int, drawn: str) -> None:
    value = drawn.format("12/03/2024")
    text = f"Seen {value} at home."
    note = Annotated(Document("n", text, lang="en"), (Span(5, 5 + len(value), "DATE"),))
    filled = FILLERS["en"].fill(note, 1, place)
    (span,) = filled.spans
    assert re.fullmatch(r"\d{1,2}/\d{1,2}/\d{4}", filled.document.text[span.start : span.end])
