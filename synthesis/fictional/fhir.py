"""Writes the fictional hospital as a bulk export of HL7 FHIR R4: one resource a line, by type."""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from record.label import Label
from record.patient import Address, PatientRecord, PersonName
from synthesis.fictional.pdf_letters.letterhead import LetterDirectory
from synthesis.fictional.pdf_letters.rendering import render_letter
from synthesis.fictional.people.records import CareSite, Clinician, FictionalNote, Hospital, Visit

Resource = dict[str, Any]

LOINC = {
    "discharge": "18842-5",
    "consultation": "34108-1",
    "emergency": "34111-5",
    "imaging": "18748-4",
    "nursing": "34746-8",
    "pathology": "11526-1",
    "operation": "11504-8",
}
"""LOINC code of each kind of note; any other kind has none."""

_REPORTS = frozenset(("imaging", "pathology"))
_GENDERS = {"M": "male", "F": "female"}
_TYPES = {Label.PATIENT_ID: "MR", Label.SSN: "SS", Label.INSURANCE_ID: "MB"}
_FORMS = ("text", "html", "rtf", "file", "binary")


def write_fhir(
    hospital: Hospital, folder: Path, *, notes: Iterable[FictionalNote], seed: int = 1
) -> int:
    """Write the hospital and these notes of it; returns how many notes.

    Reports of imaging and pathology are DiagnosticReport resources, all others DocumentReference.
    The texts of notes are inline as plain text, HTML and RTF, in files of their own, and in Binary
    resources, in turn; PDFs are inline and in `documents/`. Patients and encounters are compressed.
    """
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    directory = LetterDirectory(hospital)
    lines: dict[str, list[Resource]] = {"DocumentReference": [], "DiagnosticReport": []}
    binaries: list[Resource] = []
    for note in notes:
        if note.rendering == "text":
            attachment = _attach_text(note, folder, binaries)
        else:
            data, _ = render_letter(directory.letter(note, seed=seed), seed=seed)
            attachment = _attach_pdf(note, data, folder)
        resource = _make_note(note, attachment)
        lines[resource["resourceType"]].append(resource)
    patients = (_make_patient(number, one) for number, one in hospital.patients.items())
    _write(folder / "Patient.ndjson.gz", patients)
    _write(folder / "Encounter.ndjson.gz", map(_make_encounter, hospital.visits))
    _write(folder / "Practitioner.ndjson", map(_make_practitioner, hospital.clinicians))
    _write(folder / "Organization.ndjson", map(_make_organization, hospital.care_sites))
    _write(folder / "Binary.ndjson", binaries)
    for name, resources in lines.items():
        _write(folder / f"{name}.ndjson", resources)
    return sum(map(len, lines.values()))


def _write(path: Path, resources: Iterable[Resource]) -> None:
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in resources)
    data = text.encode()
    # Without the time of day, the same hospital gives the same bytes.
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _make_patient(number: int, record: PatientRecord) -> Resource:
    names = [{"use": "official", **_human_name(PersonName(record.given_names, (name,)))}
             for name in record.family_names[:1]]  # fmt: skip
    names += [{"use": "maiden", "family": name} for name in record.birth_names]
    resource = {
        "resourceType": "Patient",
        "id": f"p{number}",
        "meta": {"lastUpdated": "2024-01-01T00:00:00Z"},
        "identifier": [
            {"type": {"coding": [{"code": _TYPES.get(Label(one.label), "MR")}]}, "value": one.value}
            for one in record.identifiers
        ],
        "name": names,
        "telecom": [
            *({"system": "phone", "value": phone} for phone in record.phones),
            *({"system": "email", "value": email} for email in record.emails),
        ],
        "gender": _GENDERS.get(record.gender, "unknown"),
        "birthDate": record.birth_date.isoformat() if record.birth_date else None,
        "address": [_address(one) for one in record.addresses],
        "contact": [{"name": _human_name(one)} for one in record.relatives],
    }
    return {key: value for key, value in resource.items() if value}


def _human_name(name: PersonName) -> Resource:
    parts = {"family": " ".join(name.family_names), "given": list(name.given_names)}
    return {key: value for key, value in parts.items() if value}


def _address(address: Address) -> Resource:
    parts = {
        "line": [address.street] if address.street else [],
        "postalCode": address.zip,
        "city": address.city,
        "state": address.region,
        "country": address.country,
    }
    return {key: value for key, value in parts.items() if value}


def _make_encounter(visit: Visit) -> Resource:
    stayed = visit.end.date() > visit.start.date()
    return {
        "resourceType": "Encounter",
        "id": f"v{visit.visit_id}",
        "status": "finished",
        "class": {"code": "IMP" if stayed else "AMB"},
        "identifier": [{"use": "official", "value": visit.number}],
        "subject": {"reference": f"Patient/p{visit.person_id}"},
        "participant": [{"individual": {"reference": f"Practitioner/c{visit.provider_id}"}}],
        "period": {"start": f"{visit.start.isoformat()}Z", "end": f"{visit.end.isoformat()}Z"},
        "serviceProvider": {"reference": f"Organization/o{visit.care_site_id}"},
    }


def _make_practitioner(clinician: Clinician) -> Resource:
    return {
        "resourceType": "Practitioner",
        "id": f"c{clinician.provider_id}",
        "name": [_human_name(clinician.name)],
    }


def _make_organization(site: CareSite) -> Resource:
    return {"resourceType": "Organization", "id": f"o{site.care_site_id}", "name": site.name}


def _make_note(note: FictionalNote, attachment: Resource) -> Resource:
    code = {"coding": [{"system": "http://loinc.org", "code": LOINC.get(note.kind)}]}
    kind = code if note.kind in LOINC else {}
    subject = {"reference": f"Patient/p{note.person_id}"}
    author = [{"reference": f"Practitioner/c{note.provider_id}"}]
    visit = {"reference": f"Encounter/v{note.visit_id}"}
    written, number = f"{note.written.isoformat()}Z", f"n{note.note_id}"
    if note.kind in _REPORTS:
        return {
            "resourceType": "DiagnosticReport",
            "id": number,
            "status": "final",
            "code": {**kind, "text": note.title},
            "subject": subject,
            "encounter": visit,
            "effectiveDateTime": written,
            "performer": author,
            "presentedForm": [attachment],
        }
    return {
        "resourceType": "DocumentReference",
        "id": number,
        "status": "current",
        **({"type": kind} if kind else {}),
        "subject": subject,
        "date": written,
        "author": author,
        "description": note.title,
        "content": [{"attachment": attachment}],
        "context": {"encounter": [visit]},
    }


def _attach_text(note: FictionalNote, folder: Path, binaries: list[Resource]) -> Resource:
    text, form = note.annotated.document.text, _FORMS[note.note_id % len(_FORMS)]
    about = {"language": note.lang}
    if form == "html":
        lines = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
        page = f'<html><head><meta charset="utf-8"></head><body>{lines}</body></html>'
        return {**about, "contentType": "text/html", "data": _encode(page.encode())}
    if form == "rtf":
        return {**about, "contentType": "application/rtf", "data": _encode(_to_rtf(text))}
    if form == "file":
        name = f"documents/n{note.note_id}.txt"
        (folder / name).write_text(text, encoding="utf-8")
        return {**about, "contentType": "text/plain", "url": name}
    data = _encode(text.encode())
    if form == "binary":
        key = {"id": f"b{note.note_id}", "contentType": "text/plain"}
        binaries.append({"resourceType": "Binary", **key, "data": data})
        url = f"https://fhir.example.org/r4/Binary/b{note.note_id}"
        return {**about, "contentType": "text/plain", "url": url}
    return {**about, "contentType": "text/plain; charset=utf-8", "data": data}


def _attach_pdf(note: FictionalNote, data: bytes, folder: Path) -> Resource:
    about = {"contentType": "application/pdf", "language": note.lang}
    if note.note_id % 2:
        return {**about, "data": _encode(data)}
    name = f"documents/n{note.note_id}.pdf"
    (folder / name).write_bytes(data)
    return {**about, "url": name}


def _to_rtf(text: str) -> bytes:
    return ("{\\rtf1\\ansi\\uc1 " + "".join(map(_to_rtf_sign, text)) + "}").encode("ascii")


def _to_rtf_sign(char: str) -> str:
    if char == "\n":
        return "\\par\n"
    if char in "\\{}":
        return f"\\{char}"
    units = char.encode("utf-16-le")
    codes = (
        int.from_bytes(units[k : k + 2], "little", signed=True) for k in range(0, len(units), 2)
    )
    return char if char.isascii() else "".join(f"\\u{code}?" for code in codes)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def first_notes(hospital: Hospital, count: int) -> Iterator[FictionalNote]:
    """Yield the first notes of a hospital."""
    yield from (note for note, _ in zip(hospital.notes(), range(count), strict=False))
