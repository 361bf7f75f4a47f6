"""`cryptonym keys log`."""

import argparse
from dataclasses import asdict

from pipeline.commands.options.keys import LOCATORS, add_key, custody_of_key, open_master, shown
from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.reports.console import Console
from surrogates.keys.usage_log import KeyUse

DESCRIPTION = """\
Prints every use of a key and checks the integrity of the log.
"""
EXAMPLES = f"""\
example:
  cryptonym keys log --key master.key --verify

{LOCATORS}"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys log`."""
    parser.add_argument(
        "--verify",
        action="store_true",
        help="integrity check; exit code 1 if lines were removed or altered",
    )
    parser.add_argument("--noted", metavar="HASH", help="hash of a line that must still be present")
    add_key(parser)
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Print and verify the log; returns the exit code."""
    custody = custody_of_key(open_master(options))
    is_checked = options.verify or options.noted is not None
    with custody.locked():
        uses, last = custody.log.uses(), custody.log.last()
        problems = custody.log.problems(options.noted) if is_checked else []
    content = {"uses": [asdict(use) for use in uses], "last": last}
    print_json(content | ({"problems": problems} if is_checked else {}), options)
    if not is_checked:
        for use in uses:
            console.say(_describe(use))
    for problem in problems:
        console.error(f"key log: {problem}")
    console.say(f"{len(uses)} uses; hash of the last line: {last}")
    return EXIT_GATE if problems else EXIT_DONE


def _describe(use: KeyUse) -> str:
    cohort = "" if use.cohort is None else f"  {shown(use.cohort)}"
    reason = "" if use.reason is None else f"  ({shown(use.reason)})"
    entry = f"{use.number:>6}  {use.time}  {use.action:<8}{use.key_id}  user {use.user}"
    return entry + cohort + reason
