"""A tagger with labels of its own, alone and with rules beside it: scores by label, and leaks.

    python -m benchmarks.detection.own_labels NOTES TAGGER [--found FOUND.jsonl]

NOTES are notes with gold spans in the labels of TAGGER, a folder that `cryptonym train` wrote. The
arms: rules; the tagger; both as for labels that they share; both with all spans of rules marked;
both with the map that the folder has (`pipeline.notes.overlap_resolution.resolve_beside_tagger`).
"All counted" is exact F1 where marked spans are false positives. --found are the tagger's spans
where `cryptonym detect --detectors model` has them already. Prints Markdown.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.detection.alignment import pair_annotations
from evaluation.detection.scores import score_pairs
from models.tagger.loading import load_tagger_folder
from pipeline.files.gold import read_annotated
from pipeline.notes.detection import by_rules, spoken
from pipeline.notes.model_detection import refine_spans
from pipeline.notes.overlap_resolution import resolve_beside_tagger, resolve_spans
from record.document import Annotated
from record.label import RULE_MARK
from record.span import Span


def main() -> None:
    options = _parse()
    gold = list(read_annotated(options.notes, []))
    tagger = load_tagger_folder(options.tagger)
    if options.found:
        read = {each.document.note_id: each for each in read_annotated(options.found, [])}
        found = [read[note.document.note_id].spans for note in gold]
    else:
        found = [
            tuple(refine_spans(tagger.spans([note.document])[0], note.document)) for note in gold
        ]
    mapped = ", ".join(f"{rule} to {label}" for rule, label in tagger.rule_labels.items())
    print(f"Map: {mapped or 'none'}.\n")
    print("| detectors | exact F1 | all counted | redacted | notes without a leak | marked |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, notes in make_arms(gold, found, tagger.rule_labels).items():
        scores = score_pairs(pair_annotations(gold, notes).pairs, resamples=1)
        counted = pair_annotations(gold, map(without_marks, notes)).pairs
        exact = score_pairs(counted, resamples=1)["strict"]["f1"]
        print(
            f"| {name} | {scores['strict']['f1']:.4f} | {exact:.4f} | {scores['redacted']:.4f} "
            f"| {scores['fully_redacted']['rate']:.3f} | {scores['marked']} |",
            flush=True,
        )


def make_arms(
    gold: Sequence[Annotated], found: Sequence[Sequence[Span]], rule_labels: Mapping[str, str]
) -> dict[str, list[Annotated]]:
    """Return the notes with the spans of each arm."""
    arms: dict[str, list[Annotated]] = {}
    for note, tagged in zip(gold, found, strict=True):
        text, rules = note.document.text, by_rules(spoken(note.document))
        both = [*rules, *tagged]
        for name, spans in {
            "rules": resolve_spans(rules, text),
            "tagger": resolve_spans(tagged, text),
            "both, as for shared labels": resolve_spans(both, text),
            "both, marked": resolve_beside_tagger(both, text, {}),
            "both, mapped or marked": resolve_beside_tagger(both, text, rule_labels),
        }.items():
            arms.setdefault(name, []).append(replace(note, spans=spans))
    return arms


def without_marks(note: Annotated) -> Annotated:
    """Return a note whose marked spans have the labels of rules."""
    return replace(
        note,
        spans=tuple(replace(s, label=s.label.removeprefix(RULE_MARK)) for s in note.spans),
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notes", type=Path)
    parser.add_argument("tagger", type=Path)
    parser.add_argument("--found", type=Path, metavar="FOUND.jsonl")
    return parser.parse_args()


if __name__ == "__main__":
    main()
