"""The made-up hospital: exact spans, nothing known left outside them, variety, determinism."""

import hashlib
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from locales import registry
from record.errors import ConfigError
from record.patient import PatientRecord
from synthesis.fictional.hospital import make_hospital, make_hospital_for
from synthesis.fictional.people.people import ORDINARY_WORDS, is_ordinary
from synthesis.fictional.people.records import FictionalNote, Hospital
from synthesis.fictional.templates.languages import LANGUAGES

ROOT = Path(__file__).parents[3]
LANGS = ("fr", "en", "es", "de", "nl")
DATES = ("DATE", "BIRTH_DATE")


@cache
def hospital(lang: str) -> Hospital:
    return make_hospital(70, seed=11, lang=lang)


@cache
def notes(lang: str) -> tuple[FictionalNote, ...]:
    return tuple(hospital(lang).notes())


def planted(lang: str) -> list[tuple[FictionalNote, str, str]]:
    return [
        (note, span.label, note.annotated.document.text[span.start : span.end])
        for note in notes(lang)
        for span in note.annotated.spans
    ]


# An oracle that shares no code with the fiction: letters without case, accents and hyphens.


def plain(text: str) -> str:
    out = []
    for char in text:
        base = unicodedata.normalize("NFD", char)[0].lower()
        out.append(" " if base in "-\n" else base if len(base) == 1 else char)
    return "".join(out)


def spaced_digits(number: str) -> str:
    return r"[ .()\-]{0,2}".join(char for char in number if char.isdigit())


def patterns(record: PatientRecord) -> list[str]:
    relatives = [n for r in record.relatives for n in (*r.given_names, *r.family_names)]
    address = record.addresses[0]
    values = [*record.given_names, *record.family_names, *record.birth_names, *relatives]
    values += [address.street, address.zip, address.city, address.country, *record.emails]
    found = [re.escape(plain(value)) for value in values]
    found += [spaced_digits(phone) for phone in record.phones]
    numbers = [i.value for i in record.identifiers if i.value[-1].isdigit()]
    return found + [spaced_digits(number) for number in numbers if len(number) > 8]


def births(day: date, lang: str) -> list[str]:
    month = registry.LANGUAGES[lang].dates.months[0].words[day.month - 1].lower()
    first, second = (day.month, day.day) if lang == "en" else (day.day, day.month)
    words = f"{month} {day.day}, {day.year}" if lang == "en" else f"{day.day} {month} {day.year}"
    words = f"{day.day}. {month} {day.year}" if lang == "de" else words
    sign = {"de": ".", "nl": "-"}.get(lang, "/")
    return [f"{first:02}{sign}{second:02}{sign}{day.year}", day.isoformat(), words]


@pytest.mark.parametrize("lang", LANGS)
def test_nothing_known_of_the_patient_stands_outside_a_span(lang: str) -> None:
    record_patterns = {
        number: re.compile("|".join(rf"(?<!\w){p}(?!\w)" for p in patterns(record)))
        for number, record in hospital(lang).patients.items()
    }
    hits = 0
    for note in notes(lang):
        text = note.annotated.document.text
        covered = {i for s in note.annotated.spans for i in range(s.start, s.end)}
        for match in record_patterns[note.person_id].finditer(plain(text)):
            hits += 1
            letters = [i for i in range(*match.span()) if text[i].isalnum()]
            assert covered.issuperset(letters), (note.note_id, match.span())
    assert hits > 5 * len(notes(lang))


@pytest.mark.parametrize("lang", LANGS)
def test_the_birth_date_is_a_birth_date_wherever_it_recurs(lang: str) -> None:
    for note in notes(lang):
        born = hospital(lang).patients[note.person_id].birth_date
        assert born is not None
        text = note.annotated.document.text.lower()
        labels = {(s.start, s.end): s.label for s in note.annotated.spans}
        for form in births(born, lang):
            for match in re.finditer(rf"(?<!\d){re.escape(form.lower())}(?!\d)", text):
                holding = [
                    v for (a, b), v in labels.items() if a <= match.start() and match.end() <= b
                ]
                assert holding == ["BIRTH_DATE"]


@pytest.mark.parametrize("lang", LANGS)
def test_spans_are_sorted_disjoint_tight_and_named(lang: str) -> None:
    for note in notes(lang):
        document, spans = note.annotated.document, note.annotated.spans
        assert all(a.end <= b.start for a, b in pairwise(spans))
        assert all(
            document.text[s.start : s.end] == document.text[s.start : s.end].strip() for s in spans
        )
        assert (document.note_id, document.person_id) == (str(note.note_id), str(note.person_id))
        assert (document.lang, document.kind, document.written) == (lang, note.kind, note.written)
        assert not re.search(r"[{}\[\]|]{2}|\{|\}", document.text)


@pytest.mark.parametrize("lang", LANGS)
def test_values_belong_to_the_patient(lang: str) -> None:
    for note, label, value in planted(lang):
        record = hospital(lang).patients[note.person_id]
        if label == "PATIENT_ID":
            assert value == record.identifiers[0].value
        if label == "SSN":
            assert value.replace(" ", "").replace("-", "") == record.identifiers[1].value.replace(
                "-", ""
            )
        if label == "BIRTH_DATE" and value[:4].isdigit():
            assert date.fromisoformat(value) == record.birth_date


@pytest.mark.parametrize("lang", LANGS)
def test_every_kind_is_written_and_recurs(lang: str) -> None:
    kinds = Counter(note.kind for note in notes(lang))
    assert set(kinds) == {
        "discharge", "operation", "pathology", "imaging",
        "emergency", "nursing", "consultation", "board",
    }  # fmt: skip
    assert min(kinds.values()) >= 10


EVERY_LABEL = set(
    "FIRST_NAME LAST_NAME USERNAME DATE BIRTH_DATE AGE STREET ZIP CITY REGION HOSPITAL "
    "ORGANIZATION PROFESSION PHONE FAX EMAIL URL SSN PATIENT_ID VISIT_ID PROVIDER_ID "
    "INSURANCE_ID ACCOUNT DEVICE_ID".split()
)


@pytest.mark.parametrize("lang", LANGS)
def test_every_label_occurs(lang: str) -> None:
    seen = {label for _, label, _ in planted(lang)}
    assert seen >= EVERY_LABEL
    ages = [value for _, label, value in planted(lang) if label == "AGE"]
    assert any(int(re.sub(r"\D.*", "", age)) > 89 for age in ages)


# One pattern for each way of writing a day; numbers of French first days end in "er".
_SHARED = (
    r"\d\d/\d\d/\d{4}", r"\d\d\.\d\d\.\d{4}", r"\d\d-\d\d-\d\d", r"\d{4}-\d\d-\d\d",
    r"\d\d/\d\d", r"\d+/\d+/\d\d", r"\d{4}",
)  # fmt: skip
FORMATS = {
    "fr": (
        *_SHARED, r"\d+ [a-zéû]+ \d{4}", r"1er [a-zéû]+ \d{4}", r"[a-zéû]+ \d{4}",
        r"\d+[a-zéû]+\d{4}",
        r"\d+ [a-zéû]+\. \d{4}|1er.*", r"[a-z]+ (?:\d+|1er) [a-zéû]+ \d{4}", r"\d\d \d\d \d{4}",
        r"(?:\d+|1er) [A-ZÉÛ]+ \d{4}", r"\d+ [a-zéû]+|1er.*", r"\d\d?|1er",
    ),
    "en": (
        *_SHARED, r"[A-Z][a-z]+ \d+, \d{4}", r"[A-Z][a-z]+ \d{4}", r"\d+[A-Z][a-z]+\d{4}",
        r"[A-Z][a-z]+day, [A-Z][a-z]+ \d+, \d{4}", r"[A-Z]{3,} \d+, \d{4}", r"[A-Z][a-z]+ \d+",
        r"[A-Z][a-z]+ \d+(?:st|nd|rd|th), \d{4}",
    ),
    "es": (
        *_SHARED, r"\d+ de [a-z]+ de \d{4}", r"[a-z]+ de \d{4}", r"\d+[a-z]+\d{4}",
        r"[a-zéá]+ \d+ de [a-z]+ de \d{4}", r"\d+ DE [A-Z]+ DE \d{4}", r"\d+ [a-z]+\. \d{4}",
        r"\d+ de [a-z]+", r"\d+ [a-z]+ \d{4}", r"\d\d?",
    ),
    "de": (
        r"\d\d\.\d\d\.\d{4}", r"\d+\. [A-Z][a-zä]+ \d{4}", r"\d+\.\d+\.\d{4}",
        r"\d\d\.\d\d\.\d\d", r"\d{4}-\d\d-\d\d",
        r"[A-Z][a-z]+, \d+\. [A-Z][a-zä]+ \d{4}", r"\d+\. [A-ZÄ]+ \d{4}",
        r"\d+\. [A-Z][a-zä]+\. \d{4}", r"\d+\. [A-Z][a-zä]+",
        r"[A-Z][a-zä]+ \d{4}", r"\d{4}", r"\d\d?",
    ),
    "nl": (
        r"\d\d-\d\d-\d{4}", r"\d+ [a-z]+ \d{4}", r"\d+-\d+-\d{4}", r"\d\d-\d\d-\d\d",
        r"\d+/\d+/\d{4}", r"\d{4}-\d\d-\d\d", r"[a-z]+dag \d+ [a-z]+ \d{4}",
        r"\d+ [A-Z]+ \d{4}", r"\d+ [a-z]+", r"[a-z]+ \d{4}", r"\d{4}", r"\d\d?",
    ),
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGS)
def test_every_way_of_writing_a_day_occurs_and_no_other(lang: str) -> None:
    days = {value for _, label, value in planted(lang) if label in DATES}
    forms = [re.compile(form) for form in FORMATS[lang]]
    for form in forms:
        assert any(form.fullmatch(day) for day in days), form.pattern
    assert all(any(form.fullmatch(day) for form in forms) for day in days)


@pytest.mark.parametrize("lang", LANGS)
def test_traps_occur_and_never_lie_inside_a_span(lang: str) -> None:
    found = Counter[str]()
    for note in notes(lang):
        text = note.annotated.document.text
        for trap in LANGUAGES[lang].traps:
            for match in re.finditer(re.escape(trap), text):
                found[trap] += 1
                assert not any(
                    s.start < match.end() and match.start() < s.end for s in note.annotated.spans
                ), trap
    assert len(found) > 0.8 * len(LANGUAGES[lang].traps)


@pytest.mark.parametrize("lang", LANGS)
def test_no_patient_bears_a_word_that_notes_write(lang: str) -> None:
    ordinary = set(ORDINARY_WORDS[lang].split())
    for record in hospital(lang).patients.values():
        names = (*record.given_names, *record.family_names, *record.birth_names)
        assert not any(is_ordinary(name, ordinary) for name in names)
    surnames = {c.name.family_names[0] for c in hospital(lang).clinicians}
    assert any(is_ordinary(name, ordinary | {"charcot", "parkinson"}) for name in surnames)


@pytest.mark.parametrize("lang", LANGS)
def test_chronology_holds(lang: str) -> None:
    seen: dict[int, list[FictionalNote]] = defaultdict(list)
    visits = {visit.visit_id: visit for visit in hospital(lang).visits}
    for note in notes(lang):
        seen[note.person_id].append(note)
        visit = visits[note.visit_id]
        assert visit.person_id == note.person_id
        assert visit.start <= note.written and (note.written - visit.end).days <= 6
    for person_id, own in seen.items():
        born = hospital(lang).patients[person_id].birth_date
        starts = [visits[note.visit_id].start for note in own]
        assert starts == sorted(starts)
        assert born is not None and starts[0].date() > born
        stays = sorted((v.start, v.end) for v in visits.values() if v.person_id == person_id)
        assert all(a[1] < b[0] for a, b in pairwise(stays))


def test_ids_count_from_one_and_each_iteration_starts_anew() -> None:
    assert [note.note_id for note in notes("fr")] == list(range(1, len(notes("fr")) + 1))
    again = hospital("fr").notes()
    assert [next(again) for _ in range(5)] == list(notes("fr")[:5])


def test_clinicians_recur_across_patients() -> None:
    patients = defaultdict(set)
    for note in notes("fr"):
        patients[note.provider_id].add(note.person_id)
    assert sum(len(theirs) > 3 for theirs in patients.values()) > 10


@pytest.mark.parametrize("mean", [1200, 2000, 3000])
def test_length_follows_the_mean(mean: int) -> None:
    small = make_hospital(40, seed=3, mean_characters=mean)
    lengths = [len(note.annotated.document.text) for note in small.notes()]
    assert 0.9 * mean < sum(lengths) / len(lengths) < 1.1 * mean


def test_renderings_follow_the_shares() -> None:
    small = make_hospital(80, seed=3, pdf_share=0.3, scan_share=0.1)
    renderings = [note.rendering for note in small.notes()]
    assert 0.24 < renderings.count("pdf") / len(renderings) < 0.36
    assert 0.06 < renderings.count("scan") / len(renderings) < 0.14


FINGERPRINTS = """
import hashlib, json, sys
from synthesis.fictional.hospital import make_hospital
digests = {lang: hashlib.sha256() for lang in sys.argv[1:]}
for lang, digest in digests.items():
    for note in make_hospital(6, seed=4, lang=lang).notes():
        digest.update((note.annotated.document.text + repr(note)).encode())
print(json.dumps({lang: digest.hexdigest() for lang, digest in digests.items()}))
"""


@cache
def fingerprints(hash_seed: str) -> dict[str, str]:
    """What a process with a hash seed makes of the notes of each language."""
    done = subprocess.run(
        [sys.executable, "-c", FINGERPRINTS, *LANGS],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    made: dict[str, str] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize("lang", LANGS)
def test_same_seed_same_bytes_whatever_the_hash_seed(lang: str) -> None:
    digests = {fingerprints(hash_seed)[lang] for hash_seed in ("0", "77")}
    assert len(digests) == 1
    texts = [n.annotated.document.text for n in make_hospital(6, seed=5, lang=lang).notes()]
    assert hashlib.sha256("".join(texts).encode()).hexdigest() not in digests


def test_adopted_persons_keep_gender_and_birth_date() -> None:
    known = {
        900: PatientRecord("900", gender="F", birth_date=date(1921, 3, 4)),
        17: PatientRecord("17", gender="M", birth_date=date(2019, 8, 1)),
        44: PatientRecord("44"),
    }
    adopted = make_hospital_for(known, seed=2, lang="en", notes_per_patient=6)
    assert set(adopted.patients) == set(known)
    assert adopted.patients[900].birth_date == date(1921, 3, 4)
    assert adopted.patients[17].gender == "M"
    assert adopted.patients[44].birth_date is not None
    assert {note.person_id for note in adopted.notes()} == set(known)


def test_adopted_visits_receive_the_notes() -> None:
    first = make_hospital(5, seed=1, lang="es")
    adopted = make_hospital_for(
        first.patients, seed=8, lang="es", visits=first.visits, clinicians=first.clinicians,
        care_sites=first.care_sites,
    )  # fmt: skip
    assert adopted.visits == first.visits
    ids = {visit.visit_id: visit.person_id for visit in first.visits}
    assert all(ids[note.visit_id] == note.person_id for note in adopted.notes())


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ConfigError):
        make_hospital(1, seed=1, lang="it")
