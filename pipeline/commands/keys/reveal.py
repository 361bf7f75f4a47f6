"""`cryptonym keys reveal`."""

import argparse
from pathlib import Path

from pipeline.commands.options.keys import LOCATORS, add_key, custody_of_key, open_master
from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.notes.worker_resources import open_vault
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Re-identifies one person of a cohort from the vault of a release. Requires the master key and the
key of the vault; who asked, for whom and why is logged before the answer is shown.
"""
EXAMPLES = f"""\
example:
  cryptonym keys reveal --key master.key --cohort research --person 4412903877 \\
      --vault persons.vault --vault-key vault.key --reason "incidental finding, board 2026-12"

{LOCATORS}Releases are irreversible without a vault, which is the default.
"""
_LONGEST = 200


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys reveal`."""
    add = parser.add_argument
    add("--cohort", required=True, metavar="NAME", help="cohort of the release")
    add("--person", required=True, metavar="ID", help="person_id in the release")
    add("--vault", type=Path, required=True, metavar="FILE", help="vault of the release")
    add(
        "--vault-key", required=True, metavar="LOCATOR",
        help="key of the vault, which is not the master key",
    )  # fmt: skip
    add("--reason", required=True, metavar="TEXT", help="reason, recorded in the usage log")
    add_key(parser)
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Re-identify a person; returns the exit code."""
    reason = " ".join(options.reason.split())
    if not 1 <= len(reason) <= _LONGEST or not reason.isprintable():
        problem = f"must be 1 to {_LONGEST} printable characters, not {len(reason)}"
        raise ConfigError("--reason", problem, "give the reason in one sentence")
    if not options.vault.exists():
        raise ConfigError("--vault", f"no such file: {options.vault}", "name the file of the vault")
    vault = open_vault(options.vault, options.vault_key, Path())
    vault.check()
    master = open_master(options)
    # Nothing is revealed where the use cannot be logged.
    custody_of_key(master)
    logged = f"person {options.person}: {reason}"
    cohort = master.cohort(options.cohort, action="reveal", reason=logged, make=False)
    found = vault.reveal(cohort, options.person)
    print_json({"cohort": options.cohort, "person": options.person, "person_id": found}, options)
    console.say(found)
    return EXIT_DONE
