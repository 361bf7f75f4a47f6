"""`cryptonym synthesize generate`: synthetic notes with their entities."""

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

from pipeline.commands.needs import models_extra
from pipeline.commands.options import add_speech, positive
from pipeline.console import Console
from pipeline.exits import EXIT_DONE
from pipeline.progress import Progress
from record.errors import ConfigError, Unavailable

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

A file for --shares has lines such as  PHONE = 0.2 ; the labels of a note's entities are then drawn
by these shares. --tags asked leaves it to the model whether it does as asked. Synthetic notes are
not released by this: screen them first.
"""

_POLL_SECONDS = 0.5


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize generate`."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="what `synthesize train` wrote")
    add("corpus", type=Path, metavar="CORPUS", help="what `synthesize prepare` wrote")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="a new folder")
    add("--notes", type=positive, required=True, metavar="N", help="how many to write")
    add("--seed", type=int, default=1, metavar="S", help="another one gives other notes; default 1")
    add(
        "--method", default="nucleus", metavar="M",
        help="nucleus (default), sample, top-k, greedy, beam",
    )  # fmt: skip
    add("--temperature", type=float, default=1.0, metavar="T", help="default 1")
    add("--top-p", type=float, default=0.95, metavar="P", help="of nucleus; default 0.95")
    add("--top-k", type=int, default=50, metavar="K", help="of top-k; default 50")
    add("--beams", type=int, default=5, metavar="N", help="of beam; default 5")
    add("--min-length", type=int, default=50, metavar="N", help="ids of a note; default 50")
    add("--max-length", type=int, default=400, metavar="N", help="ids of a note; default 400")
    add("--no-repeat", type=int, default=0, metavar="N", help="no run of N ids twice; default: any")
    add(
        "--tags", choices=("enforced", "asked"), default="enforced",
        help="enforced (default): a note has just the entities asked for where there is room",
    )  # fmt: skip
    add("--unmasked", action="store_true", help="let tags come as they like, to compare")
    add("--shares", type=Path, metavar="FILE.toml", help="of labels; default: as in the corpus")
    add("--batch", type=positive, default=32, metavar="N", help="notes side by side; default 32")
    add("--workers", type=positive, default=1, metavar="N", help="processes; default 1")
    add_speech(parser, json="print the manifest as JSON only")
    parser.set_defaults(takes_beam_options=True)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Write the notes; gives the exit code."""
    with models_extra("synthesize generate"):
        from models.language.decoding import Decoding
        from synthesis.parts import Generation, claim, put_together

    generation = Generation(
        model=options.model.absolute(),
        corpus=options.corpus.absolute(),
        out=options.output.absolute(),
        count=options.notes,
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
        ),
        shares=_read_shares(options.shares) if options.shares else None,
    )
    claim(generation)
    fresh = generation.pending()
    started = monotonic()
    with console.progress() as progress:
        progress.phase("writing")
        _drive(generation, fresh, rest, options.workers, progress)
    manifest = put_together(generation, frozenset(fresh), monotonic() - started)
    if options.json:
        sys.stdout.write(json.dumps(manifest, sort_keys=True) + "\n")
    for line in _told(manifest):
        console.say(line)
    console.say(f"wrote {options.output}; it is not screened yet")
    return EXIT_DONE


def _drive(
    generation: Any, fresh: Sequence[int], rest: list[str], workers: int, progress: Progress
) -> None:
    """Write what is pending, in this process or in several; tells of progress by what is there."""
    # Beam is heavy and only needed here.
    from pipeline.beam.generation import work
    from synthesis.parts import units_of

    if not fresh:
        return
    count = 1 if rest else min(workers, len(fresh))
    with _pool(count) as pool:
        shares = [units_of(fresh, number, count) for number in range(count)]
        futures: list[Future[None]] = [pool.submit(work, generation, s, rest) for s in shares]
        going = set(futures)
        while going:
            _, going = wait(going, timeout=_POLL_SECONDS)
            done = len(generation.units) - len(generation.pending())
            progress.advance(min(generation.count, done * generation.batch), generation.count)
        try:
            for future in futures:
                future.result()
        except BrokenProcessPool:
            problem, remedy = "ended before its work was done", "run again: what is done stays"
            raise Unavailable("a worker", problem, remedy) from None


def _pool(count: int) -> Executor:
    if count == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


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


def _told(manifest: Mapping[str, Any]) -> list[str]:
    """Say in a few lines what came of it."""
    tags = manifest["tags"]
    return [
        f"{manifest['notes']} notes, {manifest['ids']} ids, "
        f"{manifest['ids_per_second']:.0f} ids/s; {manifest['dropped']} without entities left out",
        f"tags: {100 * manifest['well_formed']:.2f} % well formed, Jensen-Shannon distance to what "
        f"was asked for {tags['distance']:.4f}, {100 * manifest['as_requested']:.1f} % of notes "
        "just as asked for",
        f"ended by the bound on length: {100 * manifest['cut']:.1f} %; entities put last for want "
        f"of room: {100 * manifest['hurried']:.1f} %; distinct {100 * manifest['distinct']:.1f} %",
    ]
