"""The graph that writes synthetic notes: numbers of batches in, a file of notes for each out."""

from collections.abc import Iterator, Sequence

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.utils.shared import Shared

from models.hardware import choose_device
from models.language.training.serialization import load
from pipeline.beam.failures import run_pipeline
from pipeline.beam.metrics import NAMESPACE
from pipeline.beam.runners import make_pipeline
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.synthetic.generated_identifiers import open_identifier_filler
from pipeline.synthetic.known_words import find_known_words
from synthesis.generation import GenerationPlan, NoteGenerator
from synthesis.generation_files import Generation, write_unit


class WriteNotes(beam.DoFn):
    """Writes a batch of notes to its file; each process loads one model, where the work is done."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._shared = Shared()
        self._writer: NoteGenerator | None = None
        self._plan: GenerationPlan | None = None
        self._notes = Metrics.counter(NAMESPACE, "notes_written")
        self._ids = Metrics.counter(NAMESPACE, "ids_written")

    def setup(self) -> None:
        self._writer = self._shared.acquire(self._open)
        self._plan = self._generation.plan()

    def _open(self) -> NoteGenerator:
        generation = self._generation
        filler = open_identifier_filler(generation.source) if generation.has_surrogates else None
        words = None
        if generation.known_words is not None:
            words = find_known_words(generation.known_words, generation.source)
        trained = load(generation.model, choose_device())
        return NoteGenerator(trained, generation.decoding, filler, words)

    def process(self, element: int) -> Iterator[int]:
        assert self._writer is not None
        assert self._plan is not None
        writer, plan = self._writer, self._plan
        # What a model raises may quote what it wrote.
        ids = drop_error_texts(lambda: write_unit(self._generation, writer, plan, element))
        self._notes.inc(len(self._generation.places(element)))
        self._ids.inc(ids)
        yield element


def work(generation: Generation, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Write these batches on the runner that Beam's arguments name, in memory without any."""
    run_batches(WriteNotes(generation), units, arguments)


def run_batches(writer: beam.DoFn, units: Sequence[int], arguments: Sequence[str]) -> None:
    """Run a writer of batches over their numbers; no text crosses a shuffle.

    Raises RunnerFailed, or an error of ours.
    """
    pipeline = make_pipeline(arguments)
    (
        pipeline
        | "Batches" >> beam.Create(list(units))
        | "Spread" >> beam.Reshuffle()
        | "Write" >> beam.ParDo(writer)
    )
    run_pipeline(pipeline, "what is done stays done")
