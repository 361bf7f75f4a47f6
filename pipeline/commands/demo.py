"""`cryptonym demo`: a fictional hospital, and a night in it."""

import argparse
from pathlib import Path

from models.tagger.shipped_model import DEFAULT
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import add_workers, positive
from pipeline.commands.run import report_run
from pipeline.night.demo import DemoOptions, format_note_comparison, make_demo, score_demo
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import run_in_workers
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.reports.console import Console
from record.languages import LANGUAGES

DESCRIPTION = """\
Creates a fictional hospital in DIR (database, PDFs, gold annotations, configuration, key), runs the
nightly job on it and shows one note before and after.
"""
EXAMPLES = """\
example:
  cryptonym demo demo-hospital --patients 50 --lang en
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo`."""
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="new or empty folder")
    add(
        "--patients", type=positive, default=60, metavar="N",
        help="number of patients (default 60)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add(
        "--lang", choices=LANGUAGES, default="fr",
        help="language of the notes (default fr)",
    )  # fmt: skip
    add(
        "--model", default=DEFAULT, metavar="DIR",
        help="tagger folder written by `train`, `default` for the bundled tagger, or `none`",
    )  # fmt: skip
    add_workers(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Make the hospital and run the nightly job; returns the job's exit code."""
    fiction = DemoOptions(
        options.folder, options.patients, options.seed, options.lang, options.model
    )
    with console.progress() as progress:
        config = make_demo(fiction, progress, processes=options.workers)
        ended = run_nightly(
            config, run_in_workers, workers=options.workers, progress=progress, gate=Gate(judge)
        )
    report_run(ended, options, console)
    if not options.json:
        console.say(format_note_comparison(config))
        console.say(score_demo(config))
    return ended.exit_code
