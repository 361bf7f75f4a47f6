"""Training of the shipped tagger on notes of the fictional hospital and open corpora.

    python -m benchmarks.detection.train_tagger OUTPUT [--patients 250] [--registers 4]
        [--also NOTES.jsonl MAP.toml] [--encoder e5-small-6] [--max-minutes 60] [--seed 1]
        [--start TAGGER [--encoder-rate 1e-4]]

Notes of the hospital are in French, English and Spanish, from the part of the templates that is
for training: `benchmarks.detection.hybrid` measures on the other part. `--registers N` adds the
notes of `synthesis/registers`, filled anew N times, and selects weights on those that are held
out; without it they are selected on other patients, from templates for training too. `--also` adds
a corpus with a map to our labels (`maps/` has some), `repeat` times; a label that none of its spans
has counts as unknown there. Prints the scores of every evaluation.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.sequences.alignment import TrainingNote
from models.tagger.training.recipe import default_recipe
from models.tagger.training.training import Corpora, train
from models.training_loop import TrainingCallbacks
from pipeline.files.gold import read_annotated, read_label_map
from record.document import Annotated
from synthesis.fictional.hospital import Part, make_hospital
from synthesis.fictional.people.records import Hospital
from synthesis.fictional.templates.languages import LANGUAGES
from synthesis.register_notes import RegisterFiller, RegisterNote, read_registers

NOTES_PER_PATIENT = 4
CHARACTERS = 1300
DEV_PATIENTS = 8
DEV_SEED = 900_000


def main() -> None:
    options = _parse()
    notes = [
        TrainingNote(note)
        for note in write_fictional_notes(options.patients, options.seed, "training")
    ]
    if options.registers:
        written = read_registers()
        notes += [TrainingNote(note) for note in fill_registers(written, options)]
        dev = [TrainingNote(note.annotated) for note in written if note.is_held_out]
    else:
        fictional = write_fictional_notes(DEV_PATIENTS, DEV_SEED, "training")
        dev = [TrainingNote(note) for note in fictional]
    for file, label_map in options.also:
        notes += options.repeat * _mapped(Path(file), Path(label_map))
    sources = {
        "fictional": options.patients,
        "registers": options.registers,
        "also": [Path(file).name for file, _ in options.also],
    }
    recipe = replace(
        default_recipe(EncoderConfig(options.encoder, options.vocabulary)),
        seed=options.seed,
        epochs=options.epochs,
        max_minutes=options.max_minutes,
        augmented=options.augmented,
        start=options.start,
        step_tokens=options.step_tokens,
    )
    if options.encoder_rate:
        recipe = replace(recipe, encoder_rate=options.encoder_rate)
    characters = sum(len(note.annotated.document.text) for note in notes)
    print(
        f"{len(notes)} notes of {characters:,} characters, {len(dev)} for selecting weights",
        flush=True,
    )
    scores = train(
        Corpora(notes, dev, sources), recipe, options.output, TrainingCallbacks(evaluated=_report)
    )
    print(scores)


def fill_registers(
    written: Sequence[RegisterNote], options: argparse.Namespace
) -> Iterator[Annotated]:
    """Fill the notes that are not held out as often as is asked for; those of nobody come once."""
    taught = [note for note in written if not note.is_held_out]
    filler = RegisterFiller(taught, seed=options.seed)
    for note in taught:
        for number in range(options.registers if note.annotated.spans else 1):
            yield filler.fill(note, number)


def write_fictional_notes(patients: int, seed: int, templates: Part) -> Iterator[Annotated]:
    """Write notes of so many patients in each language, with gold spans."""
    for hospital in make_hospitals(patients, seed, templates):
        yield from (note.annotated for note in hospital.notes())


def make_hospitals(patients: int, seed: int, templates: Part) -> Iterator[Hospital]:
    """Make a hospital of so many patients in each language."""
    for lang in LANGUAGES:
        yield make_hospital(
            patients,
            seed=seed,
            lang=lang,
            notes_per_patient=NOTES_PER_PATIENT,
            mean_characters=CHARACTERS,
            pdf_share=0.0,
            scan_share=0.0,
            templates=templates,
        )


def _mapped(path: Path, label_map: Path) -> list[TrainingNote]:
    """Read a corpus in our labels; what they do not stand for is left out or unknown."""
    names = read_label_map(label_map)
    found = []
    for note in read_annotated(path, []):
        spans = (replace(one, label=names[one.label]) for one in note.spans if one.label in names)
        found.append(Annotated(note.document, tuple(spans)))
    labels = frozenset(span.label for note in found for span in note.spans)
    return [TrainingNote(note, labels) for note in found]


def _report(scores: Mapping[str, float]) -> None:
    print(", ".join(f"{name} {value:.4f}" for name, value in scores.items()), flush=True)


def _parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection.train_tagger")
    add = parser.add_argument
    add("output", type=Path, help="new folder for the tagger")
    add("--patients", type=int, default=250, help="patients per language")
    add("--registers", type=int, default=0, help="times that each note of the registers is filled")
    add("--also", nargs=2, action="append", default=[], metavar=("NOTES", "MAP"))
    add("--repeat", type=int, default=3, help="repetitions of the corpora of --also")
    add("--encoder", default="e5-small-6")
    add("--vocabulary", type=int, default=30_000)
    add("--epochs", type=int, default=4)
    add("--encoder-rate", type=float, help="highest learning rate of the encoder")
    add("--step-tokens", type=int, default=2048)
    add("--augmented", type=float, default=0.5)
    add("--max-minutes", type=float, default=60)
    add("--seed", type=int, default=1)
    add("--start", help="folder of a tagger to start from, or `default`")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
