"""`cryptonym keys new`."""

import argparse
from pathlib import Path

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from surrogates.keys.keys import custody_of, new_master
from surrogates.keys.vault import new_vault_key

DESCRIPTION = """\
Creates a master key and, beside it, the custody folder for cohort secrets and the usage log.
"""
EXAMPLES = """\
examples:
  cryptonym keys new master.key
  cryptonym keys new vault.key --vault
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys new`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="new key file")
    parser.add_argument(
        "--vault", action="store_true",
        help="key of a re-identification vault instead of a master key",
    )  # fmt: skip


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Create a key; returns the exit code."""
    if options.vault:
        new_vault_key(options.file)
        console.say(f"wrote the key of a vault to {options.file} (mode 600);")
        console.say("give it to another person than the one who has the master key")
        return EXIT_DONE
    new_master(options.file)
    console.say(f"wrote a new master key to {options.file} (mode 600), and the folder")
    console.say(f"{custody_of(options.file)} for secrets of cohorts and the log of uses;")
    console.say("keep a copy of both offline, and renew it after each new cohort:")
    console.say("whoever has them can link every cohort, and without them no release can go on")
    return EXIT_DONE
