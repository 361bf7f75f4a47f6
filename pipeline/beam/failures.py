"""Dead letters of the graph: which note, which stage, which error; no payload, no traceback."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam import pvalue

from pipeline.notes.batch import Batch
from pipeline.notes.error_boundary import Unexpected, drop_error_texts
from record.errors import CryptonymError

QUARANTINE = "quarantine"
"""The tag of the output that dead letters leave by."""


class RunnerFailed(CryptonymError):
    """The graph ended with an error that is not ours; names its class alone, as it may quote."""


def run_pipeline(pipeline: beam.Pipeline, consequence: str) -> None:
    """Run a pipeline to its end.

    What a runner raises may quote a note: raises RunnerFailed with the class of the error and the
    `consequence` for the user, or an error of ours as it is.
    """
    try:
        drop_error_texts(lambda: pipeline.run().wait_until_finish())
    except Unexpected as error:
        raise RunnerFailed(f"the runner failed with {error}; {consequence}") from None


class DeadLetters(beam.DoFn):
    """Passes a batch on and sends one Failure for each of its refused notes to the side output."""

    # The hint is that of the main output; Beam knows tagged ones by their wrapper.
    def process(self, element: Batch) -> Iterator[Batch]:
        yield element
        for refused in element.refused:
            yield pvalue.TaggedOutput(QUARANTINE, refused.failure)  # type: ignore[misc]
