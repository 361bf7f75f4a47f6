"""The last steps before a trained tagger is shipped: thresholds by label, rounding.

    python -m benchmarks.detection.finish_tagger TRAINED OUTPUT [--average FOLDER ...]
        [--precision 0.93] [--least S]

`--average` takes the mean of the weights of several taggers of one ancestry (model soups, Wortsman
et al., ICML 2022), as of the shipped one and one that went on from it.
On the held-out notes of `synthesis/registers` the scores of each label are read as a precision
(`evaluation.detection.label_thresholds`); a least precision then gives a threshold for each label.
Of those tried, the one is taken that leaves most of the notes clean, by rules and tagger together,
while of all tokens covered there the share `--precision` belongs to an identifier; where none
comes so far, the tagger gets no thresholds. `--least` takes one. Thresholds become part of the
tagger's settings; weights are rounded to 16-bit floats. Prints Markdown.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from benchmarks.foreign import Tally
from evaluation.detection.alignment import Pair
from evaluation.detection.label_thresholds import fit_precisions, thresholds_at
from models.tagger import serialization
from models.tagger.decoding import Floats, decode_notes
from models.tagger.network import SingleChainHead
from models.tagger.prediction import make_decoder, score_words
from models.tagger.sequences.alignment import SegmentedText, segment_text
from models.tagger.shipped_model import folder_of
from models.tagger.thresholds import SpanThresholds
from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import refine_spans
from record.span import Span
from synthesis.register_notes import RegisterNote, read_registers

LEAST = (0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2)
_LOWEST = 0.01
_TOGETHER = 32


def main() -> None:
    options = _parse()
    trained = serialization.load(options.trained)
    average_weights(trained, [serialization.load(folder_of(name)) for name in options.average])
    if not isinstance(trained.network.head, SingleChainHead):
        raise SystemExit("only a tagger with the head `single` can have thresholds")
    scored = score_notes(trained, [note for note in read_registers() if note.is_held_out])
    tried = (options.least,) if options.least is not None else LEAST
    tallies, by_least = try_thresholds(trained, scored, tried)
    least = choose_least(tallies, options.precision)
    if options.least is not None:
        least = options.least
    chosen = None if least is None else SpanThresholds(by_least[least])
    serialization.save(
        serialization.TrainedTagger(
            trained.network.half(), trained.subwords, trained.cut, thresholds=chosen
        ),
        options.output,
    )
    told = "no thresholds" if least is None else f"least precision {least:g}"
    print(f"\n{told}, written to {options.output}")


def average_weights(
    trained: serialization.TrainedTagger, others: Sequence[serialization.TrainedTagger]
) -> None:
    """Give a tagger the mean of its weights and of those of others with the same design."""
    if any(each.network.design != trained.network.design for each in others):
        raise SystemExit("weights of taggers of different designs have no mean")
    states = [each.network.float().state_dict() for each in (trained, *others)]
    mean = {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    trained.network.load_state_dict(mean)


@dataclass(frozen=True)
class ScoredNote:
    """A note with what rules find, and the scores of the tags of its words."""

    note: RegisterNote
    rules: Sequence[Span]
    cutting: SegmentedText
    scores: Floats


def score_notes(
    trained: serialization.TrainedTagger, notes: Sequence[RegisterNote]
) -> list[ScoredNote]:
    """Score the words of notes, and search them by rules."""
    found = []
    for start in range(0, len(notes), _TOGETHER):
        some = notes[start : start + _TOGETHER]
        texts = [note.annotated.document.text for note in some]
        cuttings = [segment_text(text, trained.subwords, trained.cut) for text in texts]
        scores = score_words(trained.network, cuttings)
        for note, cutting, each in zip(some, cuttings, scores, strict=True):
            found.append(ScoredNote(note, by_rules(note.annotated.document), cutting, each))
    return found


def try_thresholds(
    trained: serialization.TrainedTagger, scored: Sequence[ScoredNote], tried: Iterable[float]
) -> tuple[dict[float | None, dict[str, Tally]], dict[float, dict[str, float]]]:
    """Score rules and tagger together by least precision and language; None is without thresholds.

    Returns the thresholds of each least precision, too.
    """
    lowest = decode(trained, scored, SpanThresholds({}, _LOWEST, joins=False))
    curves = fit_precisions(
        Pair(
            each.note.annotated.document.note_id,
            each.note.annotated.document.text,
            each.note.annotated.spans,
            tuple(replace(span, detector="model") for span in spans),
        )
        for each, spans in zip(scored, lowest, strict=True)
    )
    labels = trained.network.design.labels
    by_least = {least: thresholds_at(least, labels, curves) for least in tried}
    tallies: dict[float | None, dict[str, Tally]] = {}
    for least in (None, *by_least):
        thresholds = None if least is None else SpanThresholds(by_least[least])
        tallies[least] = defaultdict(Tally)
        for each, spans in zip(scored, decode(trained, scored, thresholds), strict=True):
            gold = each.note.annotated
            refined = refine_spans(spans, gold.document)
            tallies[least][each.note.lang].add(gold, [*each.rules, *refined])
    return tallies, by_least


def decode(
    trained: serialization.TrainedTagger,
    scored: Sequence[ScoredNote],
    thresholds: SpanThresholds | None,
) -> list[list[Span]]:
    decoder = make_decoder(trained.network, thresholds)
    return decode_notes(
        decoder, [each.cutting for each in scored], [each.scores for each in scored]
    )


def choose_least(
    tallies: Mapping[float | None, Mapping[str, Tally]], precision: float
) -> float | None:
    """Print a row for each least precision and language; return what leaves most notes clean.

    Only those count under which all languages together have the precision of tokens asked for;
    where none does, it is None.
    """
    print("| notes | least precision | elements | tokens | token precision | clean | untouched |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    best: tuple[int, float] | None = None
    for least, by_language in tallies.items():
        clean = 0
        for lang, tally in sorted(by_language.items()):
            print(tally.row(lang, "none" if least is None else f"{least:g}"), flush=True)
            clean += tally.clean[True]
        is_allowed = least is not None and _precision(by_language.values()) >= precision
        if is_allowed and least is not None and (best is None or (clean, least) > best):
            best = clean, least
    return None if best is None else best[1]


def _precision(tallies: Iterable[Tally]) -> float:
    every = list(tallies)
    hits, false = (sum(tally.tokens[kind] for tally in every) for kind in ("hit", "false"))
    return hits / max(1, hits + false)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path, help="folder of a trained tagger")
    parser.add_argument("output", type=Path, help="new folder for the tagger to ship")
    parser.add_argument(
        "--average", nargs="+", default=[], metavar="FOLDER", help="taggers to average with"
    )
    parser.add_argument("--precision", type=float, default=0.92, help="of tokens")
    parser.add_argument("--least", type=float, help="least precision of a label's tokens")
    return parser.parse_args()


if __name__ == "__main__":
    main()
