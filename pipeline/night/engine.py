"""The engine: runs all stages in order without Beam, on a unit of notes or on a single note."""

from collections.abc import Callable
from contextlib import closing

from pipeline.night.nightly import Job
from pipeline.notes import residual_identifiers
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import claim_units, count_failure, run_guarded_stage
from pipeline.notes.detection import KnownPatients, detect
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.stages import STAGES, read_batch
from pipeline.notes.worker_resources import WorkerResources, open_resources
from pipeline.warehouse.note_rows import Unit
from record.document import Annotated, Document
from record.patient import PatientRecord
from record.release import Release
from surrogates.rewrite import Rewriter

_HERE = "this process"


def process_unit(unit: Unit, resources: WorkerResources) -> Batch:
    """Read a unit of notes and run every stage on it except the commit.

    Raises StageFailed or Unavailable.
    """
    batch = run_guarded_stage(
        "read",
        lambda empty, resources: read_batch(empty.unit, resources),
        Batch(unit=unit),
        resources,
    )
    for name, stage in STAGES:
        batch = run_guarded_stage(name, stage, batch, resources)
    return batch


def run_in_process(job: Job) -> dict[str, int]:
    """Run a job in this process; the reference that the Beam graph must equal."""
    with open_resources(job.settings) as resources:
        process_units(job, resources)
    return {}


def process_units(job: Job, resources: WorkerResources) -> None:
    """Process and commit the units of a job that can be claimed, with resources that are open."""
    process_claimed_units(job.run_id, resources, _HERE, job.watch)


def process_claimed_units(
    run_id: int, resources: WorkerResources, holder: str, watch: Callable[[], None]
) -> None:
    """Claim, process and commit units of a run as the worker `holder`, until none is left.

    `watch` is called after each of them.
    """
    with closing(claim_units(resources, run_id, holder)) as units:
        for unit in units:
            with count_failure(run_id, unit, resources):
                run_guarded_stage(
                    "write",
                    lambda batch, resources: commit_batch(batch, resources, run_id),
                    process_unit(unit, resources),
                    resources,
                )
            watch()


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
