"""FHIR resources as rows: what becomes known of a patient, and which form of a document is read."""

import base64
import json
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.exports.fhir import FhirExport, find_key
from pipeline.exports.records import KEY_BITS, make_number, make_order, split_lines
from record.errors import Unreadable

FHIR = FhirExport()


def encode(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def rows(resource: dict[str, Any] | str) -> list[Any]:
    data = resource if isinstance(resource, str) else json.dumps(resource)
    found, reasons = FHIR.read_rows(data.encode())
    assert reasons == []
    return found


def document(*attachments: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "resourceType": "DocumentReference",
        "id": "d1",
        "status": "current",
        "content": [{"attachment": attachment} for attachment in attachments],
        **fields,
    }


# The specification's first example, shortened (hl7.org/fhir/R4/patient-example.json).
CHALMERS = {
    "resourceType": "Patient",
    "id": "example",
    "identifier": [
        {
            "use": "usual",
            "type": {
                "coding": [
                    {"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}
                ]
            },
            "system": "urn:oid:1.2.36.146.595.217.0.1",
            "value": "12345",
        }
    ],
    "active": True,
    "name": [
        {"use": "official", "family": "Chalmers", "given": ["Peter", "James"]},
        {"use": "usual", "given": ["Jim"]},
        {"use": "maiden", "family": "Windsor", "given": ["Peter", "James"]},
    ],
    "telecom": [
        {"use": "home"},
        {"system": "phone", "value": "(03) 5555 6473", "use": "work", "rank": 1},
        {"system": "email", "value": "jim@example.org"},
    ],
    "gender": "male",
    "birthDate": "1974-12-25",
    "_birthDate": {"extension": [{"url": "x", "valueDateTime": "1974-12-25T14:35:45-05:00"}]},
    "deceasedBoolean": False,
    "address": [
        {
            "use": "home",
            "text": "534 Erewhon St PeasantVille, Rainbow, Vic  3999",
            "line": ["534 Erewhon St", None, "Back door"],
            "city": "PleasantVille",
            "state": "Vic",
            "postalCode": "3999",
        }
    ],
    "contact": [
        {
            "relationship": [{"coding": [{"code": "N"}]}],
            "name": {"family": "du Marché", "given": ["Bénédicte"]},
            "telecom": [{"system": "phone", "value": "+33 (237) 998327"}],
        }
    ],
    "managingOrganization": {"reference": "Organization/1"},
}


def test_all_that_a_patient_resource_tells_is_known() -> None:
    found = rows(CHALMERS)
    assert {row.key for row in found} == {"Patient/example"}
    person = next(row.values for row in found if row.table == "person")
    assert (person["year_of_birth"], person["month_of_birth"], person["day_of_birth"]) == (
        1974,
        12,
        25,
    )
    assert (person["gender_concept_id"], person["person_source_value"]) == (8507, "12345")
    assert [row.values for row in found if row.table == "patient_identity"] == [
        {"birth_date": "1974-12-25", "gender": "M"},
        {"given_names": ("Peter", "James"), "family_names": ("Chalmers",)},
        {"given_names": ("Jim",)},
        {"given_names": ("Peter", "James"), "birth_names": ("Windsor",)},
        {"phones": ("(03) 5555 6473",)},
        {"emails": ("jim@example.org",)},
        {"street": "534 Erewhon St", "zip": "3999", "city": "PleasantVille", "region": "Vic"},
        {"street": "Back door"},
        {"PATIENT_ID": "12345"},
        {"relative_given_names": ("Bénédicte",), "relative_family_names": ("du Marché",)},
        {"phones": ("+33 (237) 998327",)},
    ]


def test_an_address_without_parts_is_known_as_a_whole_and_by_its_lines() -> None:
    whole = "12 rue Haute\n75012 Paris"
    found = rows({"resourceType": "Patient", "id": "1", "address": [{"text": whole}]})
    assert [row.values for row in found if row.table == "patient_identity"] == [
        {"address": whole},
        {"street": "12 rue Haute"},
        {"street": "75012 Paris"},
    ]


@pytest.mark.parametrize(
    ("number", "label"),
    [
        ({"type": {"coding": [{"code": "SS"}]}}, "SSN"),
        ({"system": "http://hl7.org/fhir/sid/us-ssn"}, "SSN"),
        ({"system": "urn:oid:1.2.250.1.213.1.4.8"}, "SSN"),
        ({"type": {"coding": [{"code": "MB"}]}}, "INSURANCE_ID"),
        ({"type": {"coding": [{"code": "DL"}]}}, "ID"),
        ({"system": "urn:of:the:hospital"}, "PATIENT_ID"),
        ({}, "PATIENT_ID"),
    ],
)
def test_numbers_get_the_label_of_their_type(number: dict[str, Any], label: str) -> None:
    patient = {"resourceType": "Patient", "id": "1", "identifier": [{**number, "value": "X9"}]}
    assert {label: "X9"} in [row.values for row in rows(patient)]


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("Patient/1", "Patient/1"),
        ("Patient/1/_history/3", "Patient/1"),
        ("https://a.example/fhir/Patient/1", "Patient/1"),
        ("urn:uuid:5b1c-4", "Patient/5b1c-4"),
        ("Group/1", ""),
        ("#contained", ""),
        ("Patient?identifier=x|1", ""),
        ("Patient/../../x y", ""),
        ("", ""),
    ],
)
def test_references_are_read_however_they_are_written(reference: str, key: str) -> None:
    assert find_key(reference, "Patient") == key


PLAIN = {"contentType": "text/plain", "data": encode("A note on naïve Anna.")}
HTML = {"contentType": "text/html;charset=utf-8", "data": encode("<p>x</p>")}
PDF = {"contentType": "application/pdf", "url": "notes/a%20b.pdf"}


@pytest.mark.parametrize(
    ("attachments", "content"),
    [
        ([PLAIN], ("A note on naïve Anna.", None, "")),
        ([PDF, HTML, PLAIN], ("A note on naïve Anna.", None, "")),
        ([PDF, HTML], ("", b"<p>x</p>", "")),
        ([PDF], ("", None, "notes/a b.pdf")),
        ([{"contentType": "text/plain", "title": "no data"}, PDF], ("", None, "notes/a b.pdf")),
        ([{**PLAIN, "data": encode("é".encode("latin-1"))}], ("", b"\xe9", "")),
        (
            [{"contentType": "text/plain; charset=iso-8859-1", "data": encode(b"\xe9t\xe9")}],
            ("été", None, ""),
        ),
        ([{"url": "https://x.example/r4/Binary/b-1"}], ("", None, "Binary/b-1")),
        ([], ("", None, "")),
    ],
)
def test_the_form_nearest_to_text_is_read(
    attachments: list[dict[str, Any]], content: tuple[str, bytes | None, str]
) -> None:
    data = json.dumps(document(*attachments)).encode()
    found = FHIR.read_content(data, 0)
    assert (found.text, found.data, found.location) == content


@pytest.mark.parametrize(
    ("attachment", "reason"),
    [
        ({"data": "not base64!"}, "broken"),
        ({"data": "QUJ"}, "broken"),
        ({"url": "https://x.example/file.pdf"}, "not-exported"),
        ({"url": "file:///etc/passwd"}, "not-exported"),
    ],
)
def test_a_broken_attachment_has_its_reason(attachment: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        FHIR.read_content(json.dumps(document(attachment)).encode(), 0)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        ('{"resourceType": "Patient", "id"', ["not-json"]),
        ("Wexlovitch", ["not-json"]),
        ("[]", ["malformed-resource"]),
        ('{"id": "1"}', ["malformed-resource"]),
        ('{"resourceType": "Patient"}', ["malformed-resource"]),
        ('{"resourceType": "Patient", "id": "a/b"}', ["malformed-resource"]),
        ('{"resourceType": "Patient", "id": "1", "name": "X"}', ["malformed-resource"]),
        ('{"resourceType": "Observation", "id": 7}', []),
        ('{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}, '
         '{"resource": {"resourceType": "Claim"}}]}', ["malformed-resource"]),
        ('{"resourceType": "Bundle", "entry": {}}', ["malformed-resource"]),
        ('{"resourceType": "Patient", "id": "1", "x": ' + "[" * 9_000 + "]" * 9_000 + "}",
         ["not-json"]),
    ],
)  # fmt: skip
def test_a_malformed_line_has_its_reason(line: str, reasons: list[str]) -> None:
    assert FHIR.read_rows(line.encode()) == ([], reasons)


def test_a_bundle_holds_resources_of_its_own() -> None:
    entries = [CHALMERS, {"resourceType": "Claim"}, document(PLAIN)]
    bundle = {"resourceType": "Bundle", "entry": [{"resource": one} for one in entries]}
    note = next(row for row in rows(bundle) if row.table == "note")
    assert note.item == 2
    content = FHIR.read_content(json.dumps(bundle).encode(), note.item)
    assert content.text == "A note on naïve Anna."


def test_what_was_entered_in_error_is_withdrawn() -> None:
    for fields in ({"status": "entered-in-error"}, {"docStatus": "entered-in-error"}):
        (row,) = rows(document(PLAIN, **fields))
        assert row.is_withdrawn and row.key == "DocumentReference/d1"


@pytest.mark.parametrize(
    ("fields", "day"),
    [
        ({"date": "2024-05-06T07:08:09.123+02:00"}, "2024-05-06"),
        ({"date": "2024-05", "context": {"period": {"start": "2024-04-03"}}}, "2024-04-03"),
        ({"date": "2024"}, None),
        ({}, None),
    ],
)
def test_the_day_of_a_note_is_never_made_up(fields: dict[str, Any], day: str | None) -> None:
    note = rows(document(PLAIN, **fields))[0]
    assert note.values["note_date"] == day
    assert day is None or date.fromisoformat(day)


@given(st.sets(st.text(min_size=1, max_size=20), max_size=50))
def test_numbers_of_keys_are_stable_and_fit(keys: set[str]) -> None:
    numbers = {key: make_number(key) for key in keys}
    assert all(0 < number < 1 << KEY_BITS for number in numbers.values())
    assert len(set(numbers.values())) == len(keys)
    assert {key: make_number(key) for key in keys} == numbers


def test_a_number_is_the_same_in_every_version() -> None:
    assert make_number("Patient/1") == 8650865709688870


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z"),
        ("2024-01-01T10:00:00+02:00", "2024-01-01T09:00:00Z"),
        (None, "1990-01-01T00:00:00Z"),
        ("soon", "1990-01-01T00:00:00Z"),
    ],
)
def test_moments_are_ordered_as_time_is(earlier: str | None, later: str) -> None:
    assert make_order(earlier) < make_order(later)


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_lines_are_found_where_they_lie(lines: list[bytes]) -> None:
    data = b"\n".join(line.replace(b"\n", b"") for line in lines)
    for record in split_lines(BytesIO(data)):
        assert data[record.start : record.start + record.size] == record.data
    read = [record.data.strip() for record in split_lines(BytesIO(data))]
    assert read == [line.strip() for line in data.split(b"\n") if line.strip()]


def test_a_line_that_is_too_long_costs_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.exports.records.MOST_BYTES", 10)
    records = list(split_lines(BytesIO(b"{}\n" + b"x" * 99 + b"\n{ }\n")))
    assert [(one.start, one.number, one.data, one.reason) for one in records] == [
        (0, 1, b"{}\n", ""),
        (3, 2, b"", "too-large"),
        (103, 3, b"{ }\n", ""),
    ]
