"""What workers of `generate` and `fill` run where one of them is to be killed.

Spawned processes import it by itself: they do not know the folders of tests as packages.
"""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from models.language.training.serialization import load
from pipeline.beam import filling, generation
from pipeline.synthetic.letter_writing import LetterWriter
from synthesis.filling_files import FillingJob
from synthesis.generation_files import Generation, write_unit

TRACES = "CRYPTONYM_TEST_TRACES"
"""The variable that names the folder in which workers leave traces."""

KILLED, LOADED = "killed", "loaded"
_GENERATE, _FILL = generation.work, filling.work


def _leave(name: str) -> None:
    with (Path(os.environ[TRACES]) / name).open("a") as file:
        file.write(f"{os.getpid()}\n")


def _load(opener: Callable[..., Any]) -> Callable[..., Any]:
    """Load a model as ever, and leave a trace of the process that does."""

    def traced(*given: Any) -> Any:
        _leave(LOADED)
        return opener(*given)

    return traced


def _die_once(written: list[int]) -> None:
    """End the process as `kill -9` does, before its second batch, if none was killed so far."""
    written.append(1)
    if len(written) < 2:
        return
    try:
        (Path(os.environ[TRACES]) / KILLED).open("x").close()
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def generate_and_die(job: Generation, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write notes in a worker, which is killed."""
    written = list[int]()

    def dying(*given: Any) -> int:
        _die_once(written)
        return write_unit(*given)

    vars(generation).update(load=_load(load), write_unit=dying)
    _GENERATE(job, units, arguments)


def fill_and_die(job: FillingJob, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Fill letters in a worker, which is killed."""
    written = list[int]()

    class Dying(LetterWriter):
        def write(self, unit: int) -> tuple[int, int]:
            _die_once(written)
            return super().write(unit)

    vars(filling).update(LetterWriter=_load(Dying))
    _FILL(job, units, arguments)
