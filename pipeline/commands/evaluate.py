"""`cryptonym evaluate`: spans scored against gold."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.detection.alignment import Pair, PairedNotes, pair_annotations
from evaluation.detection.calibration import calibrate_pairs
from evaluation.detection.label_thresholds import (
    calibrate_labels,
    split_by_person,
    trace_thresholds,
)
from evaluation.detection.scores import format_scores, score_pairs
from evaluation.detection.span_shapes import false_positive_shapes, leaked_shapes
from models.tagger.shipped_model import DEFAULT, digest, folder_of
from pipeline.commands.options.values import given, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.files.output_files import check_output_path
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.threshold_file import CalibrationRecord, dump_thresholds
from pipeline.reports.console import Console
from pipeline.reports.score_report import ErrorExamples, write_scores
from record.atomic_write import write_atomically
from record.errors import ConfigError
from record.folding import fold
from rules.matching.lexicon import lexicon, term_kind

DESCRIPTION = """\
Scores the spans in PRED against those in GOLD, note by note. Both may be JSON Lines, BRAT (.ann
beside .txt), XML of i2b2, n2c2 and MEDDOCAN, or CoNLL columns.
"""
EXAMPLES = """\
examples:
  cryptonym evaluate truth.jsonl found.jsonl
  cryptonym evaluate gold.jsonl found.jsonl --label-map labels.toml --json
  cryptonym evaluate annotated/ found.jsonl --html scores.html
  cryptonym evaluate gold.jsonl found.jsonl --beside rules.jsonl --html scores.html
  cryptonym detect gold.jsonl -o scored.jsonl --min-score 0.01
  cryptonym evaluate gold.jsonl scored.jsonl --calibrate 0.02 --thresholds thresholds.toml

A label map is a TOML file with lines such as  PRENOM = "FIRST_NAME"  and applies to both files.
A note in GOLD that is missing from PRED counts as a note without predicted spans.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `evaluate`."""
    parser.add_argument(
        "gold", type=Path, metavar="GOLD", help="gold annotations: a file or folder"
    )
    parser.add_argument(
        "predicted", type=Path, metavar="PRED", help="predicted annotations: a file or folder"
    )
    parser.add_argument(
        "--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels"
    )
    parser.add_argument(
        "--beside", type=Path, metavar="PRED",
        help="second predictions to score beside the first, such as those of rules alone "
        "(`detect --detectors rules,known`)",
    )  # fmt: skip
    parser.add_argument("--html", type=Path, metavar="FILE", help="output page with plots")
    parser.add_argument(
        "--calibrate", type=share, metavar="ALPHA",
        help="maximum expected share of missed identifier tokens per note, for which the score "
        "threshold is printed",
    )  # fmt: skip
    parser.add_argument(
        "--thresholds", type=Path, metavar="T.toml",
        help="output file of thresholds by label for `detect` and the nightly job, chosen on half "
        "of the persons and certified on the others; needs --calibrate",
    )  # fmt: skip
    parser.add_argument(
        "--model", default=DEFAULT, metavar="DIR",
        help="tagger that predicted, which the thresholds are for (default: the bundled tagger)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Score; returns the exit code."""
    with console.progress() as progress:
        scores = _score(options, console, progress)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    else:
        console.say(format_scores(scores))
        if options.beside:
            console.say(f"\nbeside it, {options.beside}:")
            console.say(format_scores(scores["beside"]))
    if options.thresholds:
        console.say(
            f"wrote {options.thresholds}; give it to `detect` as --thresholds, or name it in "
            "`[model] thresholds`"
        )
    return EXIT_DONE


def _score(options: argparse.Namespace, console: Console, progress: Progress) -> dict[str, Any]:
    inputs = given(options.gold, options.predicted, options.label_map, options.beside)
    if options.html:
        check_output_path(options.html, inputs)
    if options.thresholds:
        check_output_path(options.thresholds, inputs)
        if options.calibrate is None:
            raise ConfigError("--thresholds", "needs --calibrate", "give the share of misses")
    labels = read_label_map(options.label_map) if options.label_map else None
    warnings: list[str] = []
    progress.phase("reading")
    paired = _pair(options.gold, options.predicted, labels=labels, warnings=warnings)
    beside = (
        _pair(options.gold, options.beside, labels=labels, warnings=warnings, name="--beside")
        if options.beside
        else None
    )
    for warning in dict.fromkeys(warnings):
        console.warn(warning)
    progress.phase("scoring")
    scores = score_pairs(paired.pairs, _is_medical)
    if beside:
        scores["beside"] = score_pairs(beside.pairs, _is_medical)
    if options.calibrate is not None:
        scores["calibration"] = asdict(calibrate_pairs(paired.pairs, options.calibrate))
    if options.thresholds:
        scores["thresholds"] = _write_thresholds(paired.pairs, options)
    scores["threshold_curve"] = [asdict(point) for point in trace_thresholds(paired.pairs)]
    if options.html:
        examples = ErrorExamples(leaked_shapes(paired.pairs), false_positive_shapes(paired.pairs))
        write_scores(options.html, scores, examples)
    return scores


def _pair(
    gold: Path,
    path: Path,
    *,
    labels: dict[str, str] | None,
    warnings: list[str],
    name: str = "PRED",
) -> PairedNotes:
    paired = pair_annotations(
        read_annotated(gold, warnings), read_annotated(path, warnings), labels
    )
    for count, what in (
        (paired.missing, f"notes of GOLD are not in {name}: all their spans count as missed"),
        (paired.extra, f"notes of {name} are not in GOLD: they are not scored"),
    ):
        warnings += [f"{count} {what}"] * bool(count)
    return paired


def _write_thresholds(pairs: Sequence[Pair], options: argparse.Namespace) -> dict[str, Any]:
    found = calibrate_labels(*split_by_person(pairs), options.calibrate)
    certified = found.certified
    record = CalibrationRecord(
        by_label=found.by_label,
        tagger=digest(folder_of(options.model)),
        detector_version=DETECTOR_VERSION,
        alpha=options.calibrate,
        bound=certified.bound,
        precision=certified.threshold,
        notes=certified.documents,
    )
    write_atomically(options.thresholds, dump_thresholds(record).encode())
    return asdict(found)


def _is_medical(word: str) -> bool:
    folded = fold(word)
    if word.isupper() and folded in lexicon("clinical_abbreviations"):
        return True
    return len(word) >= _SHORTEST_TERM and bool(term_kind(folded))


_SHORTEST_TERM = 4  # what is shorter, and no abbreviation of the list, is as often an initial
