"""`cryptonym synthesize prepare`: a release as a corpus that generators learn from."""

import argparse
import os
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MANIFEST, add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Prepares a corpus for `synthesize train`: notes with their entities between tags, split by patient
into train, dev and test (80/10/10). RELEASE is a folder that `cryptonym release` or the nightly job
wrote, or the URL of such a database; it must come with its manifest. Withdrawn patients are left
out. With --inside, RELEASE is files of annotated notes instead: whatever learns from them may hold
what they hold, which the manifest of the corpus records for good.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize prepare asthma -o corpus
  cryptonym synthesize prepare sqlite:///research.db --manifest report/report.json -o corpus
  cryptonym synthesize prepare notes.jsonl --inside -o corpus

The output of a nightly job has no manifest of its own: use its report.json.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize prepare`."""
    add = parser.add_argument
    add(
        "release", nargs="+", metavar="RELEASE",
        help="release: a folder, a URL, or env:NAME or file:PATH of a URL",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--manifest", type=Path, metavar="FILE",
        help="manifest of the release (default: the one in its folder)",
    )  # fmt: skip
    add("--schema", metavar="NAME", help="database schema of the release")
    add(
        "--inside", action="store_true",
        help="files of annotated notes instead of a release; the corpus must stay inside",
    )  # fmt: skip
    add(
        "--form", choices=("marked", "benchmark"), default="marked",
        help="form of the text: marked (default) has entities between tags; benchmark has one word "
        "for each entity and one sentence per line, as in published corpora",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the choice of held-out patients (default 1)",
    )  # fmt: skip
    add("--lang", default="", metavar="CODE", help="language of the notes, such as fr")
    add_output_format(parser, json=MANIFEST)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Prepare the corpus; returns the exit code."""
    with models_extra("synthesize prepare"):
        from pipeline.synthetic.corpus_preparation import CorpusRequest, prepare_corpus
        from synthesis.corpus_splitting import SPLITS
    request = CorpusRequest(
        sources=options.release,
        out=options.output,
        manifest=options.manifest,
        schema=options.schema,
        inside=options.inside,
        form=options.form,
        seed=options.seed,
        lang=options.lang,
    )
    with console.progress() as progress:
        prepared = prepare_corpus(request, os.environ, progress)
    for warning in prepared.warnings:
        console.warn(warning)
    print_json(prepared.manifest, options)
    counts = ", ".join(f"{split} {len(prepared.parting.part(split))}" for split in SPLITS)
    figures = prepared.manifest["benchmark"]
    console.say(f"notes: {counts}")
    console.say(
        f"words: {figures['words']:.0f}, vocabulary {figures['vocabulary']:.0f}, "
        f"unknown words in held-out notes {100 * figures['out_of_vocabulary']:.1f} %"
    )
    for reason, count in sorted(prepared.parting.refused.items()):
        console.say(f"left out: {count} {reason}")
    if options.inside:
        console.say("INSIDE: what is made from this corpus must not leave before it is screened")
    console.say(f"wrote {options.output}; give it to `synthesize train`")
    return EXIT_DONE
