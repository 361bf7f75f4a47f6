"""`cryptonym keys destroy`."""

import argparse
import sys
from dataclasses import asdict

from pipeline.commands.options.keys import LOCATORS, add_key, make_custody, open_master
from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Permanently destroys the secret of a cohort: nothing can be released under it again.
"""
EXAMPLES = f"""\
example:
  cryptonym keys destroy --key master.key --cohort research

{LOCATORS}See docs/operations.md for what destruction does not cover.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys destroy`."""
    parser.add_argument("--cohort", required=True, metavar="NAME", help="cohort to destroy")
    parser.add_argument(
        "--retire", action="store_true",
        help="retirement of a cohort that has no secret of its own: it is refused from now on, but "
        "the master key could still derive it",
    )  # fmt: skip
    add_key(parser)
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Destroy the secret of a cohort; returns the exit code."""
    make_custody(options)
    master = open_master(options)
    if sys.stdin.isatty() and not options.json:
        console.say("this cannot be undone; type the name of the cohort to go on:")
        if input() != options.cohort:
            raise ConfigError(
                "--cohort",
                "another name was typed, nothing was destroyed",
                "type the name of the cohort",
            )
    entry = master.destroy(options.cohort, retire=options.retire)
    print_json(asdict(entry), options)
    if entry.own_secret:
        console.say(f"destroyed the secret of the cohort key {entry.key_id}")
        console.say("copies of it in backups, snapshots or on worn flash memory are not reached:")
        console.say("destroy those too, and the cohort's state database; see docs/operations.md")
    else:
        console.say(f"retired the cohort key {entry.key_id}: it is refused from now on")
        console.say("it is NOT destroyed: whoever has the master key can still derive it")
    return EXIT_DONE
