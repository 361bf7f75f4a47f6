"""The graph that fills masked letters: numbers of batches in, a file of letters for each out."""

from collections.abc import Iterator, Sequence

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.utils.shared import Shared

from pipeline.beam.generation import run_batches
from pipeline.beam.metrics import NAMESPACE
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.synthetic.letter_writing import LetterWriter
from synthesis.filling_files import FillingJob


class FillLetters(beam.DoFn):
    """Writes a batch of letters to its file; each process opens one model, and the key, there."""

    def __init__(self, refill: FillingJob) -> None:
        self._refill = refill
        self._shared = Shared()
        self._writer: LetterWriter | None = None
        self._letters = Metrics.counter(NAMESPACE, "letters_filled")
        self._refused = Metrics.counter(NAMESPACE, "letters_refused")

    def setup(self) -> None:
        self._writer = self._shared.acquire(self._open)

    def _open(self) -> LetterWriter:
        return drop_error_texts(lambda: LetterWriter(self._refill))

    def process(self, element: int) -> Iterator[int]:
        assert self._writer is not None
        writer = self._writer
        letters, refused = drop_error_texts(lambda: writer.write(element))
        self._letters.inc(letters)
        self._refused.inc(refused)
        yield element


def work(refill: FillingJob, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write these batches on the runner that Beam's arguments name, in memory without any."""
    run_batches(FillLetters(refill), units, arguments)
