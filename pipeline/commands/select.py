"""`cryptonym select`: selection of rules on annotated notes."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import add_out, given, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.files.gold import read_label_map
from pipeline.files.output_files import check_output_path
from pipeline.files.rule_selection import MAX_LOSS, TOLERANCE
from pipeline.files.rule_trial import (
    SelectionTrial,
    format_selection,
    select_rules,
    write_selection,
)
from pipeline.reports.console import Console
from record.languages import LANGUAGES

DESCRIPTION = """\
Runs every rule on gold notes and writes a rule selection without those that do harm.
"""
EXAMPLES = """\
examples:
  cryptonym select dev.jsonl -o selection.toml
  cryptonym select dev.jsonl -o selection.toml --patients patients.jsonl --model-spans model.jsonl
  cryptonym detect notes.jsonl -o found.jsonl --selection selection.toml

A rule is a family and a label, such as rules.names:FIRST_NAME. It is left out where adding it to
everything else lowers precision by more than --tolerance and without it redaction does not fall
by more than --max-loss. Rules of labels that no gold span has take part. Choose on notes that you
do not score on afterwards.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `select`."""
    add = parser.add_argument
    add("gold", type=Path, metavar="GOLD", help="gold notes, in any format `evaluate` reads")
    add_out(parser, "SELECTION.toml")
    add("--patients", type=Path, metavar="P.jsonl", help="known identifiers of the patients")
    add(
        "--model-spans",
        type=Path,
        metavar="PRED",
        help="spans that a model predicted in the same notes",
    )
    add(
        "--label-map",
        type=Path,
        metavar="M.toml",
        help="TOML file that renames labels of gold notes and rules",
    )
    add(
        "--tolerance", type=share, default=TOLERANCE, metavar="S",
        help=f"maximum precision loss of a rule (default {TOLERANCE})",
    )  # fmt: skip
    add(
        "--max-loss", type=share, default=MAX_LOSS, metavar="S",
        help=f"maximum redaction loss without a rule (default {MAX_LOSS})",
    )  # fmt: skip
    add(
        "--lang", choices=LANGUAGES, default="",
        help="language of notes without a `lang` key (default: identified from the text)",
    )  # fmt: skip
    add_output_format(parser, json="JSON selection only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Choose; returns the exit code."""
    trial = SelectionTrial(
        options.gold,
        options.patients,
        options.model_spans,
        read_label_map(options.label_map) if options.label_map else {},
        options.lang,
        options.tolerance,
        options.max_loss,
    )
    inputs = given(options.gold, options.patients, options.model_spans, options.label_map)
    check_output_path(options.output, inputs)
    warnings: list[str] = []
    with console.progress() as progress:
        selection = select_rules(trial, progress, warnings)
    write_selection(options.output, selection)
    for warning in warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(asdict(selection), sort_keys=True) + "\n")
    else:
        console.say(format_selection(selection))
        console.say(f"wrote {options.output}; give it to `detect` as --selection")
    return EXIT_DONE
