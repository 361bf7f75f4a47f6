"""`cryptonym synthesize screen`: what synthetic notes give away about the notes they came from."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.attacks.copying import RealNotes, membership, nearness, parted, verbatim
from evaluation.attacks.proximity import NearestPair, WordCorpus, review
from evaluation.gate import Axis, Measured
from pipeline.commands.options.values import add_speech
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.config.signing import sum_of
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, read_generated
from synthesis.markup import decode
from synthesis.prepared_corpus import digest, load_corpus

DESCRIPTION = """\
Compares synthetic notes with the notes that their model learnt from, and with notes of other
patients: the nearest note by ROUGE and BM25, runs of words that one patient alone has, and an
attack that tries to tell whose notes were learnt from. DIR gets screen.json, which `synthesize
report` reads, and review.jsonl, pairs of notes for people to read: inside the hospital.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize screen synthetic corpus -o screened
  cryptonym synthesize report synthetic --measured screened/screen.json -o report

Every number is given beside the same number for notes that cannot have been copied, and for copies.
"""

_OWNER_ONLY = 0o700


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize screen`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `synthesize generate`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed of the attack's samples (default 1)"),
    )
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Screen; returns the exit code."""
    if options.output.exists() and any(options.output.iterdir()):
        raise ConfigError(str(options.output), "is not empty", "name a new folder")
    manifest = read_generated(options.synthetic)
    corpus = digest(options.corpus)
    if manifest["corpus_sha256"] != corpus:
        problem = "is not the corpus that these notes were generated from"
        raise ConfigError(str(options.corpus), problem, "give the corpus that was prepared for it")
    notes = options.synthetic / NOTES
    made = list(read_annotated(notes, []))
    with console.progress() as progress:
        measured, pairs = _screen(made, options, progress)
    measured += _of_manifest(manifest, data := sum_of(notes))
    told = {
        "format": 1,
        "data": data,
        "corpus": corpus,
        "measured": [each.to_json() for each in measured],
    }
    options.output.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    lines = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    write_atomically(options.output / "review.jsonl", lines.encode("utf-8"))
    (options.output / "review.jsonl").chmod(0o600)
    write_atomically(options.output / "screen.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for each in measured:
        console.say(_line(each))
    console.say(f"{len(pairs)} pairs to read in {options.output}; they hold the notes' text")
    console.say(f"wrote {options.output / 'screen.json'}; give it to `synthesize report`")
    return EXIT_DONE


def _screen(
    made: Sequence[Annotated], options: argparse.Namespace, progress: Progress
) -> tuple[list[Measured], list[dict[str, Any]]]:
    progress.phase("reading")
    prepared = load_corpus(options.corpus)
    learnt, *others = ([decode(note.marked)[0] for note in prepared.notes[s]] for s in SPLITS)
    texts = [note.document.text for note in made]
    if not any(texts):
        raise ConfigError(str(options.synthetic), "holds no notes", "generate some")
    try:
        real = RealNotes(
            parted(learnt),
            [note.owner for note in prepared.notes[SPLITS[0]]],
            parted(text for part in others for text in part),
        )
    except ValueError as error:
        remedy = "prepare a corpus of more patients"
        raise ConfigError(str(options.corpus), str(error), remedy) from None
    words, data = parted(texts), sum_of(options.synthetic / NOTES)
    progress.phase("comparing")
    corpus = WordCorpus(real.trained)
    near = nearness(words, real, corpus, data)
    by_bm25 = corpus.bm25(words)
    progress.phase("attacking")
    measured = [
        *near.measured,
        verbatim(words, real, data),
        membership(words, real, data, seed=options.seed),
    ]
    pairs = review(near.found, by_bm25, texts, learnt)
    return measured, [_shown(number, pair, texts, learnt) for number, pair in enumerate(pairs)]


def _shown(
    number: int, pair: NearestPair, synthetic: Sequence[str], real: Sequence[str]
) -> dict[str, Any]:
    return {
        "pair": number,
        "found_by": pair.found_by,
        "score": round(pair.score, 6),
        "synthetic": synthetic[pair.synthetic],
        "real": real[pair.real],
    }


def _of_manifest(manifest: dict[str, Any], data: str) -> list[Measured]:
    """Return what generation measured: tags well formed, and as they were asked for."""
    formed, distance = manifest["well_formed"], manifest["tags"]["distance"]
    return [
        Measured("well-formed-share", Axis.DETECTION, formed, formed, formed, data),
        Measured("tag-distance", Axis.RESEMBLANCE, distance, distance, distance, data),
    ]


def _line(each: Measured) -> str:
    beside = ""
    if each.null is not None and each.control is not None:
        beside = f"; not copied {each.null:.4f}, copies {each.control:.4f}"
    return f"{each.name:<20}{each.value:.4f} ({each.low:.4f} to {each.high:.4f}){beside}"
