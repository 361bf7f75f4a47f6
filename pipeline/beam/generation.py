"""Generation of synthetic notes on Beam: a handler that writes batches of notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.hardware import choose_device
from models.language.training.serialization import load
from pipeline.beam.inference import BatchHandler, run_batches
from pipeline.synthetic.generated_identifiers import open_identifier_filler
from pipeline.synthetic.known_words import find_known_words
from synthesis.generation import GenerationPlan, NoteGenerator
from synthesis.generation_files import Generation, write_unit


@dataclass(frozen=True)
class OpenedGenerator:
    """A generator on its device, and the plan of the notes that it writes."""

    writer: NoteGenerator
    plan: GenerationPlan


class GenerationHandler(BatchHandler[OpenedGenerator]):
    """Writes batches of notes, on the GPU where there is one."""

    def __init__(self, generation: Generation) -> None:
        super().__init__()
        self._generation = generation

    def open(self) -> OpenedGenerator:
        """Load the generator and read the plan; raises ConfigError."""
        generation = self._generation
        filler = open_identifier_filler(generation.source) if generation.has_surrogates else None
        words = None
        if generation.known_words is not None:
            words = find_known_words(generation.known_words, generation.source)
        trained = load(generation.model, choose_device())
        writer = NoteGenerator(trained, generation.decoding, filler, words)
        return OpenedGenerator(writer, generation.plan())

    def write(self, model: OpenedGenerator, unit: int) -> Mapping[str, int]:
        """Write a batch of notes to its file."""
        ids = write_unit(self._generation, model.writer, model.plan, unit)
        return {"notes_written": len(self._generation.places(unit)), "ids_written": ids}


def work(generation: Generation, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write these batches on the runner that Beam's arguments name, in memory without any."""
    run_batches(GenerationHandler(generation), units, arguments)
