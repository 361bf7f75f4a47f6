"""`cryptonym audit sample`: notes drawn at random for people to review."""

import argparse
import json
import secrets
import sys
from dataclasses import asdict

from pipeline.audit.formats import FORMATS
from pipeline.audit.review import SampleRequest, make_sample
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.sampling import add_sampling
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.reports.console import Console

DESCRIPTION = """\
Draws a random sample of released notes, stratified by kind, and writes it with the detected spans
for annotators to correct. The files hold the ORIGINAL text, which is what must be reviewed: they
are personal data (mode 600) and belong where the source is. Seed, ids and date of the sample are
stored.
"""
EXAMPLES = """\
examples:
  cryptonym audit sample nightly.toml --per-kind 50 --format brat -o audit-2025-06
  cryptonym audit sample nightly.toml --per-kind 30 --format label-studio -o audit --seed 7

Exit codes: 0 done; 2 usage or configuration error, or a run holds the lock; 4 a required service is
unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `audit sample`."""
    add_sampling(parser)
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Draw a sample; returns the exit code."""
    seed = secrets.token_hex(8) if options.seed is None else options.seed
    request = SampleRequest(options.per_kind, seed, options.format, options.output)
    with console.progress() as progress:
        # All of it happens in this process: no traceback may quote a note.
        sample = drop_error_texts(lambda: make_sample(load(options.config), request, progress))
    if options.json:
        sys.stdout.write(json.dumps(asdict(sample), sort_keys=True, default=str) + "\n")
    for kind, counts in sample.strata.items():
        console.say(f"{kind}: {counts['read']} of {counts['population']} released notes")
    if lost := sum(counts["drawn"] - counts["read"] for counts in sample.strata.values()):
        console.warn(f"{lost} drawn notes have changed since the last run, and are not in it")
    console.say(f"a note counts once its reader marked it: {FORMATS[options.format].how_to_mark}")
    console.say(f"sample {sample.sample_id}, seed {sample.seed}: {options.output}")
    console.warn(f"{options.output} holds original text: keep it where the source is, then delete")
    return EXIT_DONE
