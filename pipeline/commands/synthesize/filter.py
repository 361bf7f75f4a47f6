"""`cryptonym synthesize filter`: synthetic notes without those that copy a patient's notes."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MANIFEST, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Drops every synthetic note that shares a passage with the notes of a single patient: 8 words in a
row, in small letters and with all numbers alike, unless the notes of 5 other patients have them as
well. Words are compared as they are, and once more without the identifiers. DIR gets the notes that
are left, with a manifest that counts those dropped, and dropped.jsonl, which stays inside.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize filter synthetic corpus -o filtered
  cryptonym synthesize screen filtered corpus -o screened --key master.key
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize filter`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `synthesize generate`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--passage", type=positive, default=8, metavar="N",
        help="words in a row that make a passage, at most 8 (default 8)",
    )  # fmt: skip
    add_output_format(parser, json=MANIFEST)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Filter; returns the exit code."""
    with models_extra("synthesize filter"):
        from pipeline.synthetic.measurements.copy_filter import filter_copies
    with console.progress() as progress:
        manifest = filter_copies(
            options.synthetic, options.corpus, options.output, progress, words=options.passage
        )
    print_json(manifest, options)
    told = manifest["filtered"]
    console.say(
        f"{told['dropped']} of {told['read']} notes dropped ({100 * told['share']:.1f} %), with "
        f"passages of {told['patients']} patients, at most {told['most_of_a_patient']} of one"
    )
    console.say(f"wrote {options.output}; give it to `synthesize screen`: it may not leave yet")
    return EXIT_DONE
