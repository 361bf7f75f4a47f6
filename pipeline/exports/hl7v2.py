"""HL7 v2 messages with documents (MDM, ORU) as rows of OMOP CDM; only the fields that are used.

Messages are taken apart here. The one library that is kept for it (python-hl7) drops escapes that
it does not know, and with them text, and writes values of fields into the log.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any

from pipeline.exports.records import (
    IDENTITY,
    MOST_BYTES,
    DocumentContent,
    ExportedRow,
    FileRecord,
    decode_base64,
    make_number,
    make_order,
)
from record.errors import Unreadable
from record.label import Label

Row = dict[str, Any]
Repetition = list[str]

_START = re.compile(rb"(?:\A|(?<=[\r\n\x0b\x1c]))MSH(?=[^\w\s])")
_BATCH = ("FHS", "BHS", "BTS", "FTS")
_HEAD = re.compile(r"MSH([^\w\s])([^\w\s]{3,5})(?=\1)")
_MOMENT = re.compile(r"(\d{8})(\d{4})?(\d\d)?(?:\.\d{1,4})?([+-]\d{4})?")
_CHARSETS = {
    "UNICODE UTF-8": "utf-8", "8859/1": "iso-8859-1", "8859/15": "iso-8859-15",
    "8859/2": "iso-8859-2", "UNICODE": "utf-8",
}  # fmt: skip
_GENDERS = {"M": ("M", 8507), "F": ("F", 8532)}
_VISITS = {"I": 9201, "O": 9202, "E": 9203}
_EHR, _EHR_NOTE, _UTF8 = 32817, 32831, 32678
_TEXTS, _ENCAPSULATED, _POINTER = ("TX", "FT"), "ED", "RP"
_MOST_BREAKS = 20

# https://terminology.hl7.org/CodeSystem-v2-0203.html
_LABELS = {
    "SS": Label.SSN, "NI": Label.SSN, "INS": Label.SSN, "NH": Label.SSN,
    "MB": Label.INSURANCE_ID, "HC": Label.INSURANCE_ID, "MC": Label.INSURANCE_ID,
    "AN": Label.ACCOUNT, "VN": Label.VISIT_ID, "DL": Label.ID, "PPN": Label.ID,
}  # fmt: skip
_OF_PATIENTS = ("MR", "PI", "PT")


@dataclass(frozen=True)
class Message:
    """A message: its segments as lists of fields, numbered as in the standard, and its separators.

    `separators` are those of components, repetitions, subcomponents and the sign of escapes.
    """

    segments: list[list[str]] = field(repr=False)
    component: str
    repetition: str
    escape: str
    subcomponent: str

    def first(self, name: str) -> list[str]:
        """Return the first segment of a name; an empty one if there is none."""
        return next((each for each in self.segments if each[0] == name), [])

    def read(self, segment: list[str], number: int) -> list[Repetition]:
        """Return the repetitions of a field as components, each by its first subcomponent."""
        raw = segment[number] if number < len(segment) else ""
        return [
            [
                self.unescape(part.split(self.subcomponent)[0]).strip()
                for part in each.split(self.component)
            ]
            for each in raw.split(self.repetition)
            if each.strip()
        ]

    def one(self, segment: list[str], number: int, component: int = 1) -> str:
        """Return a component of the first repetition of a field; empty if there is none."""
        return _part(next(iter(self.read(segment, number)), []), component)

    def text(self, segment: list[str], number: int) -> str:
        """Return a field of text: a repetition is a line, other separators stand for themselves."""
        raw = segment[number] if number < len(segment) else ""
        return "\n".join(map(self.unescape, raw.split(self.repetition)))

    def unescape(self, text: str) -> str:
        """Return text with escapes replaced; those that nobody knows stay as they are."""
        if self.escape not in text:
            return text
        sign = re.escape(self.escape)
        return re.sub(f"{sign}([^{sign}]{{1,80}}){sign}", self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        code = match[1]
        signs = {
            "F": self.segments[0][1],
            "S": self.component,
            "T": self.subcomponent,
            "R": self.repetition,
            "E": self.escape,
            "H": "",
            "N": "",
        }
        if code in signs:
            return signs[code]
        if re.fullmatch(r"X(?:[0-9A-Fa-f]{2})+", code):
            return bytes.fromhex(code[1:]).decode("cp1252", "replace")
        shaped = re.fullmatch(r"\.(br|sp|ce|fi|nf|in|ti|sk)\s*[+-]?(\d{0,4})", code)
        if shaped is None:
            return match[0]
        count = min(int(shaped[2] or 1), _MOST_BREAKS)
        breaks = {"br": "\n", "sp": "\n", "ce": "\n", "fi": "", "nf": ""}
        return breaks.get(shaped[1], " ") * count


@dataclass(frozen=True)
class Hl7Export:
    """The format of a folder of HL7 v2 messages in ER7, one or many in a file, framed or not.

    A note is the document of an MDM message, or an observation (OBR) of an ORU message that has
    text or a document; results in numbers alone are none. What a cancelled document said goes.
    """

    suffixes: tuple[str, ...] = (".hl7",)

    def split(self, _name: str, file: IO[bytes], /) -> Iterator[FileRecord]:
        """Yield the messages of a file, which is read as a whole."""
        data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            yield FileRecord(0, len(data), 1, reason="too-large")
            return
        starts = [found.start() for found in _START.finditer(data)]
        if not starts:
            if data.strip():
                yield FileRecord(0, len(data), 1, reason="malformed-message")
            return
        for number, (start, end) in enumerate(
            zip(starts, [*starts[1:], len(data)], strict=True), 1
        ):
            yield FileRecord(start, end - start, number, data[start:end])

    def read_rows(self, data: bytes) -> tuple[list[ExportedRow], list[str]]:
        """Return the rows of a message; the reason `malformed-message` where it is none."""
        try:
            message = parse_message(data)
        except Unreadable as error:
            return [], [error.reason]
        if message.one(message.segments[0], 9) not in ("MDM", "ORU"):
            return [], []
        return list(_make_rows(message)), []

    def read_content(self, data: bytes, item: int) -> DocumentContent:
        """Return the content of the document at a place of a message; raises Unreadable."""
        message = parse_message(data)
        lines = [each for each in _group(message)[item][1:] if _is_valid(each)]
        texts = [each for each in lines if each[2] in (*_TEXTS, "ST")]
        if any(each[2] in _TEXTS for each in texts):
            return DocumentContent(text="\n".join(message.text(each, 5) for each in texts))
        for line in lines:
            if line[2] == _POINTER:
                return DocumentContent(location=_locate(message.one(line, 5)))
            if line[2] == _ENCAPSULATED:
                return DocumentContent(data=_read_encapsulated(message, line))
        return DocumentContent()


def parse_message(data: bytes) -> Message:
    """Take a message apart; raises Unreadable `malformed-message`."""
    text = _decode(data)
    lines = [line.strip("\x0b\x1c ") for line in re.split(r"[\r\n]+", text)]
    lines = [line for line in lines if line and not line.startswith(_BATCH)]
    head = _HEAD.match(lines[0]) if lines else None
    if head is None:
        raise Unreadable("malformed-message")
    separator, signs = head[1], head[2]
    segments = [line.split(separator) for line in lines]
    segments[0].insert(1, separator)
    if any(not re.fullmatch(r"[A-Z][A-Z0-9]{2}", segment[0]) for segment in segments):
        raise Unreadable("malformed-message")
    subcomponent = signs[3] if len(signs) > 3 else "&"
    return Message(segments, signs[0], signs[1], signs[2], subcomponent)


def _decode(data: bytes) -> str:
    found = next((name for name in _CHARSETS if name.encode() in data[:500]), "")
    for encoding in (_CHARSETS.get(found, "utf-8"), "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("iso-8859-1")


def _make_rows(message: Message) -> Iterator[ExportedRow]:
    head = message.segments[0]
    updated = f"1{make_order(_to_iso(message.one(head, 7)))}"
    patient, known = _make_patient(message, updated)
    yield from known
    visit, visits = _make_visit(message, patient, updated)
    yield from visits
    for item, group in enumerate(_group(message)):
        yield from _make_note(message, group, item, (patient, visit, updated))


def _make_patient(message: Message, updated: str) -> tuple[str, list[ExportedRow]]:
    pid = message.first("PID")
    numbers = [*message.read(pid, 3), *message.read(pid, 2)]
    own = sorted(numbers, key=lambda each: _part(each, 5) not in _OF_PATIENTS)
    if not own or not _part(own[0], 1):
        return "", []
    key = "/".join(filter(None, ("Patient", _part(own[0], 4), _part(own[0], 1))))
    born, died = _to_iso(message.one(pid, 7)), _to_iso(message.one(pid, 29))
    gender, concept = _GENDERS.get(message.one(pid, 8), ("", 0))
    day = [int(part) for part in born[:10].split("-")] if born else [None] * 3
    row = {
        "gender_concept_id": concept,
        "year_of_birth": day[0],
        "month_of_birth": day[1],
        "day_of_birth": day[2],
        "race_concept_id": 0,
        "ethnicity_concept_id": 0,
        "person_source_value": _part(own[0], 1),
        "gender_source_value": message.one(pid, 8) or None,
    }
    rows = [ExportedRow("person", key, row, updated)]
    if died:
        death = {"death_date": died[:10], "death_type_concept_id": _EHR}
        rows.append(ExportedRow("death", key, death, updated))
    facts = [{"birth_date": born[:10] if born else "", "gender": gender}]
    facts += _list_facts(message, pid, numbers)
    known = ({name: value for name, value in fact.items() if value} for fact in facts)
    return key, rows + [ExportedRow(IDENTITY, key, fact) for fact in known if fact]


def _list_facts(message: Message, pid: list[str], numbers: list[Repetition]) -> Iterator[Row]:
    for name in (*message.read(pid, 5), *message.read(pid, 9)):
        families = "birth_names" if _part(name, 7) in ("M", "B") else "family_names"
        yield {"given_names": _given(name), families: _filled(_part(name, 1))}
    yield from (_relative(name) for name in message.read(pid, 6))
    for number in (*numbers, *message.read(pid, 4)):
        yield {_LABELS.get(_part(number, 5), Label.PATIENT_ID).value: _part(number, 1)}
    for place, label in ((18, Label.ACCOUNT), (19, Label.SSN), (20, Label.ID)):
        yield {label.value: message.one(pid, place)}
    yield from _list_addresses(message, pid, 11)
    for place in (13, 14):
        yield from _list_numbers(message, pid, place)
    for kin in (each for each in message.segments if each[0] == "NK1"):
        yield from (_relative(name) for name in message.read(kin, 2))
        yield from _list_addresses(message, kin, 4)
        for place in (5, 6):
            yield from _list_numbers(message, kin, place)


def _list_addresses(message: Message, segment: list[str], place: int) -> Iterator[Row]:
    for each in message.read(segment, place):
        row = {
            "street": _part(each, 1),
            "zip": _part(each, 5),
            "city": _part(each, 3),
            "region": _part(each, 4),
            "country": _part(each, 6),
        }
        if row["street"] or row["zip"] or row["city"]:
            yield row
        yield {"street": _part(each, 2)}


def _list_numbers(message: Message, segment: list[str], place: int) -> Iterator[Row]:
    for each in message.read(segment, place):
        yield {"phones": _filled(_part(each, 1) or _part(each, 12))}
        yield {"phones": _filled(" ".join(filter(None, (_part(each, 6), _part(each, 7)))))}
        yield {"emails": _filled(_part(each, 4))}


def _relative(name: Repetition) -> Row:
    given, family = " ".join(_given(name)), _part(name, 1)
    if not given and not family:
        return {}
    return {"relative_given_names": (given,), "relative_family_names": (family,)}


def _given(name: Repetition) -> tuple[str, ...]:
    return tuple(filter(None, (_part(name, 2), *_part(name, 3).split())))


def _make_visit(message: Message, patient: str, updated: str) -> tuple[str, list[ExportedRow]]:
    visit = message.first("PV1")
    number = message.one(visit, 19)
    if not number:
        return "", []
    key = "/".join(filter(None, ("Visit", message.one(visit, 19, 4), number)))
    start, end = _to_iso(message.one(visit, 44)), _to_iso(message.one(visit, 45))
    row = {
        "person_id": make_number(patient) if patient else None,
        "visit_concept_id": _VISITS.get(message.one(visit, 2), 0),
        "visit_start_date": start[:10] if start else None,
        "visit_start_datetime": start,
        "visit_end_date": end[:10] if end else None,
        "visit_end_datetime": end,
        "visit_type_concept_id": _EHR,
        "visit_source_value": number,
    }
    return key, [ExportedRow("visit_occurrence", key, row, updated)]


def _group(message: Message) -> list[list[list[str]]]:
    """Return each OBR or TXA with the OBX segments that follow it."""
    groups: list[list[list[str]]] = []
    for segment in message.segments:
        if segment[0] in ("OBR", "TXA"):
            groups.append([segment])
        elif segment[0] == "OBX" and groups and len(segment) > 5:
            groups[-1].append(segment)
    return groups


def _make_note(
    message: Message, group: list[list[str]], item: int, of: tuple[str, str, str]
) -> Iterator[ExportedRow]:
    segment, (patient, visit, updated) = group[0], of
    key = _name_note(message, segment, item)
    event = message.one(message.segments[0], 9, 2)
    if event == "T11" or (segment[0] == "OBR" and message.one(segment, 25) == "X"):
        yield ExportedRow("note", key, {}, updated, item, is_withdrawn=True)
        return
    if not any(line[2] in (*_TEXTS, _ENCAPSULATED, _POINTER) for line in group[1:]):
        return
    kind, days, authors = (2, (4, 6), (9, 5)) if segment[0] == "TXA" else (4, (7, 22), (16, 28))
    written = next(filter(None, (_to_iso(message.one(segment, day)) for day in days)), None)
    people = [each for place in authors for each in message.read(segment, place)]
    provider, providers = _make_provider([*people, *message.read(message.first("PV1"), 7)])
    yield from providers
    row = {
        "class_code": message.one(segment, kind),
        "note_title": message.one(segment, kind, 2) or None,
        "person_id": make_number(patient) if patient else None,
        "note_date": written[:10] if written else None,
        "note_datetime": written,
        "note_type_concept_id": _EHR_NOTE,
        "encoding_concept_id": _UTF8,
        "language_concept_id": 0,
        "provider_id": provider,
        "visit_occurrence_id": make_number(visit) if visit else None,
        "note_source_value": key,
    }
    yield ExportedRow("note", key, row, updated, item)


def _name_note(message: Message, segment: list[str], item: int) -> str:
    """Return the key of a document: its number, within the application that sent it."""
    head = message.segments[0]
    number = [message.one(segment, 12)] if segment[0] == "TXA" else []
    if segment[0] == "OBR":
        order = message.one(segment, 3) or message.one(segment, 2)
        number = [order, message.one(segment, 4)] if order else []
    if not any(number):
        number = ["MSH", message.one(head, 10), str(item)]
    return "/".join((segment[0], message.one(head, 3), message.one(head, 4), *number))


def _make_provider(people: Iterable[Repetition]) -> tuple[int | None, list[ExportedRow]]:
    for each in people:
        family, given = _part(each, 2), " ".join(_given(each[1:]))
        name = f"{family}, {given}" if family and given else family
        key = "/".join(("Practitioner", _part(each, 9), _part(each, 1) or name))
        if family:
            return make_number(key), [ExportedRow("provider", key, {"provider_name": name})]
    return None, []


def _is_valid(line: list[str]) -> bool:
    """Return whether a line is still true: neither deleted nor posted as wrong (OBX-11)."""
    return len(line) <= 11 or line[11] not in ("D", "W")


def _read_encapsulated(message: Message, line: list[str]) -> bytes:
    parts = line[5].split(message.component)
    if _part(parts, 4).lower() == "base64":
        return decode_base64(_part(parts, 5))
    return message.unescape(_part(parts, 5)).encode()


def _locate(pointer: str) -> str:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", pointer):
        raise Unreadable("not-exported")
    return pointer


def _part(parts: Repetition, number: int) -> str:
    return parts[number - 1] if number <= len(parts) else ""


def _filled(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _to_iso(moment: str) -> str | None:
    """Return a moment of at least a whole day as ISO 8601; None for any other."""
    found = _MOMENT.fullmatch(moment)
    if found is None:
        return None
    day, minute, second, zone = found.groups()
    try:
        read = datetime.strptime(f"{day}{minute or '0000'}{second or '00'}", "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return read.isoformat() + (f"{zone[:3]}:{zone[3:]}" if zone else "")
