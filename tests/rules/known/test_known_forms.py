import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from record.document import Document
from record.patient import PatientRecord
from record.span import Span
from rules.known import (
    birth_dates,
    concatenated_names,
    context,
    digit_gaps,
    known,
    misspelled_names,
    variants,
)
from rules.known import numbers as digits
from rules.known.known import KnownPatient
from rules.known.variants import words
from rules.matching import normalization
from tests.rules.known import test_birth_dates, test_known, test_misspelled_names
from tests.rules.known.forms_known import Letter, letters
from tests.rules.mutation import survivors

PATIENTS = 500
MODULES = (
    known, birth_dates, digit_gaps, digits, concatenated_names, context, misspelled_names, variants,
    normalization,
)  # fmt: skip
LANGS = ("fr", "en", "es", "de", "nl")
EXTENSIONS = PatientRecord(
    "1",
    phones=(
        "344.976.2168x2752",
        "926 626 5418 ext. 17",
        "01 44 55 66 88 poste 12",
        "212-555-0188 #4",
    ),
)


@cache
def _patients() -> tuple[tuple[PatientRecord, list[Letter]], ...]:
    return tuple(letters(number) for number in range(PATIENTS))


@cache
def _detected() -> tuple[tuple[Letter, list[Span]], ...]:
    return tuple(
        (letter, patient.detect(letter.document()))
        for record, written in _patients()
        for patient in [KnownPatient(record)]
        for letter in written
    )


def _covered(letter: Letter, spans: list[Span], start: int, end: int) -> bool:
    places = {at for span in spans for at in range(span.start, span.end)}
    return all(at in places for at in range(start, end) if letter.text[at].isalnum())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "least", "each"),
    [("exact", 0.995, 0.99), ("misspelt", 0.95, 0.95), ("misread", 0.95, 0.95)],
)
def test_mentions_of_500_patients_are_found(kind: str, least: float, each: float) -> None:
    wanted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    missed: list[str] = []
    for letter, spans in _detected():
        for start, end, mention in letter.mentions:
            if mention == kind:
                wanted[letter.lang] += 1
                if _covered(letter, spans, start, end):
                    found[letter.lang] += 1
                else:
                    missed.append(letter.text[max(0, start - 20) : end + 10])
    assert min(wanted[lang] for lang in LANGS) > 150
    assert found.total() >= least * wanted.total(), (found, wanted, missed[:40])
    assert all(found[lang] >= each * wanted[lang] for lang in LANGS), (found, wanted, missed[:40])


@pytest.mark.slow
def test_of_100_finds_99_are_mentions() -> None:
    wrong = [
        letter.text[max(0, span.start - 20) : span.end + 20]
        for letter, spans in _detected()
        for span in spans
        if not any(start < span.end and span.start < end for start, end, _ in letter.mentions)
    ]
    assert len(wrong) <= 0.01 * sum(len(spans) for _, spans in _detected()), wrong[:40]


def _values(record: PatientRecord) -> set[str]:
    names = [*record.given_names, *record.family_names, *record.birth_names]
    for relative in record.relatives:
        names += [*relative.given_names, *relative.family_names]
    for address in record.addresses:
        names += [address.street, address.city]
    return {word for name in names for word in words(name) if len(word) > 2}


def _near(one: str, two: str) -> bool:
    # Elizabeth and Élisabeth: the one misspelt may well be the other.
    return OSA.distance(one, two) <= (2 if len(one) >= 5 else 0)


@pytest.mark.slow
def test_no_mention_is_found_with_the_record_of_a_stranger() -> None:
    rng = random.Random(5)
    strangers = 0
    for record, written in _patients():
        other, _ = rng.choice(_patients())
        if any(_near(one, two) for one in _values(other) for two in _values(record)):
            continue
        strangers += 1
        known = KnownPatient(other)
        for letter in written:
            spans = known.detect(letter.document())
            for start, end, kind in letter.mentions:
                found = [span for span in spans if span.start < end and start < span.end]
                assert kind == "other" or not found, letter.text[max(0, start - 20) : end + 20]
    assert strangers > 200


@settings(max_examples=40, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True),
    order=st.randoms(use_true_random=False),
)
def test_what_is_found_depends_on_no_other_patient(
    numbers: list[int], order: random.Random
) -> None:
    def found(number: int, known: KnownPatient) -> list[list[Span]]:
        _, written = letters(number)
        clinicians = letters(number + 1)[0].relatives
        return [
            known.detect(replace(letter.document(), clinicians=clinicians)) for letter in written
        ]

    apart = {number: found(number, KnownPatient(letters(number)[0])) for number in numbers}
    compiled = {number: KnownPatient(letters(number)[0]) for number in numbers}
    order.shuffle(numbers)
    assert {number: found(number, compiled[number]) for number in numbers} == apart


def test_misspellings_are_left_to_detection() -> None:
    record, written = letters(0)
    known = KnownPatient(record)
    letter = written[3]
    exact = known.find(letter.text, lang=letter.lang)
    close = known.find(letter.text, lang=letter.lang, misspelt=True)
    assert len(close) > len(exact)
    assert set(exact) <= set(close) | {
        one for one in exact if any(a <= one[0] and one[1] <= b for a, b, _ in close)
    }
    assert len(known.detect(letter.document(), misspelt=False)) == len(exact)


def _lines(*tests: Callable[..., None]) -> list[tuple[str, str]]:
    marks = [mark for test in tests for mark in test.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    cases = [case if isinstance(case, str) else case[1] for mark in marks for case in mark.args[1]]
    return [(re.sub(r"\[{1,2}([^\]|]*)\|[A-Z_]+\]{1,2}", r"\1", case), "") for case in cases]


@pytest.mark.slow
def test_every_alternative_is_needed() -> None:
    lines = _lines(
        test_known.test_known_values_are_found_however_they_are_written,
        test_known.test_other_countries,
        test_known.test_words_joined_names_initials_and_misread_digits,
        test_known.test_eponyms_are_no_names_where_a_disease_or_a_sign_is_meant,
        test_misspelled_names.test_names_with_letters_wrong,
        test_birth_dates.test_damaged_dates_of_birth_are_found_whole,
    )
    lines.append(("3449762168, 9266265418, 144556688, 2125550188", ""))
    lines.append(("344.976.216Bx2752, 926 626 541Bext 17, 01 44 55 66 8Bposte 12", ""))
    lines += [(line, "fr") for line, _ in lines]
    others = vars(test_known.test_other_countries)["pytestmark"][0].args[1]
    records = [test_known.JEAN, test_known.PETIT, test_known.FOLEY, test_known.CONDE]
    records += [test_misspelled_names.MARTIN, EXTENSIONS, *(record for record, _ in others)]

    def detect(document: Document) -> list[Span]:
        normalization.views.cache_clear()
        return [span for record in records for span in KnownPatient(record).detect(document)]

    assert survivors(MODULES, detect, lines) == []
