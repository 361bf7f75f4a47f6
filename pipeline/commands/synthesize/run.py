"""`cryptonym synthesize run`: synthetic notes of a cohort's release, by schedule."""

import argparse
import json
import logging
import os
import sys
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import positive
from pipeline.commands.synthesize.batch_output import show_result
from pipeline.config.settings import load
from pipeline.files.word_lists import word_list
from pipeline.reports.console import Console

DESCRIPTION = """\
Makes synthetic notes of the release of a cohort, as [synthesis] of the configuration says: prepares
a corpus, trains a generator, generates, drops copies, screens, measures, and decides. Notes that
may leave are published; any other verdict publishes nothing. A stage whose inputs have not changed
is not repeated, and an interrupted one resumes, so that the command can run after every release.
"""
EXAMPLES = """\
examples:
  cryptonym release nightly.toml --cohort study
  cryptonym synthesize run nightly.toml

Exit codes: 0 published, or published already; 1 HOLD; 2 usage or configuration error; 4 a service
is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize run`."""
    parser.add_argument(
        "config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job"
    )
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N",
        help="number of worker processes for generation (default 1)",
    )  # fmt: skip
    add_log(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Run every stage; returns the exit code."""
    with models_extra("synthesize run"):
        from pipeline.beam.generation import work
        from pipeline.synthetic.schedule.scheduled_run import SynthesisRequest, run_synthesis
    asked = load(options.config).synthesis
    is_word = None
    if asked is not None and asked.words is not None:
        beside = options.config.parent / asked.words
        is_word = word_list(str(beside) if beside.is_file() else asked.words)
    request = SynthesisRequest(options.config, os.environ, options.workers, is_word)
    with journal_of(options, "synthesize run") as journal, console.progress() as shown:
        result = run_synthesis(request, work, journal.wrap_progress(shown), console.warn)
        level = logging.WARNING if result.exit_code else logging.INFO
        journal.write(
            "synthesis ended", level, verdict=result.verdict, exit_code=result.exit_code,
            changed=result.is_changed, reasons=len(result.reasons), **result.counts,
        )  # fmt: skip
    if options.json:
        sys.stdout.write(json.dumps(result.to_json(), sort_keys=True) + "\n")
    show_result(result, console)
    return result.exit_code
