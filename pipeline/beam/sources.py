"""Where batches come from: planned units of work, read one by one."""

from collections.abc import Iterator, Sequence

import apache_beam as beam

from pipeline.beam.failures import guarded
from pipeline.beam.session import tools_of
from pipeline.config.settings import Settings
from pipeline.notes.batch import Batch
from pipeline.notes.stages import read
from pipeline.notes.worker_resources import Tools
from pipeline.warehouse.note_rows import Unit


class PlannedUnits(beam.PTransform):
    """The units of work of a run, spread over the workers: ranges of keys, never notes."""

    def __init__(self, units: Sequence[Unit]) -> None:
        super().__init__()
        self._units = list(units)

    def expand(self, begin: beam.Pipeline) -> beam.PCollection:
        return begin | "Units" >> beam.Create(self._units) | "Spread" >> beam.Reshuffle()


class ReadNotes(beam.DoFn):
    """Reads the notes of a unit from the warehouse into one batch."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools: Tools | None = None

    def setup(self) -> None:
        self._tools = tools_of(self._settings)

    def process(self, element: Unit) -> Iterator[Batch]:
        assert self._tools is not None
        empty = Batch(unit=element)
        yield guarded("read", lambda batch, tools: read(batch.unit, tools), empty, self._tools)
