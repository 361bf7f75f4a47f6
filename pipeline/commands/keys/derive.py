"""`cryptonym keys derive`."""

import argparse
from dataclasses import asdict

from pipeline.commands.options.keys import (
    LOCATORS,
    add_key,
    custody_of_key,
    make_custody,
    open_master,
    shown,
)
from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Prints key ids, never key material: of one cohort, created if it is new, or of all cohorts.
"""
EXAMPLES = f"""\
example:
  cryptonym keys derive --key master.key --cohort research

{LOCATORS}"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys derive`."""
    parser.add_argument(
        "--cohort", metavar="NAME", help="cohort, created if new (default: list all)"
    )
    add_key(parser)
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Print key ids; returns the exit code."""
    make_custody(options)
    master = open_master(options)
    custody = custody_of_key(master)
    if options.cohort is not None:
        key = master.cohort(options.cohort, action="derive")
        found = [entry for entry in custody.entries() if entry.key_id == key.key_id]
    else:
        with custody.locked():
            found = custody.entries()
    content = {"master_key_id": master.key_id, "cohorts": [asdict(entry) for entry in found]}
    print_json(content, options)
    console.say(f"master key {master.key_id}")
    for entry in found:
        kind = "own secret" if entry.own_secret else "derived from the master key alone"
        state = f"destroyed at {entry.destroyed}" if entry.destroyed else kind
        console.say(f"cohort key {entry.key_id}  {shown(entry.name)}  ({state})")
    return EXIT_DONE
