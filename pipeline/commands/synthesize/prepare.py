"""`cryptonym synthesize prepare`: a release as a corpus that generators learn from."""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import resolve
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console
from pipeline.synthetic.release import ReleaseLocation, open_release
from record.document import Annotated
from record.errors import ConfigError

DESCRIPTION = """\
Makes a corpus that `synthesize train` learns from: notes with their entities between tags, parted
by patient into train, dev and test (80/10/10). RELEASE is a folder that `cryptonym release` or the
nightly job wrote, or the URL of such a database; it must come with its manifest. Withdrawn
patients are left out. With --inside, files of annotated notes are taken as well: what is learnt
from them holds what they hold, and the manifest of the corpus says so for ever.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize prepare asthma -o corpus
  cryptonym synthesize prepare sqlite:///research.db --manifest report/report.json -o corpus
  cryptonym synthesize prepare notes.jsonl --inside -o corpus

A nightly job's output has no manifest of its own: its report.json proves it.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize prepare`."""
    add = parser.add_argument
    add(
        "release",
        nargs="+",
        metavar="RELEASE",
        help=("release: a folder, a URL, or env:NAME of a URL"),
    )
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add("--manifest", type=Path, metavar="FILE", help="manifest, if not in the folder itself")
    add("--schema", metavar="NAME", help="database schema")
    add("--inside", action="store_true", help="accept annotated files; the corpus must stay inside")
    add(
        "--form", choices=("marked", "benchmark"), default="marked",
        help=("form of the text; benchmark: one word for each entity and one sentence a line, as "
              "in published corpora"),
    )  # fmt: skip
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed for the choice of held-out patients (default 1)"),
    )
    add("--lang", default="", metavar="CODE", help="language of the notes, such as fr")
    add_speech(parser, json="print the manifest of the corpus as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Prepare the corpus; returns the exit code."""
    with models_extra("synthesize prepare"):
        from synthesis.corpus_splitting import SPLITS, split_notes, to_benchmark_form
        from synthesis.markup import encode
        from synthesis.prepared_corpus import save_corpus

    warnings: list[str] = []
    with console.progress() as progress:
        progress.phase("reading")
        notes, origin = _source(options, warnings)
        form = to_benchmark_form if options.form == "benchmark" else encode
        parting = split_notes(notes, seed=options.seed, encode_note=form)
        progress.phase("writing")
        about = {**origin, "form": options.form, "seed": options.seed, "lang": options.lang}
        manifest = save_corpus(parting, options.output, about)
    for warning in warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(manifest, sort_keys=True) + "\n")
    counts = ", ".join(f"{split} {len(parting.part(split))}" for split in SPLITS)
    figures = manifest["benchmark"]
    console.say(f"notes: {counts}")
    console.say(
        f"words: {figures['words']:.0f}, vocabulary {figures['vocabulary']:.0f}, "
        f"unknown of those held out {100 * figures['out_of_vocabulary']:.1f} %"
    )
    for reason, count in sorted(parting.refused.items()):
        console.say(f"left out: {count} {reason}")
    if origin["inside"]:
        console.say("INSIDE: what is made from this corpus must not leave before it is screened")
    console.say(f"wrote {options.output}; give it to `synthesize train`")
    return EXIT_DONE


def _source(
    options: argparse.Namespace, warnings: list[str]
) -> tuple[Iterator[Annotated], Mapping[str, Any]]:
    """Return the notes and where they are from."""
    if options.inside:
        paths = [Path(name) for name in options.release]
        sums = [_digest(path) for path in paths]
        notes = (note for path in paths for note in read_annotated(path, warnings))
        return notes, {"inside": True, "files": sums}
    if len(options.release) > 1:
        raise ConfigError("RELEASE", "is more than one", "give one, or files with --inside")
    where = resolve(options.release[0], os.environ)
    release = open_release(ReleaseLocation(where, options.manifest, options.schema, options.lang))
    return release.notes(), release.origin


def _digest(path: Path) -> str:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    total = hashlib.sha256()
    for file in files:
        if file.is_file():
            total.update(file.read_bytes())
    return total.hexdigest()
