"""Options that name a master key, and the custody beside it."""

import argparse
from pathlib import Path

from pipeline.notes.worker_resources import open_key
from record.errors import ConfigError
from surrogates.keys.custody import Custody, make_folder
from surrogates.keys.keys import MasterKey, custody_of
from surrogates.keys.locators import FILELESS

LOCATORS = """\
LOCATOR is one of: a file, file:PATH, env:NAME, command:'PROGRAM ARGUMENT...' (the key is its
output), aws:SECRET, gcp:projects/P/secrets/S, vault:MOUNT/PATH#FIELD, shares:FILE,FILE (`-` to type
a share). The custody folder FILE.custody beside a key file holds cohort secrets and the usage log;
for any other locator, pass it with --custody. No command prints key material.
"""
"""What the help of every command says that takes a key."""


def add_key(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add --key and --custody."""
    default = None if required else "master.key"
    parser.add_argument(
        "--key", required=required, default=default, metavar="LOCATOR",
        help="master key: FILE, env:NAME, command:PROGRAM, aws:SECRET, gcp:SECRET, vault:PATH or "
        "shares:FILE,FILE" + ("" if required else " (default master.key)"),
    )  # fmt: skip
    parser.add_argument(
        "--custody", type=Path, metavar="DIR",
        help="custody folder of the key (default: FILE.custody)",
    )  # fmt: skip


def open_master(options: argparse.Namespace) -> MasterKey:
    """Open the master key that the options name."""
    custody = None if options.custody is None else options.custody.absolute()
    return open_key(options.key, Path(), custody)


def make_custody(options: argparse.Namespace) -> None:
    """Return a key of an earlier version the folder in which its uses are written down."""
    folder = options.custody
    is_elsewhere = options.key.startswith(FILELESS)
    if folder is None and is_elsewhere:
        raise ConfigError("--custody", "no folder is named", "give --custody DIR")
    if folder is None:
        folder = custody_of(Path(options.key.removeprefix("file:")))
    if folder.exists():
        return
    # Before anything is made: a key with secrets in a folder is refused without it.
    open_key(options.key, Path())
    make_folder(folder)


def custody_of_key(master: MasterKey) -> Custody:
    """Return the custody of a key; raises ConfigError where it has none."""
    if master.custody is None:
        raise ConfigError(
            "--custody",
            "the key has no folder of custody, so no use of it was written down",
            "`cryptonym keys derive` makes the folder; from then on uses are written down",
        )
    return master.custody


def shown(name: str) -> str:
    """Return a name without what steers a terminal."""
    return "".join(char if char.isprintable() else "?" for char in name)
