"""Commits a finished batch in one transaction: staged notes, sealed spans, ledger rows, counts."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pipeline.notes.batch import Batch, BatchNote, RefusedNote
from pipeline.notes.stages import make_ledger_digest, make_version
from pipeline.notes.worker_resources import WorkerResources
from pipeline.state.ledger import FailedNote, StagedNote, UnitResult
from pipeline.state.quality_counts import CellCounts, CountCell
from pipeline.state.run_summary import Tally
from pipeline.state.unit_results import Fingerprint
from pipeline.warehouse.note_rows import (
    PERSON_COLUMNS,
    NoteRow,
    OutputRow,
    PersonRow,
    pack,
    parse_date,
    parse_datetime,
    parse_integer,
)
from record.document import Document
from record.errors import Unsafe
from record.label import Label
from record.patient import PatientRecord
from record.release import Release
from record.span import Span
from surrogates.tables.columns import Birth, Columns

OTHER_FORMAT = "other"

_DATE_FORMATS = tuple(
    (name, re.compile(expression))
    for name, expression in (
        ("99/99/9999", r"\d{1,2}/\d{1,2}/\d{4}"),
        ("99.99.9999", r"\d{1,2}\.\d{1,2}\.\d{4}"),
        ("99-99-9999", r"\d{1,2}-\d{1,2}-\d{4}"),
        ("9999-99-99", r"\d{4}-\d{1,2}-\d{1,2}"),
        ("9999/99/99", r"\d{4}/\d{1,2}/\d{1,2}"),
        ("99/99/99", r"\d{1,2}/\d{1,2}/\d{2}"),
        ("99.99.99", r"\d{1,2}\.\d{1,2}\.\d{2}"),
        ("99/99", r"\d{1,2}[/.]\d{1,2}"),
        ("99/9999", r"\d{1,2}[/.]\d{4}"),
        ("99999999", r"\d{8}|\d{6}"),
        ("9999", r"\d{4}"),
        ("99 Aaaa 9999", r"\d{1,2}(?:er|st|nd|rd|th|\.|º)?[\s-]+(?:de\s+)?[^\W\d_]+\.?,?[\s-]+"
         r"(?:de\s+|del\s+)?\d{2,4}"),
        ("Aaaa 99, 9999", r"[^\W\d_]+\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}"),
        ("Aaaa 9999", r"[^\W\d_]+\.?\s+(?:de\s+)?\d{4}"),
        ("99 Aaaa", r"\d{1,2}(?:er|st|nd|rd|th|\.|º)?\s+(?:de\s+)?[^\W\d_]+\.?"),
    )
)  # fmt: skip
_TIME = re.compile(r"[T\s]*(?:à|a|at|um|,)?\s*\d{1,2}\s?[:hH]\s?\d{0,2}(?::\d{2})?.*", re.DOTALL)
_MAX_DATE_CHARACTERS = 40


def classify_date_format(text: str) -> str:
    """Return the format of a written date, such as `99/99/9999`; a trailing time is ignored."""
    text = text.strip()
    if len(text) <= _MAX_DATE_CHARACTERS:
        for name, expression in _DATE_FORMATS:
            found = expression.match(text)
            if found and (found.end() == len(text) or _TIME.fullmatch(text, found.end())):
                return name
    return OTHER_FORMAT


NO_SITE = "none"


def count_cells(items: Iterable[BatchNote], refused: Iterable[RefusedNote]) -> CellCounts:
    """Count released and refused notes of a batch for the quality gate."""
    cells: CellCounts = Counter()
    surrogates: dict[CountCell, set[str]] = {}
    for item in items:
        if item.document is not None and item.release is not None:
            place = _make_note_cell(item, item.document)
            cells[_to_worked_cell(place)] += 1
            _add_note(cells, item, item.document, place)
            _add_surrogates(surrogates, item.release, place.day)
    for cell, values in surrogates.items():
        cells[cell] += len(values)
    for each in refused:
        place = _to_worked_cell(_make_note_cell(each.item, each.item.document))
        cells[place] += 1
        cells[place._replace(measure="refused", name=each.failure.reason or "none")] += 1
    return cells


def _make_note_cell(item: BatchNote, document: Document | None) -> CountCell:
    written = document.written if document else None
    return CountCell(
        "notes",
        kind=item.kind,
        site=item.site or NO_SITE,
        extractor=document.origin if document else "",
        day=written.date().isoformat() if written else "",
    )


def _to_worked_cell(place: CountCell) -> CountCell:
    return place._replace(measure="worked", extractor="")


def _add_note(cells: CellCounts, item: BatchNote, document: Document, place: CountCell) -> None:
    text, day = document.text, place.day
    _, _, _, kind, site, extractor, _ = place

    def add(measure: str, name: str, number: int, detector: str = "") -> None:
        cells[CountCell(measure, name, detector, kind, site, extractor, day)] += number

    add("notes", "", 1)
    add("characters", "", len(text))
    add("lengths", _bin_length(len(text)), 1)
    add("empty", "", not item.found)
    for name, number in {"text": text.count("\n") + 1, **item.classes}.items():
        add("lines", name, number)
        cells[CountCell("line-squares", name, day=day)] += number * number
    found = Counter((span.label, span.detector) for span in item.found)
    labels: Counter[str] = Counter()
    for (label, detector), number in found.items():
        add("spans", label, number, detector)
        labels[label] += number
    for (tenth, detector), number in Counter(map(_bin_score, item.found)).items():
        cells[CountCell("scores", tenth, detector, day=day)] += number
    dates = (span for span in item.found if span.label == Label.DATE)
    shapes = Counter(classify_date_format(text[span.start : span.end]) for span in dates)
    for name, number in shapes.items():
        add("dates", name, number)
    for measure, counted in (("span-squares", labels), ("date-squares", shapes)):
        for name, number in counted.items():
            cells[CountCell(measure, name, day=day)] += number * number


def _add_surrogates(surrogates: dict[CountCell, set[str]], release: Release, day: str) -> None:
    for span in release.spans:
        cell = CountCell("surrogates", span.label, day=day)
        surrogates.setdefault(cell, set()).add(release.text[span.start : span.end])


def _bin_length(characters: int) -> str:
    """Return the name of a length's bin: the largest power of two that it reaches."""
    return f"{1 << max(characters.bit_length() - 1, 0)}+"


def _bin_score(span: Span) -> tuple[str, str]:
    return _TENTHS[min(int(span.score * 10), 9)], span.detector


_TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(10))


def commit_batch(batch: Batch, resources: WorkerResources, run_id: int) -> Batch:
    """Commit a batch in one transaction; return it with its final tally.

    Notes whose output row cannot be made go to quarantine. Committing twice changes nothing; what
    was committed before, or by the worker that has the unit now, comes back as an empty batch.
    """
    batch, staged = _stage_notes(batch, resources)
    tally = _tally_batch(batch)
    result = UnitResult(
        read_ids=list(batch.read_ids),
        unchanged_ids=list(batch.unchanged),
        releases=staged,
        failures=[_make_failed_note(refused, resources) for refused in batch.refused],
        prints=[_fingerprint_note(item, resources) for item in batch.items],
        tally=json.dumps(tally.to_json()),
        digests=batch.digests,
    )
    if not resources.state.commit_unit(run_id, batch.unit, result):
        return Batch(unit=batch.unit)
    return replace(batch, tally=tally)


def _stage_notes(batch: Batch, resources: WorkerResources) -> tuple[Batch, list[StagedNote]]:
    staged: dict[str, StagedNote] = {}

    def step(item: BatchNote) -> BatchNote:
        staged[item.note_id] = _make_staged_note(item, resources)
        return item

    written = batch.apply("write", step)
    return written, [staged[item.note_id] for item in written.items]


def _make_staged_note(item: BatchNote, resources: WorkerResources) -> StagedNote:
    if item.document is None or item.release is None:
        raise Unsafe("not-rewritten")
    written = item.document.written
    row = pack(make_output_row(item, resources.columns))
    return StagedNote(
        note_id=item.row.note_id,
        person_id=parse_integer(item.row.person_id),
        content=item.content,
        identity=item.identity,
        config=resources.config,
        sealed=item.sealed,
        payload=resources.seal.seal_staged(make_version(item, resources.config), row),
        kind=item.kind,
        day=written.date().isoformat() if written else None,
        characters=len(item.document.text),
        digest=make_ledger_digest(item, resources),
    )


def make_output_row(item: BatchNote, columns: Columns) -> OutputRow:
    """Make the output row: each column is pseudonymized, shifted, kept as a code or left empty.

    `note_source_value` and `note_event_id` refer to the source and stay empty. Raises Unsafe.
    """
    row = item.row
    if item.release is None or item.document is None or item.document.written is None:
        raise Unsafe("not-rewritten")
    person = _require_person(row.person_id)
    written_at = parse_datetime(row.note_datetime)
    note = NoteRow(
        note_id=columns.pseudonym("note", item.note_id),
        person_id=columns.pseudonym("person", person),
        note_date=columns.shift_date(
            person, parse_date(row.note_date) or item.document.written.date()
        ),
        note_datetime=columns.shift_datetime(person, written_at) if written_at else None,
        note_type_concept_id=parse_integer(row.note_type_concept_id) or 0,
        note_class_concept_id=parse_integer(row.note_class_concept_id) or 0,
        note_title=item.title_release.text or None if item.title_release else None,
        note_text=item.release.text,
        encoding_concept_id=parse_integer(row.encoding_concept_id) or 0,
        language_concept_id=parse_integer(row.language_concept_id) or 0,
        provider_id=replace_id("provider", row.provider_id, columns),
        visit_occurrence_id=replace_id("visit", row.visit_occurrence_id, columns),
        visit_detail_id=replace_id("visit_detail", row.visit_detail_id, columns),
    )
    note = replace(note, **make_empty_values(columns.dropped("note")))
    moved = make_person_row(item.person, item.patient, columns) if item.person else None
    return OutputRow(note, item.release.spans, moved)


def make_empty_values(names: frozenset[str]) -> dict[str, Any]:
    """Return the values of dropped columns: None, or 0 for concepts, as OMOP requires."""
    return {name: 0 if name.endswith("_concept_id") else None for name in names}


def make_person_row(
    person: PersonRow, patient: PatientRecord | None, columns: Columns
) -> PersonRow:
    """Make the output row of a person: codes are kept, the birth date is reduced to a shifted year.

    Raises Unsafe when the shifted date is outside the calendar.
    """
    person_id, year = str(person.person_id), person.year_of_birth
    if patient is not None and patient.birth_date is not None:
        born = patient.birth_date
        year = columns.shift_birth(person_id, Birth(born.year, born.month, born.day)).year
    elif year:
        year = columns.shift_birth(person_id, Birth(year)).year
    moved = replace(
        person,
        person_id=columns.pseudonym("person", person_id),
        year_of_birth=year or None,
        month_of_birth=None,
        day_of_birth=None,
    )
    # A policy may name columns that are never written.
    return replace(moved, **make_empty_values(columns.dropped("person") & set(PERSON_COLUMNS)))


def _require_person(person_id: object) -> str:
    number = parse_integer(person_id)
    if number is None:
        raise Unsafe("no-person")
    return str(number)


def replace_id(kind: str, value: object, columns: Columns) -> int | None:
    """Return the pseudonym of a source id; None for a value that is not an integer."""
    number = parse_integer(value)
    return None if number is None else columns.pseudonym(kind, str(number))


def _make_failed_note(refused: RefusedNote, resources: WorkerResources) -> FailedNote:
    item, failure = refused.item, refused.failure
    written = item.document.written if item.document else None
    return FailedNote(
        note_id=item.row.note_id,
        person_id=parse_integer(item.row.person_id),
        content=item.content,
        identity=item.identity,
        config=resources.config,
        stage=failure.stage,
        error=failure.error,
        reason=failure.reason,
        kind=item.kind,
        day=written.date().isoformat() if written else None,
        digest=make_ledger_digest(item, resources),
    )


def _fingerprint_note(item: BatchNote, resources: WorkerResources) -> Fingerprint:
    """Return a keyed fingerprint of a note, equal for the same text of the same patient."""
    text = item.document.text if item.document else ""
    written = item.document.written if item.document else None
    data = f"{parse_integer(item.row.person_id)}\0{text}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    return Fingerprint(
        note_id=item.row.note_id,
        print=resources.print_key.hashed("fingerprint", digest),
        kind=item.kind,
        site=item.site or NO_SITE,
        extractor=item.document.origin if item.document else "",
        day=written.date().isoformat() if written else "",
    )


def _tally_batch(batch: Batch) -> Tally:
    """Return the tally of the batch including outcomes; the batch's own tally is not changed."""
    tally = Tally().merge(batch.tally)
    tally.cells.update(count_cells(batch.items, batch.refused))
    for item in batch.items:
        if item.document is not None and item.release is not None:
            tally.add_release(item.document, item.release)
    for refused in batch.refused:
        tally.add_failure(refused.failure, refused.item.kind)
    return tally.group_by_month()
