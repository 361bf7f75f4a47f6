"""`cryptonym synthesize demo`: synthetic notes of a hospital of register notes, with verdicts."""

import argparse
import json
import sys
from pathlib import Path

from models.tagger.shipped_model import DEFAULT
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import add_workers, positive
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.night.demo import DemoOptions, make_register_demo
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import run_in_workers
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from pipeline.reports.console import Console
from record.languages import LANGUAGES

DESCRIPTION = """\
Makes a hospital of register notes in DIR, which many authors wrote without templates, runs the
nightly job on it and releases it. Letters are then masked and filled twice: with words drawn from
many, and with the likeliest words. Both are filtered, measured and judged: two verdicts of the
gate, with their reasons. No requirement is weaker than elsewhere, so that RELEASE is not promised.
Needs a checkout: an installation has no register notes.
"""
EXAMPLES = """\
example:
  cryptonym synthesize demo demo-letters --workers 2

Exit codes: 0 the letters with drawn words may leave; 1 HOLD; 2 usage or configuration error.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize demo`."""
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="new or empty folder")
    add(
        "--lang", choices=LANGUAGES, default="en",
        help="language of the notes (default en)",
    )  # fmt: skip
    add(
        "--patients", type=positive, metavar="N",
        help="maximum number of patients, one for each note (default: all notes)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add(
        "--epochs", type=positive, metavar="N",
        help="maximum number of epochs of each tagger that measures the utility (default 6)",
    )  # fmt: skip
    add(
        "--model", default=DEFAULT, metavar="DIR",
        help="tagger folder written by `train`, `default` for the bundled tagger, or `none`",
    )  # fmt: skip
    add_workers(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Make the hospital and judge the letters; returns the exit code."""
    with models_extra("synthesize demo"):
        from pipeline.beam.filling import work
        from pipeline.synthetic.schedule.register_demo import (
            COHORT,
            DemoSteps,
            RegisterDemoRequest,
        )
    fiction = DemoOptions(options.folder, seed=options.seed, lang=options.lang, model=options.model)
    with console.progress() as progress:
        config = make_register_demo(fiction, progress, most=options.patients)
        ended = run_nightly(
            config, run_in_workers, workers=options.workers, progress=progress, gate=Gate(judge)
        )
        if ended.exit_code:
            return ended.exit_code
        released = run_release(ReleaseRequest(config, COHORT, spans=True), progress)
        if released.exit_code:
            return released.exit_code
        request = RegisterDemoRequest(
            config, options.lang, options.seed, options.epochs, options.workers
        )
        judged = list(DemoSteps(request, work, progress).run())
    if options.json:
        summary = {
            each.case.name: {
                "verdict": each.judged.verdict,
                "reasons": list(each.judged.decision.reasons),
                "seconds": dict(each.seconds),
            }
            for each in judged
        }
        sys.stdout.write(json.dumps(summary, sort_keys=True) + "\n")
    for each in judged:
        console.say(f"\n{each.case.name}, of a demonstration:")
        console.say(each.judged.verdict)
        for reason in each.judged.decision.reasons:
            console.say(f"  {reason}")
        took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in each.seconds.items())
        console.say(f"{took}; report: {each.report}")
    return EXIT_DONE if judged[0].judged.is_passed else EXIT_GATE
