"""The graph that writes planned batches with a model, by Beam's RunInference."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.ml.inference.base import ModelHandler, PredictionResult, RunInference

from pipeline.beam.failures import run_pipeline
from pipeline.beam.metrics import NAMESPACE
from pipeline.beam.runners import make_pipeline
from pipeline.notes.error_boundary import drop_error_texts

ModelT = TypeVar("ModelT")


class BatchHandler(ModelHandler, Generic[ModelT]):
    """Writes batches of a plan to their files with a model that each process loads once.

    An example is the number of a batch, a prediction holds counts by name: what a model writes
    goes to the file of the batch and never through the graph, in an error least of all.
    """

    @abstractmethod
    def open(self) -> ModelT:
        """Load the model, and whatever else each batch needs."""

    @abstractmethod
    def write(self, model: ModelT, unit: int) -> Mapping[str, int]:
        """Write a batch to its file, whole or not at all; returns what was written, by counter."""

    def load_model(self) -> ModelT:
        """Load the model, where the work is done; raises an error of ours, without text."""
        return drop_error_texts(self.open)

    def run_inference(
        self,
        batch: Sequence[int],
        model: ModelT,
        inference_args: dict[str, Any] | None = None,  # noqa: ARG002 - the signature is Beam's
    ) -> list[PredictionResult]:
        """Write the batches of these numbers; raises an error of ours, without text."""
        # What a model raises may quote what it wrote. A list, so that Beam counts what failed.
        return [
            PredictionResult(unit, drop_error_texts(partial(self.write, model, unit)))
            for unit in batch
        ]

    def batch_elements_kwargs(self) -> dict[str, int]:
        """Return that Beam hands over one number at a time.

        An element is a batch already, by the plan: Beam's own batches grow with the time that they
        take, and rounding in a network depends on the rows beside.
        """
        return {"min_batch_size": 1, "max_batch_size": 1}

    def share_model_across_processes(self) -> bool:
        """Return that each process loads its own.

        To share one, Beam serves it on a port of this machine, through which texts would go.
        """
        return False

    def get_metrics_namespace(self) -> str:
        """Return where RunInference counts batches, their time, and the loading of models."""
        return NAMESPACE


class CountWritten(beam.DoFn):
    """Adds what batches tell of themselves to the counters of the run; passes their numbers on."""

    def process(self, element: Any) -> Iterator[int]:
        for name, count in element.inference.items():
            Metrics.counter(NAMESPACE, name).inc(count)
        yield element.example


def run_batches(handler: BatchHandler[Any], units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write these batches on the runner that Beam's arguments name, in memory without any.

    No text crosses a shuffle. Raises RunnerFailed, or an error of ours.
    """
    pipeline = make_pipeline(arguments)
    (
        pipeline
        | "Batches" >> beam.Create(list(units))
        | "Spread" >> beam.Reshuffle()
        | "Write" >> RunInference(handler)
        | "Count" >> beam.ParDo(CountWritten())
    )
    run_pipeline(pipeline, "what is done stays done")
