"""`cryptonym synthesize generate`: synthetic notes with their entities."""

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_batch_work, positive
from pipeline.commands.synthesize.batch_output import print_manifest
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Writes synthetic notes with a model that `synthesize train` made. Each note is asked for by codes:
a kind of note and how many entities of each label, taken from notes that were held out; its first
words come from there, too. DIR gets notes.jsonl and a manifest. A run that was interrupted goes on
when the same command is run again, and gives the same notes as if it had not been. With Beam's own
options, such as --runner, the work is done where they say; all workers must see the folders.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize generate generator corpus -o synthetic --notes 1000
  cryptonym synthesize generate generator corpus -o synthetic --notes 1000 --method sample
  cryptonym synthesize generate generator corpus -o beams --notes 100 --method beam --no-repeat 3
  cryptonym synthesize generate generator corpus -o free --notes 1000 --tags asked --candidates 4

A file for --shares has lines such as  PHONE = 0.2 ; the labels of a note's entities are then drawn
by these shares. --tags asked leaves it to the model whether it does as asked: no entity is written
without its tag because no more were asked for. With --candidates, which brings their numbers near
to what was asked for, taggers learn more from such notes. Synthetic notes are not released by this:
screen them first.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize generate`."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="folder written by `synthesize train`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--notes", type=positive, metavar="N", help="number of notes")
    amount.add_argument("--words", type=positive, metavar="N", help="number of words to reach")
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add(
        "--method", default="nucleus", metavar="M",
        help="decoding method: nucleus (default), sample, top-k, greedy or beam",
    )  # fmt: skip
    add(
        "--temperature",
        type=float,
        default=1.0,
        metavar="T",
        help=("sampling temperature (default 1)"),
    )
    add(
        "--top-p",
        type=float,
        default=0.95,
        metavar="P",
        help=("probability mass for nucleus sampling (default 0.95)"),
    )
    add(
        "--top-k",
        type=int,
        default=50,
        metavar="K",
        help=("number of candidates for top-k sampling (default 50)"),
    )
    add("--beams", type=int, default=5, metavar="N", help="number of beams (default 5)")
    add(
        "--min-length", type=int, default=50, metavar="N", help="minimum tokens a note (default 50)"
    )
    add(
        "--max-length",
        type=int,
        default=400,
        metavar="N",
        help="maximum tokens a note (default 400)",
    )
    add(
        "--no-repeat",
        type=int,
        default=0,
        metavar="N",
        help=("n-gram length that must not repeat (default: no limit)"),
    )
    add(
        "--tags", choices=("enforced", "asked"), default="enforced",
        help=("treatment of entity tags; enforced (default) gives a note exactly the requested "
              "entities where there is room"),
    )  # fmt: skip
    add(
        "--candidates", type=positive, default=1, metavar="K",
        help=("with --tags asked: oversampling factor; the notes that together match the request "
              "are kept"),
    )  # fmt: skip
    add(
        "--ending", choices=("sentence", "free"), default="sentence",
        help=("end of a note; sentence (default) ends it after the sentence in which the requested "
              "length is reached"),
    )  # fmt: skip
    add("--unmasked", action="store_true", help="leave tags unconstrained, for comparison")
    add(
        "--shares",
        type=Path,
        metavar="FILE.toml",
        help=("distribution of labels (default: that of the corpus)"),
    )
    add_batch_work(parser, "notes")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Write the notes; returns the exit code."""
    with models_extra("synthesize generate"):
        from models.language.decoding.generation import Decoding
        from pipeline.beam.generation import work
        from pipeline.synthetic.batch_work import drive
        from synthesis.generation_files import (
            Generation,
            assemble,
            open_generation,
            requested_lengths,
        )

    _refuse_candidates(options)
    generation = Generation(
        model=options.model.absolute(),
        corpus=options.corpus.absolute(),
        out=options.output.absolute(),
        count=(options.notes or options.batch) * options.candidates,
        seed=options.seed,
        batch=options.batch,
        decoding=Decoding(
            method=options.method,
            temperature=options.temperature,
            top_p=options.top_p,
            top_k=options.top_k,
            beams=options.beams,
            min_length=options.min_length,
            max_length=options.max_length,
            no_repeat=options.no_repeat,
            masked=not options.unmasked,
            enforced=options.tags == "enforced",
            rounded=options.ending == "sentence",
        ),
        shares=_read_shares(options.shares) if options.shares else None,
        words=options.words,
        chosen=options.notes if options.candidates > 1 else None,
    )
    open_generation(generation)
    if warning := _too_short(requested_lengths(generation), options.max_length):
        console.warn(warning)
    started = monotonic()
    with console.progress() as progress:
        progress.phase("writing")
        fresh = drive(generation, work, rest, options.workers, progress)
        while (more := generation.extended()) != generation:
            generation = more
            fresh |= drive(generation, work, rest, options.workers, progress)
    manifest = assemble(generation, fresh, monotonic() - started)
    return print_manifest(manifest, _summarize(manifest), options, console)


def _refuse_candidates(options: argparse.Namespace) -> None:
    if options.candidates == 1:
        return
    if options.tags == "enforced":
        problem = "has no use where each note has just the entities asked for"
        raise ConfigError("--candidates", problem, "give --tags asked")
    if options.method == "beam" or options.words:
        problem = "chooses so many notes, which --words and beam search leave open"
        raise ConfigError("--candidates", problem, "give --notes and another --method")


def _too_short(lengths: Sequence[int], longest: int) -> str:
    """Say so where the bound on length cuts more than one note in ten."""
    most = lengths[9 * (len(lengths) - 1) // 10]
    if most <= longest:
        return ""
    share = sum(length > longest for length in lengths) / len(lengths)
    return (
        f"{100 * share:.0f} % of the notes asked for are longer than --max-length {longest} leaves "
        f"room for, and will be cut short; --max-length {most} holds nine in ten of them"
    )


def _read_shares(path: Path) -> dict[str, float]:
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError(str(path), "is no TOML file", "write LABEL = 0.2, one a line") from None
    for label, share in table.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or share < 0:
            raise ConfigError(f"{path}: {label}", "is no share", f"write {label} = 0.2")
    if not sum(table.values()):
        raise ConfigError(str(path), "has no label with a share", "write LABEL = 0.2, one a line")
    return {label: float(share) for label, share in table.items()}


def _summarize(manifest: Mapping[str, Any]) -> list[str]:
    """Say in a few lines what came of it."""
    tags = manifest["tags"]
    return [
        f"{manifest['notes']} notes, {manifest['words']} words, {manifest['ids']} ids; "
        f"{manifest['words_per_second']:.0f} words/s, {manifest['ids_per_second']:.0f} ids/s; "
        f"{manifest['dropped']} without entities left out",
        f"tags: {100 * manifest['well_formed']:.2f} % well formed, Jensen-Shannon distance to what "
        f"was asked for {tags['distance']:.4f}, {100 * manifest['as_requested']:.1f} % of notes "
        "just as asked for",
        f"ended by the bound on length: {100 * manifest['cut']:.1f} %, of which half a sentence "
        f"was taken back: {100 * manifest['trimmed']:.1f} %; entities put last for want of room: "
        f"{100 * manifest['hurried']:.1f} %; with fewer entities than asked for: "
        f"{100 * manifest['thinned']:.1f} %; distinct {100 * manifest['distinct']:.1f} %",
    ]
