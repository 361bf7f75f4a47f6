"""Leaks and over-redaction on unseen notes: rules, known values, a model, and all combined.

    python -m benchmarks.detection.hybrid [--model DIR] [--patients 25] [--also NOTES.jsonl]

Notes of the fictional hospital in French, English and Spanish, by patients no training saw and from
the templates that training never sees (`synthesis.fictional.hospital`); `--also` adds
corpora with gold spans in labels of their own and no patients. Labels do not count here: a token is
redacted where a span of any label is over it. Prints Markdown.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.detection.train_tagger import make_hospitals
from evaluation.detection.alignment import pair_annotations
from evaluation.detection.scores import score_pairs
from models.tagger.runtime import Tagger
from pipeline.files.gold import read_annotated
from pipeline.notes.detection import KnownPatients, by_record, by_rules
from pipeline.notes.overlap_resolution import resolve_spans, trim_spans
from record.document import Annotated
from record.patient import PatientRecord
from record.span import Span

SEED = 77_000
ARMS = ("rules", "rules, known", "model", "rules, known, model")

Corpus = tuple[list[Annotated], Mapping[str, PatientRecord]]


def main() -> None:
    options = _parse()
    tagger = Tagger.load(options.model)
    print(
        "| notes | detectors | redacted | notes without a leak | at 95 % | over-redacted tokens |"
    )
    print("| --- | --- | ---: | ---: | --- | ---: |")
    for name, (notes, patients) in make_corpora(options):
        found = detect_arms(notes, patients, tagger)
        for arm in ARMS:
            scores = score_pairs(pair_annotations(notes, found[arm]).pairs, resamples=100)
            fully = scores["fully_redacted"]
            print(
                f"| {name} ({len(notes)}) | {arm} | {scores['redacted']:.4f} | {fully['rate']:.3f} "
                f"| {fully['low']:.3f} to {fully['high']:.3f} "
                f"| {scores['over_redaction']:.2f} per 1,000 |",
                flush=True,
            )


def make_corpora(options: argparse.Namespace) -> Iterator[tuple[str, Corpus]]:
    """Return each corpus by its name."""
    for hospital in make_hospitals(options.patients, SEED, "held-out"):
        known = {str(number): record for number, record in hospital.patients.items()}
        yield f"fictional {hospital.lang}", ([note.annotated for note in hospital.notes()], known)
    for path in options.also:
        yield path.parent.name, (list(read_annotated(path, [])), {})


def detect_arms(
    notes: Sequence[Annotated], patients: Mapping[str, PatientRecord], tagger: Tagger
) -> dict[str, list[Annotated]]:
    """Return the notes with the spans of each arm."""
    compiled = KnownPatients()
    found: dict[str, list[Annotated]] = {arm: [] for arm in ARMS}
    for note in notes:
        document = note.document
        record = patients.get(document.person_id or "")
        rules = by_rules(document)
        known = by_record(document, compiled.of(record)) if record else []
        model = trim_spans(tagger.spans([document])[0], document.text)
        parts: dict[str, list[Span]] = {"rules": rules, "known": known, "model": model}
        for arm in ARMS:
            spans = [span for name in arm.split(", ") for span in parts[name]]
            found[arm].append(replace(note, spans=resolve_spans(spans, document.text)))
    return found


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection.hybrid")
    add = parser.add_argument
    add("--model", type=Path, required=True, help="folder of a model")
    add("--patients", type=int, default=25, help="patients per language")
    add("--also", type=Path, action="append", default=[], metavar="NOTES")
    return parser.parse_args()


if __name__ == "__main__":
    main()
