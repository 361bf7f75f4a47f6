"""Dead letters of the graph: which note, which stage, which error; no payload, no traceback."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam import pvalue
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.runners.runner import PipelineResult

from pipeline.notes.batch import Batch
from pipeline.notes.error_boundary import Unexpected, drop_error_texts, tell_errors
from record.errors import CryptonymError, Unavailable

_NO_ANSWER = ("FutureTimeoutError", "Connection")  # gRPC's, and the operating system's
QUARANTINE = "quarantine"
"""The tag of the output that dead letters leave by."""


class RunnerFailed(CryptonymError):
    """The graph ended with an error that is not ours; of its message nothing that may quote."""


def run_pipeline(pipeline: beam.Pipeline, consequence: str) -> None:
    """Run a pipeline to its end.

    What a runner raises may quote a note: raises RunnerFailed with the cause as `describe_cause`
    tells it and the `consequence` for the user, or an error of ours as it is. Where a job server
    does not take the job, its message is told too: no note has been read then.
    """
    try:
        drop_error_texts(lambda: _start(pipeline).wait_until_finish())
    except Unexpected as error:
        raise RunnerFailed(f"the runner failed with {error}; {consequence}") from None


def _start(pipeline: beam.Pipeline) -> PipelineResult:
    """Start a pipeline; raises RunnerFailed where a job server does not take it.

    Raises Unavailable where none answers.
    """
    if not isinstance(pipeline.runner, PortableRunner):
        return pipeline.run()  # others may read notes before they return
    name = type(pipeline.runner).__name__
    try:
        return tell_errors(pipeline.run)
    except Unexpected as error:
        if str(error).startswith(_NO_ANSWER):
            remedy = "start it, or correct --job_endpoint"
            raise Unavailable(name, f"its job server does not answer ({error})", remedy) from None
        raise RunnerFailed(f"{name} did not take the job: {error}") from None


class DeadLetters(beam.DoFn):
    """Passes a batch on and sends one Failure for each of its refused notes to the side output."""

    # The hint is that of the main output; Beam knows tagged ones by their wrapper.
    def process(self, element: Batch) -> Iterator[Batch]:
        yield element
        for refused in element.refused:
            yield pvalue.TaggedOutput(QUARANTINE, refused.failure)  # type: ignore[misc]
