"""From a finished batch to one transaction in the state database: stage, spans, ledger, counts."""

import json
from dataclasses import replace

from pipeline.batch import Batch, Item, Refused
from pipeline.ledger import FailedNote, StagedNote, UnitResult
from pipeline.note import NoteRow, OutputRow, PersonRow, day, moment, pack, whole
from pipeline.summary import Tally
from pipeline.tools import Tools
from record.errors import Unsafe
from surrogates.columns import Birth


def write(batch: Batch, tools: Tools, run_id: int) -> Batch:
    """Commit a batch in one transaction; gives it with its final tally.

    Notes whose output row cannot be made join the quarantine. Committing twice changes nothing.
    """
    batch, staged = _stage(batch, tools)
    tally = _counted(batch)
    result = UnitResult(
        read_ids=list(batch.read_ids),
        unchanged_ids=list(batch.unchanged),
        releases=staged,
        failures=[_failed(refused, tools) for refused in batch.refused],
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
        payload=pack(_output_row(item, tools)),
        kind=item.kind,
        day=written.date().isoformat() if written else None,
        characters=len(item.document.text),
    )


def _output_row(item: Item, tools: Tools) -> OutputRow:
    """Make the row that research may read: each column is replaced, moved, kept as a code or empty.

    `note_source_value` and `note_event_id` name things of the source and stay empty.
    """
    row, columns = item.row, tools.columns
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
        provider_id=_optional("provider", row.provider_id, tools),
        visit_occurrence_id=_optional("visit", row.visit_occurrence_id, tools),
        visit_detail_id=_optional("visit_detail", row.visit_detail_id, tools),
    )
    return OutputRow(note, item.release.spans, _person_row(item, tools))


def _person_row(item: Item, tools: Tools) -> PersonRow | None:
    """Make the patient's row: codes are kept, of the birth date the moved year alone."""
    if item.person is None:
        return None
    person = _required(item.row.person_id)
    year = item.person.year_of_birth
    if item.patient is not None and item.patient.birth_date is not None:
        year = tools.columns.shift_date(person, item.patient.birth_date).year
    elif year:
        year = tools.columns.shift_birth(person, Birth(year)).year
    return replace(
        item.person,
        person_id=tools.columns.pseudonym("person", person),
        year_of_birth=year or None,
        month_of_birth=None,
        day_of_birth=None,
    )


def _required(person_id: object) -> str:
    number = whole(person_id)
    if number is None:
        raise Unsafe("no-person")
    return str(number)


def _optional(kind: str, value: object, tools: Tools) -> int | None:
    number = whole(value)
    return None if number is None else tools.columns.pseudonym(kind, str(number))


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


def _counted(batch: Batch) -> Tally:
    """Count what became of the notes; the tally of the batch so far is not changed."""
    tally = Tally().merge(batch.tally)
    for item in batch.items:
        if item.document is not None and item.release is not None:
            tally.add_release(item.document, item.release)
    for refused in batch.refused:
        tally.add_failure(refused.failure, refused.item.kind)
    return tally.coarse()
