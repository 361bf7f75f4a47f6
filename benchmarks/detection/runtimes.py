"""Scores of a tagger on each runtime: exact spans, tokens and leaks against gold.

    python -m benchmarks.detection.runtimes [--model DIR] [--patients 25] [--also NOTES.jsonl]

Notes as in `benchmarks.detection.hybrid`, by the model alone. Labels count in `spans`; in the other
columns, and for corpora with labels of their own, they do not. Prints Markdown.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.detection.hybrid import make_corpora
from benchmarks.detection.tagger import runtimes
from evaluation.detection.alignment import pair_annotations
from evaluation.detection.scores import score_pairs
from models.tagger.runtime import Tagger
from models.tagger.shipped_model import DEFAULT, folder_of
from pipeline.notes.model_detection import TOGETHER
from pipeline.notes.overlap_resolution import resolve_spans, trim_spans
from record.document import Annotated


def main() -> None:
    options = _parse()
    taggers = [Tagger.load(options.model, name) for name in runtimes(options.model)]
    print(
        "| notes | runtime | spans F1 | span F1, unlabelled | token F1, unlabelled | redacted "
        "| over-redacted tokens | CPU s |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, (notes, _) in make_corpora(options):
        for tagger in taggers:
            started = time.process_time()
            found = detect_notes(notes, tagger)
            taken = time.process_time() - started
            plain = score_pairs(
                pair_annotations(
                    [_folded(note) for note in notes], [_folded(note) for note in found]
                ).pairs,
                resamples=10,
            )
            typed = score_pairs(pair_annotations(notes, found).pairs, resamples=10)["strict"]["f1"]
            print(
                f"| {name} ({len(notes)}) | {tagger.runtime} | {typed:.4f} "
                f"| {plain['strict']['f1']:.4f} | {plain['token']['f1']:.4f} "
                f"| {plain['redacted']:.4f} | {plain['over_redaction']:.2f} per 1,000 |"
                f"| {taken:.0f} |",
                flush=True,
            )


def detect_notes(notes: Sequence[Annotated], tagger: Tagger) -> list[Annotated]:
    """Return the notes with the spans of a tagger."""
    given = []
    for at in range(0, len(notes), TOGETHER):
        several = notes[at : at + TOGETHER]
        every = tagger.spans([note.document for note in several])
        for note, spans in zip(several, every, strict=True):
            text = note.document.text
            given.append(replace(note, spans=tuple(resolve_spans(trim_spans(spans, text), text))))
    return given


def _folded(note: Annotated) -> Annotated:
    return replace(note, spans=tuple(replace(span, label="ANY") for span in note.spans))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection.runtimes")
    add = parser.add_argument
    add(
        "--model",
        type=Path,
        default=folder_of(DEFAULT),
        help="folder of a tagger; default: the shipped one",
    )
    add("--patients", type=int, default=25, help="patients per language")
    add("--also", type=Path, action="append", default=[], metavar="NOTES")
    return parser.parse_args()


if __name__ == "__main__":
    main()
