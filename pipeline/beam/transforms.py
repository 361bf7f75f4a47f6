"""The stages as transforms: each calls the function of that name in `pipeline.notes.stages`."""

from collections.abc import Iterator

import apache_beam as beam

from pipeline.beam.failures import guarded
from pipeline.beam.session import tools_of
from pipeline.config.settings import Settings
from pipeline.notes.batch import Batch
from pipeline.notes.stages import STAGES
from pipeline.notes.worker_resources import Tools


class Step(beam.DoFn):
    """Takes a batch through one stage; the stage is found by name on the worker."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._tools: Tools | None = None

    def setup(self) -> None:
        self._tools = tools_of(self._settings)

    def process(self, element: Batch) -> Iterator[Batch]:
        assert self._tools is not None
        yield guarded(self._name, dict(STAGES)[self._name], element, self._tools)


class Pseudonymize(beam.PTransform):
    """Every stage between reading and writing, fused into one chain by the runner."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        for name, _ in STAGES:
            batches |= name.capitalize() >> beam.ParDo(Step(name, self._settings))
        return batches
