"""The stages of the path of a note, in order: each takes a batch and gives the next one."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Protocol

from pipeline.notes import residual_identifiers
from pipeline.notes.batch import NOTHING, Batch, Item, Refused, hash_row
from pipeline.notes.detection import detect, detect_together, spoken
from pipeline.notes.error_boundary import attempt
from pipeline.notes.model_detection import Foresight
from pipeline.notes.overlap_resolution import resolve
from pipeline.notes.worker_resources import Tools
from pipeline.state.run_summary import Outcome, Tally
from pipeline.state.span_sealing import Found
from pipeline.warehouse.note_rows import NoteRow, PersonRow, Unit, moment, whole
from pipeline.warehouse.people import PeopleTables
from record.document import Document
from record.errors import Unreadable, Unsafe
from record.failure import Failure
from record.label import Label
from record.patient import Identifier, PatientRecord, PersonName
from record.span import Span
from rules.known.known import KnownPatient


class Sited(Protocol):
    """A source whose tables can be looked into."""

    @property
    def store(self) -> PeopleTables:
        """The tables."""
        ...


class Sites:
    """The names of the sites of some notes: two queries at most.

    `names` maps care sites, as text, to names; others are called by their number.
    """

    def __init__(self, rows: Sequence[NoteRow], source: Sited, names: Mapping[str, str]) -> None:
        self._names = names
        self._visits = _care_sites(
            source.store, "visit_occurrence", (row.visit_occurrence_id for row in rows)
        )
        others = (row.provider_id for row in rows if not self._of_visit(row))
        self._providers = _care_sites(source.store, "provider", others)

    def of(self, row: NoteRow) -> str:
        """Name the site of a note; empty where nobody knows."""
        site = self._of_visit(row) or self._providers.get(whole(row.provider_id) or 0)
        return self._names.get(str(site), f"site-{site}") if site else ""

    def _of_visit(self, row: NoteRow) -> int | None:
        return self._visits.get(whole(row.visit_occurrence_id) or 0)


def _care_sites(tables: PeopleTables, table: str, values: Iterable[object]) -> dict[int, int]:
    key = f"{table}_id"
    ids = sorted({number for value in values if (number := whole(value))})
    found: dict[int, int] = {}
    for row in tables.lookup(table, (key, "care_site_id"), key, ids) if ids else ():
        number, site = whole(row[key]), whole(row.get("care_site_id"))
        if number is not None and site is not None:
            found.setdefault(number, site)
    return found


Stage = Callable[[Batch, Tools], Batch]

LANGUAGES = {4180190: "fr", 4180186: "en", 4182511: "es"}
"""OMOP concepts of languages (vocabulary SNOMED, domain Language) that a note is taken to name."""


def read(unit: Unit, tools: Tools) -> Batch:
    """Read the notes of a unit of work from the warehouse."""
    return taken(unit, tools.source.read(unit), tools)


def taken(unit: Unit, rows: Sequence[NoteRow], tools: Tools) -> Batch:
    """Begin with rows that were read."""
    batch = Batch(unit=unit, read_ids=tuple(row.note_id for row in rows))
    batch.tally.add(Outcome.READ, len(rows))
    items = tuple(Item(row=row) for row in rows)
    return replace(batch, items=items).each("read", lambda item: _described(item, tools))


def attach(batch: Batch, tools: Tools) -> Batch:
    """Attach what the warehouse knows of patients, authors and visits: one query a table."""
    source, rows = tools.source, [item.row for item in batch.items]
    person_ids = {row.person_id for row in rows}
    patients = source.patients(person_ids)
    persons = source.demographics(person_ids)
    identified = source.has_identity(person_ids)
    clinicians = source.clinicians({row.provider_id for row in rows})
    visits = source.visit_numbers({row.visit_occurrence_id for row in rows})
    sites = Sites(rows, source, tools.settings.source.sites)
    identities = {
        person_id: _identity(patients[person_id], persons.get(person_id))
        for person_id in patients.keys() & identified
    }
    attached = []
    for item in batch.items:
        person_id = whole(item.row.person_id)
        patient = patients.get(person_id or 0) if person_id in identified else None
        person = persons.get(person_id or 0) if patient else None
        author = clinicians.get(whole(item.row.provider_id) or 0)
        number = visits.get(whole(item.row.visit_occurrence_id) or 0)
        around = repr((_names(author), number)).encode()
        attached.append(
            replace(
                item,
                site=sites.of(item.row),
                patient=patient,
                person=person,
                identity=identities[person_id or 0] if patient else NOTHING,
                clinicians=(author,) if author else (),
                identifiers=(Identifier(Label.VISIT_ID, number),) if number else (),
                content=_joined(item.content, around),
            )
        )
    return replace(batch, items=tuple(attached))


def fetch(batch: Batch, tools: Tools) -> Batch:
    """Fetch the bytes of documents that notes point to, since they belong to the content hash."""
    fetched = []
    refused = list(batch.refused)
    for item in batch.items:
        result = attempt(item.note_id, "fetch", lambda item=item: _bytes(item, tools))  # type: ignore[misc]
        if isinstance(result, Failure):
            # The reason stands in for the bytes: the note is tried again when it changes.
            reason = result.reason.encode() + tools.extraction
            marked = replace(item, content=_joined(item.content, reason))
            refused.append(Refused(marked, result))
        elif result is None:
            fetched.append(item)
        else:
            digest = hashlib.blake2b(result, digest_size=16).digest()
            content = _joined(item.content, digest + tools.extraction)
            fetched.append(replace(item, data=result, content=content))
    return replace(batch, items=tuple(fetched), refused=tuple(refused))


def skip(batch: Batch, tools: Tools) -> Batch:
    """Leave out notes whose content, patient and configuration are those of the last time."""
    entries = tools.state.entries(batch.read_ids)

    def is_known(item: Item) -> bool:
        entry = entries.get(item.row.note_id)
        return entry is not None and (entry.content, entry.identity, entry.config) == (
            item.content,
            item.identity,
            tools.config,
        )

    unchanged = [item.row.note_id for item in batch.items if is_known(item)]
    unchanged += [refused.item.row.note_id for refused in batch.refused if is_known(refused.item)]
    batch.tally.add(Outcome.UNCHANGED, len(unchanged))
    return replace(
        batch,
        items=tuple(item for item in batch.items if not is_known(item)),
        refused=tuple(refused for refused in batch.refused if not is_known(refused.item)),
        unchanged=batch.unchanged + tuple(unchanged),
    )


def extract(batch: Batch, tools: Tools) -> Batch:
    """Turn rows and documents into text; notes of patients nobody knows stop here."""
    return batch.each("extract", lambda item: _extracted(item, tools, batch.tally))


def find(batch: Batch, tools: Tools) -> Batch:
    """Find identifiers with every detector; spans may overlap."""

    site = tools.settings.rules.site
    batch = batch.each("detect", lambda item: in_language(item, tools))
    texts = (text for item in batch.items for text in (item.document, item.title))
    foresight = Foresight(tools.tagger, (text for text in texts if text and text.text))
    ahead = _ahead(batch, tools)

    def spans(document: Document, known: KnownPatient | None) -> tuple[Span, ...]:
        found = ahead.get((document.note_id, document.text))
        if found is None:
            found = detect(document, known, site)
        return (*found, *foresight.spans(document))

    def step(item: Item) -> Item:
        known = _known(item, tools)
        document, title = _documents(item)
        return replace(
            item,
            found=spans(document, known),
            title_found=spans(title, known) if title.text else (),
        )

    return batch.each("detect", step)


def _ahead(batch: Batch, tools: Tools) -> dict[tuple[str, str], tuple[Span, ...] | None]:
    """Search all texts of a batch, each by its note and itself, family by family."""
    searches: list[tuple[Document, KnownPatient | None]] = []
    for item in batch.items:
        known = attempt(item.note_id, "detect", lambda item=item: _known(item, tools))  # type: ignore[misc]
        if not isinstance(known, Failure):
            searches += [(text, known) for text in _documents(item) if text.text]
    keys = [(document.note_id, document.text) for document, _ in searches]
    found = detect_together(searches, tools.settings.rules.site)
    return dict(zip(keys, found, strict=True))


def in_language(item: Item, tools: Tools) -> Item:
    """Return the language of a note, which its title shares: it decides what is found and made."""
    document, title = _documents(item)
    document = spoken(document, tools.settings.lang)
    return replace(item, document=document, title=replace(title, lang=document.lang))


def settle(batch: Batch, tools: Tools) -> Batch:
    """Resolve overlaps and put the spans under seal."""

    def step(item: Item) -> Item:
        document, title = _documents(item)
        found = resolve(item.found, document.text)
        title_found = resolve(item.title_found, title.text)
        spans = {"text": found, "title": title_found}
        kept = Found(spans, item.read if tools.settings.state.keep_texts else None)
        sealed = tools.seal.close(item.note_id, item.content, kept)
        return replace(item, found=found, title_found=title_found, sealed=sealed)

    return batch.each("resolve", step)


def rewrite(batch: Batch, tools: Tools) -> Batch:
    """Replace every span by its surrogate under the cohort's key."""

    def step(item: Item) -> Item:
        document, title = _documents(item)
        return replace(
            item,
            release=tools.rewriter.rewrite(document, item.found, item.patient),
            title_release=tools.rewriter.rewrite(title, item.title_found, item.patient),
        )

    return batch.each("rewrite", step)


def check_residue(batch: Batch, tools: Tools) -> Batch:
    """Refuse releases that still hold something known of their patient."""

    def step(item: Item) -> Item:
        known = _known(item, tools)
        document, title = _documents(item)
        if item.release is None or item.title_release is None:
            raise Unsafe("not-rewritten")
        residual_identifiers.check(item.release, document, known, tools.policy)
        residual_identifiers.check(item.title_release, title, known, tools.policy)
        return item

    return batch.each("residue", step)


STAGES: tuple[tuple[str, Stage], ...] = (
    ("attach", attach),
    ("fetch", fetch),
    ("skip", skip),
    ("extract", extract),
    ("detect", find),
    ("resolve", settle),
    ("rewrite", rewrite),
    ("residue", check_residue),
)
"""What happens to a batch between reading and writing. Documents are fetched and unchanged notes
skipped before anything is extracted: an unchanged PDF costs a read, not an extraction."""


def timed(name: str, stage: Stage, batch: Batch, tools: Tools) -> Batch:
    """Run a stage and put its duration into the batch's tally."""
    started = time.perf_counter()
    result = stage(batch, tools)
    result.tally.add_seconds(name, time.perf_counter() - started)
    return result


def _described(item: Item, tools: Tools) -> Item:
    row = item.row
    kinds = tools.settings.source.kinds
    return replace(
        item,
        content=hash_row(row),
        kind=kinds.get(str(row.note_class_concept_id), f"class-{row.note_class_concept_id or 0}"),
    )


def _bytes(item: Item, tools: Tools) -> bytes | None:
    if item.row.note_text or not item.row.note_source_value:
        return None
    return tools.document(str(item.row.note_source_value))


def _extracted(item: Item, tools: Tools, tally: Tally) -> Item:
    row = item.row
    person_id = whole(row.person_id)
    if person_id is None:
        raise Unreadable("no-person")
    if item.patient is None:
        raise Unreadable("unknown-patient")
    written = moment(row.note_datetime) or moment(row.note_date)
    if written is None:
        raise Unreadable("no-date")
    classes: Mapping[str, int] = {}
    if item.data is None:
        text, origin = tools.text(row.note_text), "note_text"
    elif item.read is None:
        text, origin, classes = _read(item.data, item, tools, tally)
        item = replace(item, read=(text, origin))
    else:
        text, origin = item.read
    title = tools.text(row.note_title) if row.note_title else ""
    document = Document(
        note_id=item.note_id,
        text=text,
        person_id=str(person_id),
        lang=LANGUAGES.get(whole(row.language_concept_id) or 0, ""),
        written=written,
        kind=item.kind,
        origin=origin,
        clinicians=item.clinicians,
        identifiers=item.identifiers,
    )
    title_document = replace(document, text=title)
    return replace(item, document=document, title=title_document, data=None, classes=classes)


def _read(
    data: bytes, item: Item, tools: Tools, tally: Tally
) -> tuple[str, str, Mapping[str, int]]:
    extracted = tools.reader.read(data, name=str(item.row.note_source_value))
    tally.add_extraction(item.kind, extracted.quality.score, recognized=extracted.recognized)
    if extracted.quality.score < tools.settings.extraction.threshold(item.kind):
        raise Unreadable("low-quality")
    return tools.checked(extracted.text), extracted.origin, extracted.classes


def _documents(item: Item) -> tuple[Document, Document]:
    if item.document is None or item.title is None:
        raise Unsafe("not-extracted")
    return item.document, item.title


def _known(item: Item, tools: Tools) -> KnownPatient | None:
    return tools.known.of(item.patient, item.identity) if item.patient else None


def _identity(patient: PatientRecord, person: PersonRow | None) -> bytes:
    columns = repr(astuple(person) if person else None)
    return _joined(patient.digest(), columns.encode())


def _names(person: PersonName | None) -> tuple[tuple[str, ...], ...]:
    return (person.given_names, person.family_names) if person else ()


def _joined(content: bytes, more: bytes) -> bytes:
    return hashlib.blake2b(content + more, digest_size=16).digest()
