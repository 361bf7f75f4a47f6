"""Every stage in order, without Beam: on a unit of the warehouse, or on one note in hand."""

from pipeline.night.nightly import Job
from pipeline.notes import residual_identifiers
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import write
from pipeline.notes.detection import KnownPatients, detect
from pipeline.notes.overlap_resolution import resolve
from pipeline.notes.stages import STAGES, read, timed
from pipeline.notes.worker_resources import Tools, open_tools
from pipeline.warehouse.databases import retrying
from pipeline.warehouse.note_rows import Unit
from record.document import Annotated, Document
from record.patient import PatientRecord
from record.release import Release
from surrogates.rewrite import Rewriter


def process(unit: Unit, tools: Tools) -> Batch:
    """Take a unit of work from the warehouse through every stage but writing."""
    batch = timed("read", lambda empty, tools: read(empty.unit, tools), Batch(unit=unit), tools)
    for name, stage in STAGES:
        batch = timed(name, stage, batch, tools)
    return batch


def drive(job: Job) -> dict[str, int]:
    """Work through a job in this very process; the reference that the Beam graph must equal."""
    with open_tools(job.settings) as tools:
        go_through(job, tools)
    return {}


def go_through(job: Job, tools: Tools) -> None:
    """Work through the units of a job that are not done, with tools that are open."""
    for unit in tools.state.pending(job.run_id, 0, 1):
        retrying(_complete)(unit, tools, job.run_id)
        job.watch()


def _complete(unit: Unit, tools: Tools, run_id: int) -> None:
    write(process(unit, tools), tools, run_id)


def annotate(document: Document, patient: PatientRecord | None, known: KnownPatients) -> Annotated:
    """Find identifiers in one note and resolve them."""
    compiled = known.of(patient) if patient else None
    return Annotated(document, resolve(detect(document, compiled), document.text))


def release(
    annotated: Annotated, patient: PatientRecord | None, rewriter: Rewriter, known: KnownPatients
) -> Release:
    """Rewrite one annotated note and check it for residue; raises Unsafe."""
    document = annotated.document
    released = rewriter.rewrite(document, annotated.spans, patient)
    compiled = known.of(patient) if patient else None
    residual_identifiers.check(released, document, compiled, rewriter.policy)
    return released
