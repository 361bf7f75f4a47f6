"""`cryptonym synthesize filter`: synthetic notes without copies, and without wrong annotations."""

import argparse
from pathlib import Path

from models.tagger.shipped_model import DEFAULT
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MANIFEST, add_output_format, print_json
from pipeline.commands.options.values import positive, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

_AGREEMENT = 0.5

DESCRIPTION = """\
Drops every synthetic note that shares a passage with the notes of a single patient: 8 words in a
row, in small letters and with all numbers alike, unless the notes of 5 other patients have them as
well. Words are compared as they are, and once more without the identifiers. DIR gets the notes that
are left, with a manifest that counts those dropped, and dropped.jsonl, which stays inside.

With --agreement also every note whose annotations are not what rules and a tagger find in it, by
the F1 of the letters and digits covered, whatever their labels. disagreeing.jsonl holds these.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize filter synthetic corpus -o filtered --agreement
  cryptonym synthesize filter synthetic corpus -o filtered --agreement 0.7 --model tagger
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
    add(
        "--agreement", type=share, nargs="?", const=_AGREEMENT, metavar="F1",
        help="also drop notes whose annotations agree with what is detected by less than this, at "
        f"least {_AGREEMENT:g} (default where no number is given: {_AGREEMENT:g})",
    )  # fmt: skip
    add(
        "--model", metavar="DIR",
        help="with --agreement, tagger beside rules: a folder written by `train`, `default` for "
        "the bundled tagger, or `none` (default: default)",
    )  # fmt: skip
    add_output_format(parser, json=MANIFEST)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Filter; returns the exit code."""
    if options.model and options.agreement is None:
        raise ConfigError("--model", "not used without --agreement", "add --agreement")
    with models_extra("synthesize filter"):
        from pipeline.synthetic.measurements.copy_filter import FilterRules, filter_copies
        from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS, AgreementRule
    agreement = None
    if options.agreement is not None:
        agreement = AgreementRule(options.agreement, options.model or DEFAULT)
    rules = FilterRules(options.passage, agreement)
    with console.progress() as progress:
        manifest = filter_copies(
            options.synthetic, options.corpus, options.output, progress, rules=rules
        )
    print_json(manifest, options)
    told = manifest["filtered"]
    console.say(
        f"{told['dropped']} of {told['read']} notes dropped ({100 * told['share']:.1f} %), with "
        f"passages of {told['patients']} patients, at most {told['most_of_a_patient']} of one"
    )
    if agreed := told.get(AGREEMENT_COUNTS):
        console.say(
            f"{agreed['dropped']} of {agreed['compared']} others dropped "
            f"({100 * agreed['share']:.1f} %), whose annotations are not what is detected (F1 "
            f"below {agreed['least']:g}; mean of all {agreed['mean']:.3f})"
        )
        for name, each in agreed["labels"].items():
            console.say(f"  {name:<14}F1 {each['f1']:.3f}, {each['written']} characters annotated")
    console.say(f"wrote {options.output}; give it to `synthesize screen`: it may not leave yet")
    return EXIT_DONE
