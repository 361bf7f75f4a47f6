"""A handler that leaves traces: which process loaded a model, and which batches were written.

Workers in other processes import it by itself: they do not know the folders of tests as packages.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.beam.inference import BatchHandler

CANARY = "Quillfeather"


@dataclass
class Loaded:
    """A model that stays as long as it is held; what it was handed is in a file for each batch."""

    process: int


class TracingHandler(BatchHandler[Loaded]):
    """Leaves a line for each model that it loads, and a file for each batch that it writes."""

    def __init__(self, folder: Path, failing: str = "") -> None:
        super().__init__()
        self._folder, self._failing = folder, failing

    def open(self) -> Loaded:
        if self._failing == "open":
            raise ValueError(CANARY)
        with (self._folder / "loaded").open("a") as file:
            file.write(f"{os.getpid()}\n")
        return Loaded(os.getpid())

    def write(self, model: Loaded, unit: int) -> Mapping[str, int]:
        if self._failing == "write" and unit == 1:
            raise ValueError(CANARY)
        assert model.process == os.getpid()
        (self._folder / f"part-{unit}").write_text(CANARY)
        return {"written": unit}
