"""The stages of the nightly job, in order: each is a function from batch to batch."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from pipeline.notes import residual_identifiers
from pipeline.notes.batch import Batch, BatchNote, RefusedNote, hash_row
from pipeline.notes.comparison import find_unchanged, is_valid
from pipeline.notes.detection import check_language, detect, spoken
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_detection import Foresight
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.people import PatientLookup, extend_by_context, extend_hash
from pipeline.notes.selected_rules import rule_of
from pipeline.notes.worker_resources import WorkerResources
from pipeline.state.run_summary import Outcome, Tally
from pipeline.state.span_sealing import NoteFindings, NoteVersion
from pipeline.state.tables import unpack_ids
from pipeline.warehouse.note_rows import (
    NoteRow,
    Unit,
    name_kind,
    parse_datetime,
    parse_integer,
)
from pipeline.warehouse.people import PeopleTables
from record.document import Document
from record.errors import Unreadable, Unsafe
from record.failure import Failure
from record.label import Label
from record.languages import OMOP_LANGUAGES
from record.patient import Identifier
from record.span import Span
from rules.known.known import KnownPatient


class SourceWithTables(Protocol):
    """A source with tables that rows can be looked up in."""

    @property
    def store(self) -> PeopleTables:
        """The tables."""
        ...


class CareSites:
    """Names of the care sites of a batch of notes, read with at most two queries.

    `names` maps care site ids, as text, to names; others are named by their id.
    """

    def __init__(
        self, rows: Sequence[NoteRow], source: SourceWithTables, names: Mapping[str, str]
    ) -> None:
        self._names = names
        self._visits = _find_care_sites(
            source.store, "visit_occurrence", (row.visit_occurrence_id for row in rows)
        )
        others = (row.provider_id for row in rows if not self._of_visit(row))
        self._providers = _find_care_sites(source.store, "provider", others)

    def name_of(self, row: NoteRow) -> str:
        """Return the name of a note's site; empty if unknown."""
        site = self._of_visit(row) or self._providers.get(parse_integer(row.provider_id) or 0)
        return self._names.get(str(site), f"site-{site}") if site else ""

    def _of_visit(self, row: NoteRow) -> int | None:
        return self._visits.get(parse_integer(row.visit_occurrence_id) or 0)


def _find_care_sites(tables: PeopleTables, table: str, values: Iterable[object]) -> dict[int, int]:
    key = f"{table}_id"
    ids = sorted({number for value in values if (number := parse_integer(value))})
    found: dict[int, int] = {}
    for row in tables.lookup(table, (key, "care_site_id"), key, ids) if ids else ():
        number, site = parse_integer(row[key]), parse_integer(row.get("care_site_id"))
        if number is not None and site is not None:
            found.setdefault(number, site)
    return found


Stage = Callable[[Batch, WorkerResources], Batch]


def read_batch(unit: Unit, resources: WorkerResources) -> Batch:
    """Read the notes of a unit, or only those that it wants, from the warehouse.

    Where its database computes digests, notes that these show to be unchanged are not read, and
    neither are those that were not touched since the date from which the run compares.
    """
    source = resources.source
    if unit.wanted:
        wanted = set(unpack_ids(unit.wanted))
        return start_batch(
            unit, [row for row in source.read(unit) if row.note_id in wanted], resources
        )
    run = resources.state.find_running()
    is_compared = run.since is not None or resources.state.has_digests(unit.low, unit.high)
    compared = source.read_digests(unit, run.since) if is_compared else None
    if compared is None:
        return start_batch(unit, source.read(unit), resources)
    unchanged = find_unchanged(compared, run, resources)
    changed = [row.note_id for row in compared if row.note_id not in unchanged]
    rows = [row for some in source.pick(changed, unit.count or 1) for row in some]
    batch = start_batch(unit, rows, resources)
    batch.tally.add(Outcome.READ, len(unchanged))
    batch.tally.add(Outcome.UNCHANGED, len(unchanged))
    return replace(batch, read_ids=(*unchanged, *batch.read_ids), unchanged=tuple(unchanged))


def start_batch(unit: Unit, rows: Sequence[NoteRow], resources: WorkerResources) -> Batch:
    """Make a batch of rows that were read."""
    batch = Batch(unit=unit, read_ids=tuple(row.note_id for row in rows))
    batch.tally.add(Outcome.READ, len(rows))
    items = tuple(BatchNote(row=row) for row in rows)
    return replace(batch, items=items).apply(
        "read", lambda item: _hash_and_classify(item, resources)
    )


def attach_patients(batch: Batch, resources: WorkerResources) -> Batch:
    """Attach the records of patients, authors, visits and sites: one query per table."""
    source, rows = resources.source, [item.row for item in batch.items]
    patients = PatientLookup({row.person_id for row in rows}, source)
    clinicians = source.clinicians({row.provider_id for row in rows})
    visits = source.visit_numbers({row.visit_occurrence_id for row in rows})
    sites = CareSites(rows, source, resources.settings.source.sites)
    attached = []
    for item in batch.items:
        row = item.row
        author = clinicians.get(parse_integer(row.provider_id) or 0)
        number = visits.get(parse_integer(row.visit_occurrence_id) or 0)
        attached.append(
            replace(
                item,
                site=sites.name_of(row),
                patient=patients.record_of(row.person_id),
                person=patients.row_of(row.person_id),
                identity=patients.hash_of(row.person_id),
                clinicians=(author,) if author else (),
                identifiers=(Identifier(Label.VISIT_ID, number),) if number else (),
                content=extend_by_context(item.content, author, number),
                digest=extend_by_context(row.digest, author, number) if row.digest else b"",
            )
        )
    return replace(batch, items=tuple(attached))


def fetch_documents(batch: Batch, resources: WorkerResources) -> Batch:
    """Fetch the documents that notes refer to; their bytes are part of the content hash.

    That hash is then complete, and is keyed like that of the patient.
    """
    fetched = []
    refused = list(batch.refused)
    for item in batch.items:
        result = attempt(item.note_id, "fetch", lambda item=item: _fetch_document(item, resources))  # type: ignore[misc]
        if isinstance(result, Failure):
            # The reason is hashed in place of the bytes: the note is tried again when it changes.
            reason = result.reason.encode() + resources.extraction
            marked = replace(item, content=extend_hash(item.content, reason))
            refused.append(RefusedNote(marked, result))
        elif result is None:
            fetched.append(item)
        else:
            digest = hashlib.blake2b(result, digest_size=16).digest()
            content = extend_hash(item.content, digest + resources.extraction)
            fetched.append(replace(item, data=result, content=content))
    return replace(
        batch,
        items=tuple(_key_hashes(item, resources) for item in fetched),
        refused=tuple(replace(each, item=_key_hashes(each.item, resources)) for each in refused),
    )


def _key_hashes(item: BatchNote, resources: WorkerResources) -> BatchNote:
    """Key the hashes of note and patient: whoever reads the ledger cannot confirm a guess."""
    key_digest = resources.keys.key_digest
    content, identity = (
        key_digest("content", item.content),
        key_digest("identity", item.identity),
    )
    return replace(item, content=content, identity=identity)


def make_ledger_digest(item: BatchNote, resources: WorkerResources) -> bytes | None:
    """Return the keyed digest by the source's database; None if there is none.

    The content hash must be complete and keyed.
    """
    if not item.digest:
        return None
    return resources.keys.key_row_digest(item.row.note_id, item.content, item.digest)


def make_version(item: BatchNote, config: bytes) -> NoteVersion:
    """Return the version of a note, to which its findings and its output row are bound."""
    return NoteVersion(item.row.note_id, item.content, item.identity, config)


def skip_unchanged(batch: Batch, resources: WorkerResources) -> Batch:
    """Skip notes whose content, patient and configuration have not changed since the last run.

    Notes that earlier detectors read are skipped as well, unless they wait for their publication
    or the unit is one of a backfill: their output stays as it is until then.
    """
    items = [*batch.items, *(refused.item for refused in batch.refused)]
    entries = resources.state.read_entries([item.row.note_id for item in items])
    is_backfill = batch.unit.is_backfill

    def is_known(item: BatchNote) -> bool:
        entry = entries.get(item.row.note_id)
        if entry is None or (entry.content, entry.identity) != (item.content, item.identity):
            return False
        return is_valid(entry, resources, is_backfill=is_backfill)

    unchanged = [item for item in items if is_known(item)]
    made = {item.row.note_id: make_ledger_digest(item, resources) for item in unchanged}
    digests = {
        note_id: digest
        for note_id, digest in made.items()
        if digest is not None and digest != entries[note_id].digest
    }
    batch.tally.add(Outcome.UNCHANGED, len(unchanged))
    return replace(
        batch,
        items=tuple(item for item in batch.items if not is_known(item)),
        refused=tuple(refused for refused in batch.refused if not is_known(refused.item)),
        unchanged=batch.unchanged + tuple(made),
        digests=digests,
    )


def recall_spans(batch: Batch, resources: WorkerResources) -> Batch:
    """Recall the spans of unchanged notes that an accepted earlier configuration stored.

    Such notes are written anew, as under another version of the surrogate algorithm, but nothing
    is detected in them again.
    """
    earlier = resources.accepted - {resources.config}
    if not earlier:
        return batch
    stored = resources.state.read_sealed([item.row.note_id for item in batch.items])

    def step(item: BatchNote) -> BatchNote:
        found_then = stored.get(item.row.note_id)
        if found_then is None or found_then.version.config not in earlier:
            return item
        if found_then.version != make_version(item, found_then.version.config):
            return item
        kept = resources.seal.open_findings(found_then.version, found_then.sealed)
        found, title_found = (tuple(kept.spans[part]) for part in ("text", "title"))
        return replace(item, read=kept.read, found=found, title_found=title_found, is_recalled=True)

    return batch.apply("recall", step)


def refuse_condemned(batch: Batch, resources: WorkerResources) -> Batch:  # noqa: ARG001 - a stage
    """Refuse a note that ended its worker again and again, before anything is done with its text.

    It is read up to here, so that the ledger knows the version that was refused.
    """

    def step(_: BatchNote) -> BatchNote:
        raise Unsafe(KILLER)

    return batch.apply("isolate", step) if batch.unit.is_condemned else batch


KILLER = "worker-killed"
"""The reason for the quarantine of a note that failed, or ended its worker, each time."""


Step = Callable[[BatchNote], BatchNote]

NOTE_TEXT = "note_text"
"""The origin of a note that is stored as text."""


_EXTRACTION = 0.5
"""What the extraction of a document counts of the work on its note; detection is the rest."""


def _tell_progress(
    step: Step,
    batch: Batch,
    resources: WorkerResources,
    weigh: Callable[[BatchNote], float],
    *,
    done: float = 0.0,
) -> Step:
    """Return a step that tells how far the unit is, of which `done` notes' work was done before.

    `weigh` tells what the step counts of the work on a note. Notes that were left out are done.
    """
    leases, unit = resources.state.leases, batch.unit
    worked = max(0, unit.count - len(batch.items)) + done

    def told(item: BatchNote) -> BatchNote:
        nonlocal worked
        made = step(item)
        worked += weigh(item)
        leases.note_progress(unit, int(worked))
        return made

    return told


def extract_texts(batch: Batch, resources: WorkerResources) -> Batch:
    """Extract the texts of rows and documents; refuse notes of unknown patients."""

    def step(item: BatchNote) -> BatchNote:
        return _extract_note(item, resources, batch.tally)

    def weigh(item: BatchNote) -> float:
        return 0.0 if item.data is None else _EXTRACTION

    return batch.apply("extract", _tell_progress(step, batch, resources, weigh))


def detect_identifiers(batch: Batch, resources: WorkerResources) -> Batch:
    """Detect identifiers with every detector; spans may overlap.

    Notes in a language that none of them speaks are refused.
    """
    site = resources.settings.rules.site
    allowed = resources.settings.detection.allowed
    unread = (item for item in batch.items if not item.is_recalled)
    texts = (text for item in unread for text in (item.document, item.title))
    foresight = Foresight(resources.tagger, (text for text in texts if text and text.text))

    def spans(document: Document, known: KnownPatient | None) -> tuple[Span, ...]:
        by_rules = detect(document, known, site)
        if dropped := resources.dropped:
            by_rules = tuple(span for span in by_rules if rule_of(span) not in dropped)
        return (*by_rules, *foresight.spans(document))

    def step(item: BatchNote) -> BatchNote:
        item = set_language(item, resources)
        if item.is_recalled:
            return item
        known = _compile_patient(item, resources)
        document, title = _require_texts(item)
        for text in (document, title):
            check_language(text, allowed)
        return replace(
            item,
            found=spans(document, known),
            title_found=spans(title, known) if title.text else (),
        )

    def weigh(item: BatchNote) -> float:
        return 1.0 - _extracted_share(item)

    done = sum(map(_extracted_share, batch.items))
    return batch.apply("detect", _tell_progress(step, batch, resources, weigh, done=done))


def _extracted_share(item: BatchNote) -> float:
    """Return what extraction has done of the work on a note."""
    is_document = item.document is not None and item.document.origin != NOTE_TEXT
    return _EXTRACTION if is_document else 0.0


def set_language(item: BatchNote, resources: WorkerResources) -> BatchNote:
    """Set the language of a note and its title, on which detection and surrogates depend."""
    document, title = _require_texts(item)
    document = spoken(document, resources.settings.lang)
    return replace(item, document=document, title=replace(title, lang=document.lang))


def resolve_and_seal(batch: Batch, resources: WorkerResources) -> Batch:
    """Resolve overlapping spans and seal them."""

    def step(item: BatchNote) -> BatchNote:
        document, title = _require_texts(item)
        found, title_found = item.found, item.title_found
        if not item.is_recalled:
            found = resolve_spans(found, document.text)
            title_found = resolve_spans(title_found, title.text)
        spans = {"text": found, "title": title_found}
        kept = NoteFindings(spans, item.read if resources.settings.state.keep_texts else None)
        sealed = resources.seal.seal_findings(make_version(item, resources.config), kept)
        return replace(item, found=found, title_found=title_found, sealed=sealed)

    return batch.apply("resolve", step)


def rewrite_notes(batch: Batch, resources: WorkerResources) -> Batch:
    """Replace every span with its surrogate under the cohort's key."""

    def step(item: BatchNote) -> BatchNote:
        document, title = _require_texts(item)
        return replace(
            item,
            release=resources.rewriter.rewrite(document, item.found, item.patient),
            title_release=resources.rewriter.rewrite(title, item.title_found, item.patient),
        )

    return batch.apply("rewrite", step)


def check_residue(batch: Batch, resources: WorkerResources) -> Batch:
    """Refuse notes that still hold a known value of their patient."""

    def step(item: BatchNote) -> BatchNote:
        known = _compile_patient(item, resources)
        document, title = _require_texts(item)
        if item.release is None or item.title_release is None:
            raise Unsafe("not-rewritten")
        residual_identifiers.check_release(item.release, document, known, resources.policy)
        residual_identifiers.check_release(item.title_release, title, known, resources.policy)
        return item

    return batch.apply("residue", step)


STAGES: tuple[tuple[str, Stage], ...] = (
    ("attach", attach_patients),
    ("fetch", fetch_documents),
    ("skip", skip_unchanged),
    ("recall", recall_spans),
    ("isolate", refuse_condemned),
    ("extract", extract_texts),
    ("detect", detect_identifiers),
    ("resolve", resolve_and_seal),
    ("rewrite", rewrite_notes),
    ("residue", check_residue),
)
"""The stages between reading and committing a batch. Documents are fetched and unchanged notes
skipped before extraction: an unchanged PDF costs a read, not an extraction."""


def run_stage(name: str, stage: Stage, batch: Batch, resources: WorkerResources) -> Batch:
    """Run a stage and add its duration to the batch's tally."""
    started = time.perf_counter()
    result = stage(batch, resources)
    result.tally.add_seconds(name, time.perf_counter() - started)
    return result


def _hash_and_classify(item: BatchNote, resources: WorkerResources) -> BatchNote:
    kind = name_kind(item.row.note_class_concept_id, resources.settings.source.kinds)
    return replace(item, content=hash_row(item.row), kind=kind)


def _fetch_document(item: BatchNote, resources: WorkerResources) -> bytes | None:
    if item.row.note_text or not item.row.note_source_value:
        return None
    return resources.document(str(item.row.note_source_value))


def _extract_note(item: BatchNote, resources: WorkerResources, tally: Tally) -> BatchNote:
    row = item.row
    person_id = parse_integer(row.person_id)
    if person_id is None:
        raise Unreadable("no-person")
    if item.patient is None:
        raise Unreadable("unknown-patient")
    written = parse_datetime(row.note_datetime) or parse_datetime(row.note_date)
    if written is None:
        raise Unreadable("no-date")
    classes: Mapping[str, int] = {}
    if item.data is None:
        text, origin = resources.text(row.note_text), NOTE_TEXT
    elif item.read is None:
        text, origin, classes = _read_document(item.data, item, resources, tally)
        item = replace(item, read=(text, origin))
    else:
        text, origin = item.read
    title = resources.text(row.note_title) if row.note_title else ""
    document = Document(
        note_id=item.note_id,
        text=text,
        person_id=str(person_id),
        lang=OMOP_LANGUAGES.get(parse_integer(row.language_concept_id) or 0, ""),
        written=written,
        kind=item.kind,
        origin=origin,
        clinicians=item.clinicians,
        identifiers=item.identifiers,
    )
    title_document = replace(document, text=title)
    return replace(item, document=document, title=title_document, data=None, classes=classes)


def _read_document(
    data: bytes, item: BatchNote, resources: WorkerResources, tally: Tally
) -> tuple[str, str, Mapping[str, int]]:
    extracted = resources.reader.read(data, name=str(item.row.note_source_value))
    tally.add_extraction(item.kind, extracted.quality.score, recognized=extracted.recognized)
    if extracted.quality.score < resources.settings.extraction.threshold(item.kind):
        raise Unreadable("low-quality")
    return resources.check_length(extracted.text), extracted.origin, extracted.classes


def _require_texts(item: BatchNote) -> tuple[Document, Document]:
    if item.document is None or item.title is None:
        raise Unsafe("not-extracted")
    return item.document, item.title


def _compile_patient(item: BatchNote, resources: WorkerResources) -> KnownPatient | None:
    return resources.known.of(item.patient, item.identity) if item.patient else None
