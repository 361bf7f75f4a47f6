"""Labels on which a rule and the tagger disagree for the same span, and which of them is right.

    python -m benchmarks.detection.conflicts ../shared/corpora [--patients 5] [--notes 100]
        [--registers 0] [--model default]

Notes of the fictional hospital from the templates that training never sees, notes of
`synthesis/registers` that nothing is trained on, and the development sets of
`benchmarks.detection.corpora` in their own labels. Counts spans of one extent and two
labels that gold has as well, by the labels of rule and model. "Either" are those whose gold label
both stand for, or neither. Prints Markdown; what is last are the sums.
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.detection.corpora import EDS, MEDDOCAN, LabelMap
from benchmarks.detection.hybrid import SEED
from benchmarks.detection.train_tagger import make_hospitals
from models.tagger.loading import LoadedTagger, load_tagger_folder
from models.tagger.shipped_model import folder_of
from pipeline.files.gold import read_annotated
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import refine_spans
from record.document import Annotated
from synthesis.register_notes import read_registers

IsRight = Callable[[str, str], bool]
"""Whether a label of ours stands for a label of gold."""

_TOGETHER = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with eds_pseudo_fictive and meddocan")
    parser.add_argument(
        "--patients", type=int, default=5, help="patients of the fictional hospital per language"
    )
    parser.add_argument("--notes", type=int, default=100, help="maximum number of notes per corpus")
    parser.add_argument(
        "--registers", type=int, default=0, help="number of notes of the registers, drawn by chance"
    )
    parser.add_argument("--model", default="default", help="folder of a tagger")
    options = parser.parse_args()
    tagger = load_tagger_folder(folder_of(options.model))
    print("| notes | rule | model | rule correct | model correct | undecided |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    for name, notes, is_right in read_corpora(options):
        most = options.registers if name == "registers" else options.notes
        counts = count_conflicts(notes[:most], tagger, is_right)
        pairs = sorted({pair for pair, _ in counts}, key=lambda pair: (-_sum(counts, pair), pair))
        for rule, model in pairs:
            print(f"| {name} | {rule} | {model} | {_row(counts, [(rule, model)])} |")
        print(f"| {name} | all | all | {_row(counts, pairs)} |", flush=True)


def read_corpora(options: argparse.Namespace) -> Iterator[tuple[str, Sequence[Annotated], IsRight]]:
    """Return each corpus with its name and what its labels stand for."""
    for hospital in make_hospitals(options.patients, SEED, "held-out"):
        notes = [note.annotated for note in hospital.notes()]
        yield f"fictional {hospital.lang}", notes, str.__eq__
    if options.registers:
        held_out = [note.annotated for note in read_registers() if note.is_held_out]
        yield "registers", random.Random(SEED).sample(held_out, options.registers), str.__eq__
    for name, lang, labels in (("eds_pseudo_fictive", "fr", EDS), ("meddocan", "es", MEDDOCAN)):
        read = read_annotated(options.folder / name / "dev.jsonl", [])
        notes = [replace(note, document=replace(note.document, lang=lang)) for note in read]
        yield name, notes, _stands_for(labels)


def _stands_for(labels: LabelMap) -> IsRight:
    return lambda ours, gold: gold in labels.get(ours, frozenset())


def count_conflicts(
    notes: Sequence[Annotated], tagger: LoadedTagger, is_right: IsRight
) -> Counter[tuple[tuple[str, str], str]]:
    """Count by the labels of rule and model, and by who is right."""
    counts: Counter[tuple[tuple[str, str], str]] = Counter()
    for at in range(0, len(notes), _TOGETHER):
        some = notes[at : at + _TOGETHER]
        for note, spans in zip(some, tagger.spans([n.document for n in some]), strict=True):
            found = refine_spans(spans, note.document)
            model = {(span.start, span.end): str(span.label) for span in found}
            gold = {(span.start, span.end): str(span.label) for span in note.spans}
            for span in by_rules(note.document):
                place, rule = (span.start, span.end), str(span.label)
                if place in gold and model.get(place, rule) != rule:
                    ours = is_right(rule, gold[place])
                    theirs = is_right(model[place], gold[place])
                    who = "either" if ours == theirs else "rule" if ours else "model"
                    counts[(rule, model[place]), who] += 1
    return counts


def _row(counts: Counter[tuple[tuple[str, str], str]], pairs: Iterable[tuple[str, str]]) -> str:
    listed = list(pairs)
    return " | ".join(
        str(sum(counts[pair, who] for pair in listed)) for who in ("rule", "model", "either")
    )


def _sum(counts: Counter[tuple[tuple[str, str], str]], pair: tuple[str, str]) -> int:
    return sum(count for (each, _), count in counts.items() if each == pair)


if __name__ == "__main__":
    main()
