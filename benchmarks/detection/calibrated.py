"""Does a certified threshold hold on notes by another author?

    python -m benchmarks.detection.calibrated [--model default] [--alpha 0.05 0.1]

Thresholds by label are chosen on the held-out notes of one author of `synthesis/registers`, as
`cryptonym evaluate --calibrate A` chooses them on a site's: half of the notes give the precisions,
half certify that the expected share of a note's identifying tokens that is missed is at most A.
Beside that bound stands what is missed in the notes of the other author, once each way, and in the
half that gave the precisions. Notes of another author are not drawn from the same distribution, so
the bound is no promise for them: the difference is what a site risks that takes its thresholds from
somewhere else. Rules and tagger together. Prints Markdown.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.detection.finish_tagger import ScoredNote, decode, score_notes
from benchmarks.foreign import IGNORED
from evaluation.detection.alignment import Pair
from evaluation.detection.calibration import token_scores
from evaluation.detection.label_thresholds import calibrate_labels
from models.tagger import serialization
from models.tagger.serialization import TrainedTagger
from models.tagger.shipped_model import folder_of
from models.tagger.thresholds import SpanThresholds
from pipeline.notes.model_detection import refine_spans
from record.errors import ConfigError
from synthesis.register_notes import HELD_OUT_AUTHORS, read_registers

_LOWEST = 0.01


@dataclass(frozen=True)
class Halves:
    """Notes that give the precisions, and notes that certify."""

    fitting: Sequence[ScoredNote]
    certifying: Sequence[ScoredNote]


def main() -> None:
    options = _parse()
    trained = serialization.load(folder_of(options.model))
    written = [note for note in read_registers() if note.author in HELD_OUT_AUTHORS]
    by_author = {
        author: score_notes(trained, [note for note in written if note.author == author])
        for author in sorted(HELD_OUT_AUTHORS)
    }
    print("| calibrated on author | asked | notes | bound | missed, other half | other author |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for author, notes in by_author.items():
        others = [each for name, found in by_author.items() if name != author for each in found]
        first, second = notes[::2], notes[1::2]
        for alpha in options.alpha:
            for halves in (Halves(first, second), Halves(second, first)):
                print(_row(trained, author, alpha, halves, others), flush=True)


def _row(
    trained: TrainedTagger, author: str, alpha: float, halves: Halves, others: Sequence[ScoredNote]
) -> str:
    start = f"| {author} | {alpha:g} | {len(halves.certifying)} |"
    try:
        chosen = calibrate_labels(
            _pairs(trained, halves.fitting, SpanThresholds({}, _LOWEST, joins=False)),
            _pairs(trained, halves.certifying, SpanThresholds({}, _LOWEST, joins=False)),
            alpha,
        )
    except ConfigError:
        return f"{start} refused: too much is missed at any threshold | | |"
    thresholds = SpanThresholds(chosen.by_label)
    missed = [_missed(_pairs(trained, notes, thresholds)) for notes in (halves.fitting, others)]
    return f"{start} {chosen.certified.bound:.4f} | {missed[0]:.4f} | {missed[1]:.4f} |"


def _pairs(
    trained: TrainedTagger, scored: Sequence[ScoredNote], thresholds: SpanThresholds
) -> list[Pair]:
    found = decode(trained, scored, thresholds)
    pairs = []
    for each, spans in zip(scored, found, strict=True):
        gold = each.note.annotated
        document = gold.document
        refined = refine_spans(spans, document) if thresholds.joins else spans
        model = [replace(span, detector="model") for span in refined]
        wanted = tuple(span for span in gold.spans if span.label != IGNORED)
        pairs.append(Pair(document.note_id, document.text, wanted, (*each.rules, *model)))
    return pairs


def _missed(pairs: Sequence[Pair]) -> float:
    """Return the mean over notes of the share of identifying tokens that nothing covers."""
    losses = [
        float((scores == 0).mean()) if len(scores) else 0.0 for scores in map(token_scores, pairs)
    ]
    return float(np.mean(losses))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="default", help="folder of a tagger (default: shipped)")
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.1, 0.05, 0.02])
    return parser.parse_args()


if __name__ == "__main__":
    main()
