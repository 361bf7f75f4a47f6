"""From a finished batch to one transaction in the state database: stage, spans, ledger, counts."""

import hashlib
import json
from dataclasses import replace
from typing import Any

from pipeline.notes.batch import (
    Batch,
    Item,
    Refused,
)
from pipeline.notes.entity_counts import (
    NO_SITE,
    count,
)
from pipeline.notes.worker_resources import Tools
from pipeline.state.ledger import (
    FailedNote,
    StagedNote,
    UnitResult,
)
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
from record.errors import Unsafe
from record.patient import PatientRecord
from surrogates.tables.columns import (
    Birth,
    Columns,
)


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
