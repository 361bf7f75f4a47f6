"""HL7 FHIR R4 resources of a bulk export as rows of OMOP CDM; only the fields that are used.

https://hl7.org/fhir/R4/ and https://hl7.org/fhir/uv/bulkdata/. A whole model of FHIR has 150
resources and refuses exports for faults in fields that nobody reads here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Annotated, Any, Literal
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from pipeline.exports.records import (
    IDENTITY,
    MOST_BYTES,
    DocumentContent,
    ExportedRow,
    FileRecord,
    decode_base64,
    make_number,
    make_order,
    read_plain_text,
    split_lines,
)
from record.errors import Unreadable
from record.label import Label
from record.languages import OMOP_LANGUAGES, primary_language

NOTE_CLASSES = {
    "18842-5": 3020091,  # Discharge summary
    "34108-1": 3030624,  # Outpatient Note
    "34111-5": 3029201,  # Emergency department Note
    "34746-8": 3046947,  # Nurse Note
}
"""LOINC code of a kind of document -> note_class_concept_id."""

Row = dict[str, Any]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,64}$")]

_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
_TYPE = re.compile(rb'"resourceType"\s*:\s*"(\w+)"')
_FULL_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LANGUAGES = {code: concept for concept, code in OMOP_LANGUAGES.items()}
_GENDERS = {"male": ("M", 8507), "female": ("F", 8532)}
_VISITS = {"AMB": 9202, "IMP": 9201, "ACUTE": 9201, "NONAC": 9201, "EMER": 9203}
_EHR, _EHR_NOTE, _UTF8 = 32817, 32831, 32678
_WITHDRAWN = "entered-in-error"

# The best of several forms of one document, from the left.
_PREFERRED = (
    "text/plain", "text/html", "application/xhtml+xml", "text/rtf", "application/rtf",
    "application/pdf",
)  # fmt: skip
_SUFFIXES = {
    "text/rtf": ".rtf", "application/rtf": ".rtf", "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}  # fmt: skip

# https://terminology.hl7.org/CodeSystem-v2-0203.html
_LABEL_BY_TYPE = {
    "MR": Label.PATIENT_ID, "PI": Label.PATIENT_ID, "PT": Label.PATIENT_ID,
    "MC": Label.INSURANCE_ID,
    "SS": Label.SSN, "NI": Label.SSN, "INS-NIR": Label.SSN, "NH": Label.SSN,
    "MB": Label.INSURANCE_ID, "SN": Label.INSURANCE_ID, "HC": Label.INSURANCE_ID,
    "MA": Label.INSURANCE_ID, "VN": Label.VISIT_ID, "AN": Label.ACCOUNT,
    "DL": Label.ID, "PPN": Label.ID, "TAX": Label.ID,
}  # fmt: skip
_LABEL_BY_SYSTEM = {
    "http://hl7.org/fhir/sid/us-ssn": Label.SSN,
    "urn:oid:2.16.840.1.113883.4.1": Label.SSN,
    "urn:oid:1.2.250.1.213.1.4.8": Label.SSN,
    "http://hl7.org/fhir/sid/us-mbi": Label.INSURANCE_ID,
    "http://hl7.org/fhir/sid/us-medicare": Label.INSURANCE_ID,
}


class _Element(BaseModel):
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, hide_input_in_errors=True)


class _Coding(_Element):
    system: str = ""
    code: str = ""


class _Concept(_Element):
    coding: list[_Coding] = []
    text: str = ""

    def find_code(self) -> str:
        """Return the code in LOINC, else the first."""
        known = sorted(self.coding, key=lambda each: "loinc" not in each.system)
        return next((each.code for each in known if each.code), "")


class _Reference(_Element):
    reference: str = ""
    display: str = ""


class _Period(_Element):
    start: str | None = None
    end: str | None = None


class _NumberOf(_Element):
    use: str = ""
    type: _Concept = _Concept()
    system: str = ""
    value: str = ""

    def find_label(self, default: Label) -> Label:
        """Return the label of the number, by its type or system."""
        types = (_LABEL_BY_TYPE.get(each.code.upper()) for each in self.type.coding)
        found = next(filter(None, types), None) or _LABEL_BY_SYSTEM.get(self.system)
        return found or default


class _Name(_Element):
    use: str = ""
    text: str = ""
    family: str = ""
    given: list[str | None] = []


class _Telecom(_Element):
    system: str = ""
    value: str = ""


class _Postal(_Element):
    text: str = ""
    line: list[str | None] = []
    city: str = ""
    state: str = ""
    postal_code: str = ""
    country: str = ""


class _Attachment(_Element):
    content_type: str = ""
    language: str = ""
    data: str | None = Field(default=None, repr=False)
    url: str = ""
    title: str = ""
    creation: str | None = None

    @property
    def kind(self) -> str:
        """The media type without parameters."""
        return self.content_type.partition(";")[0].strip().lower()


class _Meta(_Element):
    last_updated: str | None = None


class _Resource(_Element):
    id: Id
    meta: _Meta = _Meta()
    language: str = ""

    @property
    def updated(self) -> str:
        """Order of versions; what only others tell of a resource is older than any of it."""
        return f"1{make_order(self.meta.last_updated)}"


class _Contact(_Element):
    name: _Name | None = None
    telecom: list[_Telecom] = []
    address: _Postal | None = None


class _Patient(_Resource):
    resource_type: Literal["Patient"]
    identifier: list[_NumberOf] = []
    name: list[_Name] = []
    telecom: list[_Telecom] = []
    address: list[_Postal] = []
    gender: str = ""
    birth_date: str | None = None
    deceased_date_time: str | None = None
    contact: list[_Contact] = []


class _RelatedPerson(_Resource):
    resource_type: Literal["RelatedPerson"]
    patient: _Reference
    name: list[_Name] = []
    telecom: list[_Telecom] = []


class _Participant(_Element):
    individual: _Reference = _Reference()


class _Encounter(_Resource):
    resource_type: Literal["Encounter"]
    status: str = ""
    class_: _Coding = Field(default=_Coding(), alias="class")
    identifier: list[_NumberOf] = []
    subject: _Reference = _Reference()
    participant: list[_Participant] = []
    period: _Period = _Period()
    service_provider: _Reference = _Reference()


class _Practitioner(_Resource):
    resource_type: Literal["Practitioner"]
    name: list[_Name] = []


class _Organization(_Resource):
    resource_type: Literal["Organization"]
    name: str = ""


class _Content(_Element):
    attachment: _Attachment


class _DocumentContext(_Element):
    encounter: list[_Reference] = []
    period: _Period = _Period()


class _DocumentReference(_Resource):
    resource_type: Literal["DocumentReference"]
    status: str = ""
    doc_status: str = ""
    type: _Concept = _Concept()
    subject: _Reference = _Reference()
    date: str | None = None
    author: list[_Reference] = []
    description: str = ""
    content: list[_Content] = []
    context: _DocumentContext = _DocumentContext()

    def attachments(self) -> list[_Attachment]:
        """The forms of the document."""
        return [each.attachment for each in self.content]


class _DiagnosticReport(_Resource):
    resource_type: Literal["DiagnosticReport"]
    status: str = ""
    code: _Concept = _Concept()
    subject: _Reference = _Reference()
    encounter: _Reference = _Reference()
    effective_date_time: str | None = None
    effective_period: _Period = _Period()
    issued: str | None = None
    performer: list[_Reference] = []
    results_interpreter: list[_Reference] = []
    conclusion: str = Field(default="", repr=False)
    presented_form: list[_Attachment] = []


class _Binary(_Resource):
    resource_type: Literal["Binary"]
    content_type: str = ""
    data: str = Field(default="", repr=False)


class _Request(_Element):
    method: str = ""


class _Entry(_Element):
    resource: dict[str, Any] | None = Field(default=None, repr=False)
    request: _Request = _Request()


class _Bundle(_Element):
    resource_type: Literal["Bundle"]
    entry: list[_Entry] = []


_Single = (
    _Patient
    | _RelatedPerson
    | _Encounter
    | _Practitioner
    | _Organization
    | _DocumentReference
    | _DiagnosticReport
    | _Binary
)
_ANY: TypeAdapter[_Single | _Bundle] = TypeAdapter(
    Annotated[_Single | _Bundle, Field(discriminator="resource_type")]
)
_ONE: TypeAdapter[_Single] = TypeAdapter(Annotated[_Single, Field(discriminator="resource_type")])
_READ = frozenset(
    (
        *("Patient", "RelatedPerson", "Encounter", "Practitioner", "Organization"),
        *("DocumentReference", "DiagnosticReport", "Binary", "Bundle"),
    )
)


@dataclass(frozen=True)
class FhirExport:
    """The format of a bulk export: NDJSON, one resource a line, and JSON files of one resource.

    A line may be a Bundle, whose entries are then read. Resources of other types are left out, and
    so is what was entered in error. Several attachments are forms of one document (R4): the one
    that is nearest to text is read.
    """

    suffixes: tuple[str, ...] = (".ndjson", ".json", ".jsonl")

    def split(self, name: str, file: IO[bytes], /) -> Iterator[FileRecord]:
        """Yield the lines of a file, or a JSON file as a whole."""
        if name.lower().removesuffix(".gz").endswith(".json"):
            yield from _read_whole(file)
        else:
            yield from split_lines(file)

    def read_rows(self, data: bytes) -> tuple[list[ExportedRow], list[str]]:
        """Return the rows of a line, and the reasons for which parts of it were refused.

        Reasons: `not-json`, `malformed-resource`.
        """
        named = {found.decode("ascii", "replace") for found in _TYPE.findall(data)}
        if named and named.isdisjoint(_READ):
            return [], []
        rows: list[ExportedRow] = []
        resources, reasons = _parse(data)
        for item, resource in resources:
            rows += _make_rows(resource, item)
        return rows, reasons

    def read_content(self, data: bytes, item: int) -> DocumentContent:
        """Return the content of the document at a place of a line; raises Unreadable."""
        found = next((one for place, one in _parse(data)[0] if place == item), None)
        if isinstance(found, _Binary):
            return DocumentContent(data=decode_base64(found.data))
        if isinstance(found, _DiagnosticReport) and not found.presented_form:
            return DocumentContent(text=found.conclusion)
        if not isinstance(found, _DocumentReference | _DiagnosticReport):
            raise Unreadable("malformed-resource")
        form = _choose_form(found)
        if form is None:
            return DocumentContent()
        if form.data is None:
            return DocumentContent(location=_locate(form.url))
        decoded = decode_base64(form.data)
        text = read_plain_text(decoded, form.content_type) if form.kind == "text/plain" else ""
        return DocumentContent(text, None if text else decoded)


def _read_whole(file: IO[bytes]) -> Iterator[FileRecord]:
    from_start = file.read(MOST_BYTES + 1)
    if len(from_start) > MOST_BYTES:
        yield FileRecord(0, len(from_start), 1, reason="too-large")
    elif from_start.strip():
        yield FileRecord(0, len(from_start), 1, from_start)


def _parse(data: bytes) -> tuple[list[tuple[int, _Single]], list[str]]:
    """Return the resources of a line with their places, and why others were refused."""
    try:
        found = _ANY.validate_json(data)
    except ValidationError as error:
        return [], _explain(error)
    if not isinstance(found, _Bundle):
        return [(0, found)], []
    resources: list[tuple[int, _Single]] = []
    reasons: list[str] = []
    for item, entry in enumerate(found.entry):
        if entry.resource is None or entry.request.method == "DELETE":
            continue
        try:
            resources.append((item, _ONE.validate_python(entry.resource)))
        except ValidationError as error:
            reasons += _explain(error)
    return resources, reasons


def _explain(error: ValidationError) -> list[str]:
    """Return the reason of a refusal; none for a resource of a type that is not read."""
    kinds = {each["type"] for each in error.errors(include_input=False, include_context=False)}
    if kinds == {"union_tag_invalid"}:
        return []
    return ["not-json" if "json_invalid" in kinds else "malformed-resource"]


def _make_rows(resource: _Single, item: int) -> Iterator[ExportedRow]:
    match resource:
        case _Patient():
            yield from _make_patient(resource)
        case _RelatedPerson():
            yield from _make_relative(resource)
        case _Encounter():
            yield from _make_visit(resource)
        case _Practitioner():
            name = next(map(_join_name, resource.name), "")
            yield _make_provider(f"Practitioner/{resource.id}", name, resource.updated)
        case _Organization():
            key = f"Organization/{resource.id}"
            yield _make_site(key, resource.name, resource.updated)
        case _DocumentReference():
            yield from _make_document(resource, item)
        case _DiagnosticReport():
            yield from _make_report(resource, item)
        case _Binary():
            yield ExportedRow("binary", f"Binary/{resource.id}", {}, resource.updated, item)


def _make_patient(patient: _Patient) -> Iterator[ExportedRow]:
    key = f"Patient/{patient.id}"
    born = patient.birth_date or ""
    year, month, day = ([int(part) for part in _digits(born)] + [None] * 3)[:3]
    gender, concept = _GENDERS.get(patient.gender, ("", 0))
    own = [
        one for one in patient.identifier if one.find_label(Label.PATIENT_ID) == Label.PATIENT_ID
    ]
    yield ExportedRow(
        "person",
        key,
        {
            "gender_concept_id": concept,
            "year_of_birth": year,
            "month_of_birth": month,
            "day_of_birth": day,
            "race_concept_id": 0,
            "ethnicity_concept_id": 0,
            "person_source_value": next((one.value for one in own if one.value), None),
            "gender_source_value": patient.gender or None,
        },
        patient.updated,
    )
    if patient.deceased_date_time and _FULL_DATE.match(patient.deceased_date_time):
        died = patient.deceased_date_time
        row: Row = {"death_date": died[:10], "death_datetime": died if "T" in died else None}
        yield ExportedRow("death", key, {**row, "death_type_concept_id": _EHR}, patient.updated)
    facts = [{"birth_date": born if day else None, "gender": gender}]
    facts += map(_name_fields, patient.name)
    facts += _telecom_fields(patient.telecom)
    facts += (one for address in patient.address for one in _address_fields(address))
    facts += ({one.find_label(Label.PATIENT_ID).value: one.value} for one in patient.identifier)
    for contact in patient.contact:
        facts += [_relative_fields(contact.name)] if contact.name else []
        facts += _telecom_fields(contact.telecom)
        facts += _address_fields(contact.address) if contact.address else []
    yield from _make_identity(key, facts)


def _make_relative(relative: _RelatedPerson) -> Iterator[ExportedRow]:
    key = find_key(relative.patient.reference, "Patient")
    facts = [*map(_relative_fields, relative.name), *_telecom_fields(relative.telecom)]
    yield from _make_identity(key, facts)


def _make_identity(key: str, facts: Iterable[Row]) -> Iterator[ExportedRow]:
    known = ({name: value for name, value in fact.items() if value} for fact in facts)
    return (ExportedRow(IDENTITY, key, fact) for fact in known if fact and key)


def _name_fields(name: _Name) -> Row:
    given, family = _clean(name.given), name.family.strip()
    if not given and not family:
        return {"full_name": name.text}
    families = {"birth_names" if name.use == "maiden" else "family_names": (family,)}
    return {"given_names": given, **(families if family else {})}


def _relative_fields(name: _Name) -> Row:
    given, family = " ".join(_clean(name.given)), name.family.strip()
    if not given and not family:
        return {"relative_full_name": name.text}
    return {"relative_given_names": (given,), "relative_family_names": (family,)}


def _telecom_fields(telecom: Iterable[_Telecom]) -> Iterator[Row]:
    for one in telecom:
        value = one.value.strip()
        if one.system == "email" or "@" in value:
            yield {"emails": (value,)}
        elif one.system == "url":
            yield {Label.URL.value: value}
        elif value:
            yield {"phones": (value,)}


def _address_fields(address: _Postal) -> Iterator[Row]:
    first, *more = _clean(address.line) or ("",)
    row = {
        "street": first,
        "zip": address.postal_code,
        "city": address.city,
        "region": address.state,
        "country": address.country,
    }
    if first or address.postal_code or address.city:
        yield row
    elif address.text:
        yield {"address": address.text}
        more = [*more, *address.text.splitlines()]
    # A note may have any of the lines.
    yield from ({"street": line} for line in more)


def _make_visit(encounter: _Encounter) -> Iterator[ExportedRow]:
    key = f"Encounter/{encounter.id}"
    if encounter.status == _WITHDRAWN:
        yield ExportedRow("visit_occurrence", key, {}, encounter.updated, is_withdrawn=True)
        return
    patient = find_key(encounter.subject.reference, "Patient")
    start, end = _split_moment(encounter.period.start), _split_moment(encounter.period.end)
    numbers = sorted(encounter.identifier, key=lambda each: each.use not in ("official", "usual"))
    provider, provider_rows = _find_provider(each.individual for each in encounter.participant)
    site = encounter.service_provider
    site_key = find_key(site.reference, "Organization")
    yield from provider_rows
    if site_key and site.display:
        yield _make_site(site_key, site.display, "")
    yield ExportedRow(
        "visit_occurrence",
        key,
        {
            "person_id": make_number(patient) if patient else None,
            "visit_concept_id": _VISITS.get(encounter.class_.code.upper(), 0),
            "visit_start_date": start[0],
            "visit_start_datetime": start[1],
            "visit_end_date": end[0],
            "visit_end_datetime": end[1],
            "visit_type_concept_id": _EHR,
            "provider_id": provider,
            "care_site_id": make_number(site_key) if site_key else None,
            "visit_source_value": next((each.value for each in numbers if each.value), None),
        },
        encounter.updated,
    )


def _make_document(document: _DocumentReference, item: int) -> Iterator[ExportedRow]:
    if _WITHDRAWN in (document.status, document.doc_status):
        yield _withdraw_note(document)
        return
    form = _choose_form(document)
    moments = (document.date, document.context.period.start, form.creation if form else None)
    row = {
        "note_title": document.description or (form.title if form else "") or document.type.text,
        "note_date": _first_moment(moments),
        "class_code": document.type.find_code(),
    }
    visits = (find_key(each.reference, "Encounter") for each in document.context.encounter)
    yield from _make_note(
        document, item, row, visit=next(filter(None, visits), ""), authors=document.author
    )


def _make_report(report: _DiagnosticReport, item: int) -> Iterator[ExportedRow]:
    if report.status == _WITHDRAWN:
        yield _withdraw_note(report)
        return
    moments = (report.effective_date_time, report.effective_period.start, report.issued)
    row = {
        "note_title": report.code.text,
        "note_date": _first_moment(moments),
        "class_code": report.code.find_code(),
    }
    visit = find_key(report.encounter.reference, "Encounter")
    authors = [*report.results_interpreter, *report.performer]
    yield from _make_note(report, item, row, visit=visit, authors=authors)


def _withdraw_note(resource: _DocumentReference | _DiagnosticReport) -> ExportedRow:
    key = f"{resource.resource_type}/{resource.id}"
    return ExportedRow("note", key, {}, resource.updated, is_withdrawn=True)


def _make_note(
    resource: _DocumentReference | _DiagnosticReport,
    item: int,
    row: Row,
    *,
    visit: str,
    authors: Iterable[_Reference],
) -> Iterator[ExportedRow]:
    key = f"{resource.resource_type}/{resource.id}"
    patient = find_key(resource.subject.reference, "Patient")
    form = _choose_form(resource)
    language = primary_language((form.language if form else "") or resource.language)
    provider, provider_rows = _find_provider(authors)
    day, moment = _split_moment(row["note_date"])
    yield from provider_rows
    yield ExportedRow(
        "note",
        key,
        {
            **row,
            "note_title": row["note_title"] or None,
            "person_id": make_number(patient) if patient else None,
            "note_date": day,
            "note_datetime": moment,
            "note_type_concept_id": _EHR_NOTE,
            "encoding_concept_id": _UTF8,
            "language_concept_id": _LANGUAGES.get(language, 0),  # type: ignore[call-overload]
            "provider_id": provider,
            "visit_occurrence_id": make_number(visit) if visit else None,
            "note_source_value": key + (_SUFFIXES.get(form.kind, "") if form else ""),
        },
        resource.updated,
        item,
    )


def _choose_form(resource: _DocumentReference | _DiagnosticReport) -> _Attachment | None:
    if isinstance(resource, _DocumentReference):
        forms = resource.attachments()
    else:
        forms = resource.presented_form
    filled = [form for form in forms if form.data is not None or form.url]
    order = {kind: place for place, kind in enumerate(_PREFERRED)}
    return min(filled, key=lambda form: order.get(form.kind, len(order)), default=None)


def _find_provider(people: Iterable[_Reference]) -> tuple[int | None, list[ExportedRow]]:
    """Return the first clinician's number, and a row for the name that the reference shows."""
    for each in people:
        kind = "PractitionerRole" if "PractitionerRole" in each.reference else "Practitioner"
        key = find_key(each.reference, kind)
        if not key and each.display and "/" not in each.reference.partition("?")[0]:
            key = f"{kind}?name={each.display}"
        if key:
            named = [_make_provider(key, each.display, "")] if each.display else []
            return make_number(key), named
    return None, []


def _make_provider(key: str, name: str, updated: str) -> ExportedRow:
    return ExportedRow("provider", key, {"provider_name": name or None}, updated)


def _make_site(key: str, name: str, updated: str) -> ExportedRow:
    return ExportedRow("care_site", key, {"care_site_name": name or None}, updated)


def _join_name(name: _Name) -> str:
    given = " ".join(_clean(name.given))
    return f"{name.family}, {given}" if name.family and given else name.text or name.family or given


def find_key(reference: str, kind: str) -> str:
    """Return `Type/id` of a reference to a resource of that type; empty for any other.

    Relative references, URLs, versions of a resource and `urn:uuid:` are read.
    """
    plain = reference.partition("#")[0].partition("/_history/")[0]
    if plain.startswith("urn:uuid:"):
        found = plain.removeprefix("urn:uuid:")
        return f"{kind}/{found}" if _ID.fullmatch(found) else ""
    *_, name, found = ("", *plain.split("/")) if "/" in plain else ("", "")
    return f"{kind}/{found}" if name == kind and _ID.fullmatch(found) else ""


def _locate(url: str) -> str:
    """Return the key of a Binary or a path below the folder; raises Unreadable for others."""
    binary = find_key(url, "Binary")
    if binary:
        return binary
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url):
        raise Unreadable("not-exported")
    return unquote(url)


def _split_moment(moment: str | None) -> tuple[str | None, str | None]:
    """Return the day and, where it has one, the moment as it is written; no part of a date."""
    if not moment or not _FULL_DATE.match(moment):
        return None, None
    return moment[:10], moment if "T" in moment else None


def _first_moment(moments: Iterable[str | None]) -> str | None:
    return next((each for each in moments if each and _FULL_DATE.match(each)), None)


def _digits(day: str) -> list[str]:
    found = re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", day)
    return [part for part in found.groups() if part] if found else []


def _clean(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(value.strip() for value in values if value and value.strip())
