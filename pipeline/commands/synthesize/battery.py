"""`cryptonym synthesize battery`: language quality of synthetic notes."""

import argparse
import json
import sys
from pathlib import Path

from evaluation.gate import Measured
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.config.signing import sum_of
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console
from record.atomic_write import write_atomically
from record.errors import ConfigError
from synthesis.generation_files import NOTES, read_generated
from synthesis.markup import decode
from synthesis.prepared_corpus import digest, load_corpus

DESCRIPTION = """\
Learns three tasks from synthetic notes, from the real notes they come from, and from words drawn
by their frequency alone, and tries them on something else: capitals restored to real notes of other
patients; how alike words are, beside what people say; whether one sentence follows from another.
The last two need a file each. DIR gets battery.json, which `synthesize report` reads.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize battery synthetic corpus -o battery
  cryptonym synthesize battery synthetic corpus -o battery --word-pairs pairs.tsv \\
      --entailment train.jsonl test.jsonl

A line of --word-pairs is two words and a number, parted by tabs; or the file is as that of UMNSRS:
values parted by commas under a heading that names Term1, Term2 and Mean. Words are compared in
small letters. A line of --entailment is JSON with sentence1, sentence2 and gold_label, as in SNLI.
"""

_CHARACTERS = 1_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize battery`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `synthesize generate`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add("--word-pairs", type=Path, metavar="FILE", help="word pairs with similarity scores")
    add(
        "--least", type=positive, default=20, metavar="N",
        help="minimum frequency of a pair's words in the real notes (default 20)",
    )  # fmt: skip
    add(
        "--entailment", type=Path, nargs=2, metavar=("TRAIN", "TEST"),
        help="sentence pairs to train and test on",
    )  # fmt: skip
    add(
        "--characters", type=positive, default=_CHARACTERS, metavar="N",
        help=("number of words read to learn capitalization, repeated if necessary (default one "
              "million)"),
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Learn and compare; returns the exit code."""
    manifest = read_generated(options.synthetic)
    if manifest["corpus_sha256"] != digest(options.corpus):
        problem = "is not the corpus that these notes were generated from"
        raise ConfigError(str(options.corpus), problem, "give the corpus that was prepared for it")
    with models_extra("synthesize battery"), console.progress() as progress:
        measured = _measured(options, progress)
    told = {"format": 1, "measured": [each.to_json() for each in measured]}
    options.output.mkdir(parents=True, exist_ok=True)
    write_atomically(options.output / "battery.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for each in measured:
        console.say(
            f"{each.name:<20}{each.value:.4f} ({each.low:.4f} to {each.high:.4f}); "
            f"by frequency alone {each.null:.4f}, real notes {each.control:.4f}"
        )
    console.say(f"wrote {options.output / 'battery.json'}")
    return EXIT_DONE


def _measured(options: argparse.Namespace, progress: Progress) -> list[Measured]:
    from evaluation.utility.battery import (
        Sources,
        case_restoration,
        entailment,
        read_alike,
        read_entailment,
        word_likeness,
    )

    pairs = read_alike(options.word_pairs) if options.word_pairs else None
    sentences = [read_entailment(path) for path in options.entailment or ()]
    notes = load_corpus(options.corpus).notes
    real, test = ([decode(each.marked)[0] for each in notes[s]] for s in ("train", "test"))
    made = options.synthetic / NOTES
    synthetic = [note.document.text for note in read_annotated(made, [])]
    sources, data = Sources(real, synthetic, options.seed), sum_of(made)
    progress.phase("capitals")
    try:
        measured = [case_restoration(sources, test, data, characters=options.characters)]
    except ValueError as error:
        raise ConfigError("the notes", str(error), "give more") from None
    if pairs is not None:
        progress.phase("likeness of words")
        measured.append(word_likeness(sources, pairs, data, least=options.least))
    if sentences:
        progress.phase("entailment")
        measured.append(entailment(sources, sentences[0], sentences[1], data))
    return measured
