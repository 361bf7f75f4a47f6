"""`cryptonym synthesize utility`: what a tagger learns from synthetic notes."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from evaluation.gate import Measured
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.signing import sum_of
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console
from pipeline.synthetic.filled_letters import is_filled, read_filled
from record.atomic_write import write_atomically
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, read_generated
from synthesis.markup import decode
from synthesis.prepared_corpus import digest, load_corpus

if TYPE_CHECKING:
    from evaluation.utility.utility import Utility

DESCRIPTION = """\
Trains taggers on real notes, on synthetic notes and on both, and scores them on real notes of
other patients. Of letters that `synthesize fill` wrote, one of each source is learnt from alone,
and two of each together, beside their sources. DIR gets utility.json, which `synthesize report`
reads, and the taggers. What was interrupted goes on when the same command is run again.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize utility synthetic corpus -o utility --seeds 3 --max-minutes 10
  cryptonym synthesize utility synthetic corpus -o utility --encoder e5-small
  cryptonym synthesize report synthetic --measured screened/screen.json utility/utility.json \\
      -o report --key master.key
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize utility`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `generate` or `fill`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--encoder",
        default="bilstm",
        metavar="NAME",
        help=("encoder, as for `train` (default bilstm)"),
    )
    add(
        "--seeds",
        type=positive,
        default=3,
        metavar="N",
        help=("number of trainings of each kind (default 3)"),
    )
    add("--max-minutes", type=float, metavar="M", help="time limit of each training")
    add("--epochs", type=positive, metavar="N", help="maximum epochs of each training")
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train and compare; returns the exit code."""
    with models_extra("synthesize utility"):
        from evaluation.utility.utility import Trial, compare, recipe_for
        from models.training_loop import TrainingCallbacks
    manifest = read_generated(options.synthetic)
    if manifest["corpus_sha256"] != digest(options.corpus):
        problem = "is not the corpus that these notes were generated from"
        raise ConfigError(str(options.corpus), problem, "give the corpus that was prepared for it")
    notes = options.synthetic / NOTES
    real, dev, test = _real(options.corpus)
    synthetic, twice = (
        _filled(notes) if is_filled(manifest) else (list(read_annotated(notes, [])), [])
    )
    trial = Trial(real, synthetic, dev, test, twice)
    if options.seeds < 2:
        raise ConfigError("--seeds", "is too few to bound anything", "give at least 2")
    with console.progress() as progress:

        def tell(name: str) -> TrainingCallbacks:
            progress.phase(name)
            return TrainingCallbacks(progress.advance)

        seeds = range(1, options.seeds + 1)
        bounds = {"epochs": options.epochs, "max_minutes": options.max_minutes}
        recipe = recipe_for(options.encoder, **bounds)
        utility = compare(trial, recipe, seeds, options.output / "taggers", tell)
    measured, *others = _measured(utility, sum_of(notes), filled=is_filled(manifest))
    found = [each.to_json() for each in (measured, *others)]
    told = {"format": 1, "measured": found, "tests": _tests(utility)}
    write_atomically(options.output / "utility.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for line in _lines(utility):
        console.say(line)
    for each in others:
        console.say(f"{each.name:<20}{each.value:+.4f} ({each.low:+.4f} to {each.high:+.4f}) of F1")
    console.say(
        f"synthetic notes are worth {measured.value:.3f} ({measured.low:.3f} to "
        f"{measured.high:.3f}) of the F1 of real ones"
    )
    console.say(f"wrote {options.output / 'utility.json'}; give it to `synthesize report`")
    return EXIT_DONE


def _filled(notes: Path) -> tuple[list[Annotated], list[Annotated]]:
    """Return one letter of each source, and two of each where there are two."""
    letters = list(read_filled(notes))
    first, second = ([e.annotated for e in letters if e.copy == copy] for copy in range(2))
    return first, [*first, *second] if second else []


def _measured(utility: "Utility", data: str, *, filled: bool) -> list[Measured]:
    """Return the worth as a share, and of filled letters in points of F1, once and twice."""
    measured = [utility.measured(data)]
    if filled:
        measured.append(utility.gained("filled-over-real", "synthetic", "real", data))
    if "twice" in utility.counts:
        measured.append(utility.gained("twice-over-once", "twice", "synthetic", data))
    return measured


def _real(folder: Path) -> list[list[Annotated]]:
    """Return the real notes of train, dev and test."""
    notes = load_corpus(folder).notes
    return [list(_annotated(split, [each.marked for each in notes[split]])) for split in SPLITS]


def _annotated(split: str, marked: Iterable[str]) -> Iterator[Annotated]:
    for number, each in enumerate(marked):
        text, spans = decode(each)
        yield Annotated(Document(note_id=f"{split}-{number}", text=text), spans)


def _tests(utility: "Utility") -> dict[str, dict[str, float]]:
    """Return the chance of each difference between settings, by score."""
    pairs = [(setting, "real") for setting in utility.counts if setting != "real"]
    names = ("precision", "recall", "f1")
    return {
        f"{one} against {other}": {name: utility.differ(one, other, name) for name in names}
        for one, other in pairs
    }


def _lines(utility: "Utility") -> Iterator[str]:
    yield f"{'learnt from':<14}{'precision':>10}{'recall':>10}{'F1':>10}"
    for setting in utility.counts:
        means = [fmean(utility.scores(setting, name)) for name in ("precision", "recall", "f1")]
        yield f"{setting:<14}" + "".join(f"{mean:>10.4f}" for mean in means)
