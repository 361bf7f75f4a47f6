"""`cryptonym keys rotate`."""

import argparse
from pathlib import Path

from pipeline.commands.options.keys import LOCATORS, add_key, make_custody, open_master
from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from surrogates.keys.keys import custody_of, load_master, new_master

DESCRIPTION = """\
Creates a new master key for all future cohorts. The old key remains in use for its existing
cohorts, so that their releases stay valid and can be updated.
"""
EXAMPLES = f"""\
example:
  cryptonym keys rotate --key master.key master-2026.key

{LOCATORS}See docs/operations.md for what else has to change.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys rotate`."""
    parser.add_argument("file", type=Path, metavar="NEW", help="new key file")
    add_key(parser)
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Create the next master key; returns the exit code."""
    make_custody(options)
    old = open_master(options)
    new_master(options.file)
    new = load_master(f"file:{options.file.absolute()}", Path())
    old.rotate(new.key_id)
    print_json({"old_key_id": old.key_id, "new_key_id": new.key_id}, options)
    console.say(f"wrote the new master key {new.key_id} to {options.file} (mode 600), and the")
    console.say(f"folder {custody_of(options.file)}; keep a copy of both offline")
    console.say(f"the old key {old.key_id} makes no new cohorts any more; keep it for those it has")
    console.say("a nightly job under the new key needs an output and a state of its own")
    return EXIT_DONE
