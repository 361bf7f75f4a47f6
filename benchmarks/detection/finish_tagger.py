"""The last steps before a trained tagger is shipped: its balance of recall and precision, rounding.

    python -m benchmarks.detection.finish_tagger TRAINED OUTPUT [--precision 0.93] [--shift S]

A shift lowers the score of the tag `outside` of every word, so that more is found. Of the shifts
tried, the one is taken that leaves most of the held-out notes of `synthesis/registers` clean, by
rules and tagger together, while of all tokens covered there the share `--precision` belongs to an
identifier, or 0 where none comes so far; `--shift` takes one without looking. The shift becomes
part of the weights, which are rounded to 16-bit floats. Prints Markdown.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import torch

from benchmarks.foreign import Tally
from models.tagger import serialization
from models.tagger.decoding import decode_notes
from models.tagger.network import SingleChainHead
from models.tagger.prediction import HeadDecoder, score_words
from models.tagger.sequences.alignment import segment_text
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import refine_spans
from record.span import Span
from synthesis.register_notes import RegisterNote, read_registers

SHIFTS = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0)
_TOGETHER = 32


def main() -> None:
    options = _parse()
    trained = serialization.load(options.trained)
    if not isinstance(trained.network.head, SingleChainHead):
        raise SystemExit("only a tagger with the head `single` can be shifted")
    shift = options.shift
    if shift is None:
        notes = [note for note in read_registers() if note.is_held_out]
        shift = choose_shift(score_shifts(trained, notes, SHIFTS), options.precision)
    with torch.no_grad():
        trained.network.scores.bias[0] -= shift
    serialization.save(
        serialization.TrainedTagger(trained.network.half(), trained.subwords, trained.cut),
        options.output,
    )
    print(f"\nshift {shift:g}, written to {options.output}")


def score_shifts(
    trained: serialization.TrainedTagger, notes: Sequence[RegisterNote], shifts: Sequence[float]
) -> dict[float, dict[str, Tally]]:
    """Score rules and tagger together on notes, by shift and language."""
    tallies: dict[float, dict[str, Tally]] = {shift: defaultdict(Tally) for shift in shifts}
    for start in range(0, len(notes), _TOGETHER):
        some = notes[start : start + _TOGETHER]
        ruled = [by_rules(note.annotated.document) for note in some]
        for shift, found in _find_at(trained, some, shifts):
            for note, rules, model in zip(some, ruled, found, strict=True):
                refined = refine_spans(model, note.annotated.document)
                tallies[shift][note.lang].add(note.annotated, [*rules, *refined])
    return tallies


def _find_at(
    trained: serialization.TrainedTagger, notes: Sequence[RegisterNote], shifts: Sequence[float]
) -> Iterator[tuple[float, list[list[Span]]]]:
    texts = [note.annotated.document.text for note in notes]
    cuttings = [segment_text(text, trained.subwords, trained.cut) for text in texts]
    scores = score_words(trained.network, cuttings)
    for shift in shifts:
        shifted = [each.copy() for each in scores]
        for each in shifted:
            each[:, 0] -= shift
        yield shift, decode_notes(HeadDecoder(trained.network), cuttings, shifted)


def choose_shift(tallies: Mapping[float, Mapping[str, Tally]], precision: float) -> float:
    """Print a row for each shift and language; return the shift that leaves most notes clean.

    Only shifts count under which all languages together have the precision of tokens asked for;
    where none does, it is 0.
    """
    print("| notes | shift | elements | tokens | token precision | clean notes | untouched |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    allowed = {0.0: -1}
    for shift, by_language in tallies.items():
        clean = 0
        for lang, tally in sorted(by_language.items()):
            print(tally.row(lang, f"{shift:g}"), flush=True)
            clean += tally.clean[True]
        if _precision(by_language.values()) >= precision:
            allowed[shift] = clean
    return max(allowed, key=lambda shift: (allowed[shift], -shift))


def _precision(tallies: Iterable[Tally]) -> float:
    every = list(tallies)
    hits, false = (sum(tally.tokens[kind] for tally in every) for kind in ("hit", "false"))
    return hits / max(1, hits + false)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path, help="folder of a trained tagger")
    parser.add_argument("output", type=Path, help="new folder for the tagger to ship")
    parser.add_argument("--precision", type=float, default=0.9, help="of tokens")
    parser.add_argument("--shift", type=float, help="take this shift without scoring any")
    return parser.parse_args()


if __name__ == "__main__":
    main()
