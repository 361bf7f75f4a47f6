"""Commit of a finished batch in one transaction: stage, spans, ledger, counts."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pipeline.notes.batch import Batch, Item, Refused
from pipeline.notes.worker_resources import Tools
from pipeline.state.ledger import FailedNote, StagedNote, UnitResult
from pipeline.state.quality_counts import Cell, Cells
from pipeline.state.run_summary import Tally
from pipeline.state.unit_results import Print
from pipeline.warehouse.note_rows import (
    PERSON_COLUMNS,
    NoteRow,
    OutputRow,
    PersonRow,
    day,
    moment,
    pack,
    whole,
)
from record.document import Document
from record.errors import Unsafe
from record.label import Label
from record.patient import PatientRecord
from record.release import Release
from record.span import Span
from surrogates.tables.columns import Birth, Columns

OTHER = "other"

_CLASSES = tuple(
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
_LONGEST = 40


def shape(text: str) -> str:
    """Return the class that the way a date is written belongs to;
    a time behind it does not count.
    """
    text = text.strip()
    if len(text) <= _LONGEST:
        for name, expression in _CLASSES:
            found = expression.match(text)
            if found and (found.end() == len(text) or _TIME.fullmatch(text, found.end())):
                return name
    return OTHER


NO_SITE = "none"


def count(items: Iterable[Item], refused: Iterable[Refused]) -> Cells:
    """Count the notes of a batch: those that are ready for release, and those in quarantine."""
    cells: Cells = Counter()
    drawn: dict[Cell, set[str]] = {}
    for item in items:
        if item.document is not None and item.release is not None:
            place = _place(item, item.document)
            cells[_worked(place)] += 1
            _add_note(cells, item, item.document, place)
            _add_surrogates(drawn, item.release, place.day)
    for cell, values in drawn.items():
        cells[cell] += len(values)
    for each in refused:
        place = _worked(_place(each.item, each.item.document))
        cells[place] += 1
        cells[place._replace(measure="refused", name=each.failure.reason or "none")] += 1
    return cells


def _place(item: Item, document: Document | None) -> Cell:
    written = document.written if document else None
    return Cell(
        "notes",
        kind=item.kind,
        site=item.site or NO_SITE,
        extractor=document.origin if document else "",
        day=written.date().isoformat() if written else "",
    )


def _worked(place: Cell) -> Cell:
    return place._replace(measure="worked", extractor="")


def _add_note(cells: Cells, item: Item, document: Document, place: Cell) -> None:
    text, day = document.text, place.day
    _, _, _, kind, site, extractor, _ = place

    def add(measure: str, name: str, number: int, detector: str = "") -> None:
        cells[Cell(measure, name, detector, kind, site, extractor, day)] += number

    add("notes", "", 1)
    add("characters", "", len(text))
    add("lengths", _bin(len(text)), 1)
    add("empty", "", not item.found)
    for name, number in {"text": text.count("\n") + 1, **item.classes}.items():
        add("lines", name, number)
        cells[Cell("line-squares", name, day=day)] += number * number
    found = Counter((span.label, span.detector) for span in item.found)
    labels: Counter[str] = Counter()
    for (label, detector), number in found.items():
        add("spans", label, number, detector)
        labels[label] += number
    for (tenth, detector), number in Counter(map(_scored, item.found)).items():
        cells[Cell("scores", tenth, detector, day=day)] += number
    dates = (span for span in item.found if span.label == Label.DATE)
    shapes = Counter(shape(text[span.start : span.end]) for span in dates)
    for name, number in shapes.items():
        add("dates", name, number)
    for measure, counted in (("span-squares", labels), ("date-squares", shapes)):
        for name, number in counted.items():
            cells[Cell(measure, name, day=day)] += number * number


def _add_surrogates(drawn: dict[Cell, set[str]], release: Release, day: str) -> None:
    for span in release.spans:
        cell = Cell("surrogates", span.label, day=day)
        drawn.setdefault(cell, set()).add(release.text[span.start : span.end])


def _bin(characters: int) -> str:
    """Name a length by the power of two that it reaches."""
    return f"{1 << max(characters.bit_length() - 1, 0)}+"


def _scored(span: Span) -> tuple[str, str]:
    return _TENTHS[min(int(span.score * 10), 9)], span.detector


_TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(10))


def write(batch: Batch, tools: Tools, run_id: int) -> Batch:
    """Commit a batch in one transaction; returns it with its final tally.

    Notes whose output row cannot be made join the quarantine. Committing twice changes nothing.
    """
    batch, staged = _stage(batch, tools)
    tally = _counted(batch)
    result = UnitResult(
        read_ids=list(batch.read_ids),
        unchanged_ids=list(batch.unchanged),
        releases=staged,
        failures=[_failed(refused, tools) for refused in batch.refused],
        prints=[_print(item, tools) for item in batch.items],
        tally=json.dumps(tally.to_json()),
    )
    tools.state.commit_unit(run_id, batch.unit, result)
    return replace(batch, tally=tally)


def _stage(batch: Batch, tools: Tools) -> tuple[Batch, list[StagedNote]]:
    staged: dict[str, StagedNote] = {}

    def step(item: Item) -> Item:
        staged[item.note_id] = _staged(item, tools)
        return item

    written = batch.each("write", step)
    return written, [staged[item.note_id] for item in written.items]


def _staged(item: Item, tools: Tools) -> StagedNote:
    if item.document is None or item.release is None:
        raise Unsafe("not-rewritten")
    written = item.document.written
    return StagedNote(
        note_id=item.row.note_id,
        person_id=whole(item.row.person_id),
        content=item.content,
        identity=item.identity,
        config=tools.config,
        sealed=item.sealed,
        payload=pack(output_row(item, tools.columns)),
        kind=item.kind,
        day=written.date().isoformat() if written else None,
        characters=len(item.document.text),
    )


def output_row(item: Item, columns: Columns) -> OutputRow:
    """Make the row that research may read: each column is replaced, moved, kept as a code or empty.

    `note_source_value` and `note_event_id` name things of the source and stay empty. Raises Unsafe.
    """
    row = item.row
    if item.release is None or item.document is None or item.document.written is None:
        raise Unsafe("not-rewritten")
    person = _required(row.person_id)
    written_at = moment(row.note_datetime)
    note = NoteRow(
        note_id=columns.pseudonym("note", item.note_id),
        person_id=columns.pseudonym("person", person),
        note_date=columns.shift_date(person, day(row.note_date) or item.document.written.date()),
        note_datetime=columns.shift_datetime(person, written_at) if written_at else None,
        note_type_concept_id=whole(row.note_type_concept_id) or 0,
        note_class_concept_id=whole(row.note_class_concept_id) or 0,
        note_title=item.title_release.text or None if item.title_release else None,
        note_text=item.release.text,
        encoding_concept_id=whole(row.encoding_concept_id) or 0,
        language_concept_id=whole(row.language_concept_id) or 0,
        provider_id=optional_id("provider", row.provider_id, columns),
        visit_occurrence_id=optional_id("visit", row.visit_occurrence_id, columns),
        visit_detail_id=optional_id("visit_detail", row.visit_detail_id, columns),
    )
    note = replace(note, **emptied(columns.dropped("note")))
    moved = person_row(item.person, item.patient, columns) if item.person else None
    return OutputRow(note, item.release.spans, moved)


def emptied(names: frozenset[str]) -> dict[str, Any]:
    """Return what stands in columns that the policy drops: nothing, or OMOP's 0 for no concept."""
    return {name: 0 if name.endswith("_concept_id") else None for name in names}


def person_row(person: PersonRow, patient: PatientRecord | None, columns: Columns) -> PersonRow:
    """Make the row of a person: codes are kept, of the birth date the moved year alone.

    Raises Unsafe where the calendar ends.
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
    # A policy may also name columns that are never written.
    return replace(moved, **emptied(columns.dropped("person") & set(PERSON_COLUMNS)))


def _required(person_id: object) -> str:
    number = whole(person_id)
    if number is None:
        raise Unsafe("no-person")
    return str(number)


def optional_id(kind: str, value: object, columns: Columns) -> int | None:
    """Return the id that stands for one of the source; None for what is no number."""
    number = whole(value)
    return None if number is None else columns.pseudonym(kind, str(number))


def _failed(refused: Refused, tools: Tools) -> FailedNote:
    item, failure = refused.item, refused.failure
    written = item.document.written if item.document else None
    return FailedNote(
        note_id=item.row.note_id,
        person_id=whole(item.row.person_id),
        content=item.content,
        identity=item.identity,
        config=tools.config,
        stage=failure.stage,
        error=failure.error,
        reason=failure.reason,
        kind=item.kind,
        day=written.date().isoformat() if written else None,
    )


def _print(item: Item, tools: Tools) -> Print:
    """Fingerprint a note under the cohort's key: equal for the same text of the same patient."""
    text = item.document.text if item.document else ""
    written = item.document.written if item.document else None
    said = f"{whole(item.row.person_id)}\0{text}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(said, digest_size=16).hexdigest()
    return Print(
        note_id=item.row.note_id,
        print=tools.cohort.pseudonym("fingerprint", digest),
        kind=item.kind,
        site=item.site or NO_SITE,
        extractor=item.document.origin if item.document else "",
        day=written.date().isoformat() if written else "",
    )


def _counted(batch: Batch) -> Tally:
    """Count what became of the notes; the tally of the batch so far is not changed."""
    tally = Tally().merge(batch.tally)
    tally.cells.update(count(batch.items, batch.refused))
    for item in batch.items:
        if item.document is not None and item.release is not None:
            tally.add_release(item.document, item.release)
    for refused in batch.refused:
        tally.add_failure(refused.failure, refused.item.kind)
    return tally.coarse()
