"""Filling of masked letters on Beam: a handler that writes batches of letters."""

from collections.abc import Mapping, Sequence

from pipeline.beam.inference import BatchHandler, run_batches
from pipeline.synthetic.letter_writing import LetterWriter
from synthesis.filling_files import FillingJob


class FillingHandler(BatchHandler[LetterWriter]):
    """Writes batches of letters, on the GPU where there is one; opens the key where it works."""

    def __init__(self, refill: FillingJob) -> None:
        super().__init__()
        self._refill = refill

    def open(self) -> LetterWriter:
        """Load the model and open the key; raises ConfigError or Unavailable."""
        return LetterWriter(self._refill)

    def write(self, model: LetterWriter, unit: int) -> Mapping[str, int]:
        """Write a batch of letters to its file."""
        letters, refused = model.write(unit)
        return {"letters_filled": letters, "letters_refused": refused}


def work(refill: FillingJob, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write these batches on the runner that Beam's arguments name, in memory without any."""
    run_batches(FillingHandler(refill), units, arguments)
