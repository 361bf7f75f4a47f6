"""Dead letters of the graph: which note, which stage, which error; no payload, no traceback."""

import signal
from collections.abc import Iterator

import apache_beam as beam
from apache_beam import pvalue
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.runners.runner import PipelineResult

from pipeline.beam.runners import list_deaths
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
    tells it, how workers of this process died and the `consequence` for the user, or an error of
    ours as it is. Where a job server
    does not take the job, its message is told too: no note has been read then.
    """
    try:
        drop_error_texts(lambda: _start(pipeline).wait_until_finish())
    except Unexpected as error:
        told = "; ".join([f"the runner failed with {error}", *list_deaths(), consequence])
        raise RunnerFailed(told) from None


def _start(pipeline: beam.Pipeline) -> PipelineResult:
    """Start a pipeline; raises RunnerFailed where a job server does not take it.

    Raises Unavailable where none answers.
    """
    if not isinstance(pipeline.runner, PortableRunner):
        return pipeline.run()  # others may read notes before they return
    name = type(pipeline.runner).__name__
    interrupts = signal.getsignal(signal.SIGINT)
    try:
        return tell_errors(pipeline.run)
    except Unexpected as error:
        if str(error).startswith(_NO_ANSWER):
            remedy = "start it, or correct --job_endpoint"
            raise Unavailable(name, f"its job server does not answer ({error})", remedy) from None
        raise RunnerFailed(f"{name} did not take the job: {error}") from None
    finally:
        # A job server that Beam starts takes them, and a worker would go on without it.
        if interrupts is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


class DeadLetters(beam.DoFn):
    """Passes a batch on and sends one Failure for each of its refused notes to the side output."""

    # The hint is that of the main output; Beam knows tagged ones by their wrapper.
    def process(self, element: Batch) -> Iterator[Batch]:
        yield element
        for refused in element.refused:
            yield pvalue.TaggedOutput(QUARANTINE, refused.failure)  # type: ignore[misc]
