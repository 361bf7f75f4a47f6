"""The nightly graph: work units in, one fused chain of stages, committed batches and counts out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam

from pipeline.beam import coders as _coders  # noqa: F401 - registers how batches are coded
from pipeline.beam.failures import QUARANTINE, DeadLetters
from pipeline.beam.sinks import MergeTallies, WriteBatch, WriteSummary
from pipeline.beam.sources import PlannedUnits, ReadNotes
from pipeline.beam.transforms import Pseudonymize
from pipeline.config.settings import Settings
from pipeline.warehouse.note_rows import Unit


@dataclass(frozen=True)
class Share:
    """What one pipeline works on: units of a run, and where its combined counts go."""

    settings: Settings
    run_id: int
    units: Sequence[Unit]
    summary: Path


def nightly(
    pipeline: beam.Pipeline, share: Share, *, between: beam.PTransform | None = None
) -> beam.PCollection:
    """Lay out the graph of a share of a run.

    No note ever crosses a shuffle: units do, and counts. `between` is put between rewriting and
    writing; tests lose batches there. Returns the dead letters (Failure, without payload).
    """
    settings = share.settings
    batches = (
        pipeline
        | "Plan" >> PlannedUnits(share.units)
        | "Read" >> beam.ParDo(ReadNotes(settings))
        | "Pseudonymize" >> Pseudonymize(settings)
    )
    if between is not None:
        batches |= "Between" >> between
    outputs = batches | "DeadLetters" >> beam.ParDo(DeadLetters()).with_outputs(
        QUARANTINE, main="batches"
    )
    tallies = outputs["batches"] | "Write" >> beam.ParDo(WriteBatch(settings, share.run_id))
    (
        tallies
        | "Sum" >> beam.CombineGlobally(MergeTallies())
        | "Summary" >> beam.ParDo(WriteSummary(share.summary))
    )
    return outputs[QUARANTINE]
