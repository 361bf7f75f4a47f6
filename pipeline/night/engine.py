"""The engine: runs all stages in order without Beam, on a unit of notes or on a single note."""

from pipeline.night.nightly import Job
from pipeline.notes import residual_identifiers
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.detection import KnownPatients, detect
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.stages import STAGES, read_batch, run_stage
from pipeline.notes.worker_resources import WorkerResources, open_resources
from pipeline.warehouse.databases import retrying
from pipeline.warehouse.note_rows import Unit
from record.document import Annotated, Document
from record.patient import PatientRecord
from record.release import Release
from surrogates.rewrite import Rewriter


def process_unit(unit: Unit, resources: WorkerResources) -> Batch:
    """Read a unit of notes and run every stage on it except the commit."""
    batch = run_stage(
        "read",
        lambda empty, resources: read_batch(empty.unit, resources),
        Batch(unit=unit),
        resources,
    )
    for name, stage in STAGES:
        batch = run_stage(name, stage, batch, resources)
    return batch


def run_in_process(job: Job) -> dict[str, int]:
    """Run a job in this process; the reference that the Beam graph must equal."""
    with open_resources(job.settings) as resources:
        process_units(job, resources)
    return {}


def process_units(job: Job, resources: WorkerResources) -> None:
    """Process and commit the pending units of a job with resources that are open."""
    for number, unit in enumerate(resources.state.pending(job.run_id, 0, 1)):
        # A night whose time a model takes to load still makes some progress.
        if number and unit.wanted and resources.state.is_over(job.run_id):
            return
        retrying(_process_and_commit)(unit, resources, job.run_id)
        job.watch()


def _process_and_commit(unit: Unit, resources: WorkerResources, run_id: int) -> None:
    commit_batch(process_unit(unit, resources), resources, run_id)


def annotate_note(
    document: Document, patient: PatientRecord | None, known: KnownPatients
) -> Annotated:
    """Detect the identifiers of one note and resolve overlapping spans."""
    compiled = known.of(patient) if patient else None
    return Annotated(document, resolve_spans(detect(document, compiled), document.text))


def release_note(
    annotated: Annotated, patient: PatientRecord | None, rewriter: Rewriter, known: KnownPatients
) -> Release:
    """Rewrite one annotated note and check it for residual identifiers; raises Unsafe."""
    document = annotated.document
    released = rewriter.rewrite(document, annotated.spans, patient)
    compiled = known.of(patient) if patient else None
    residual_identifiers.check_release(released, document, compiled, rewriter.policy)
    return released
