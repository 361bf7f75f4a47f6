"""`cryptonym keys split`."""

import argparse
import os
from pathlib import Path

from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError
from surrogates.keys import secret_sharing
from surrogates.keys.locators import read_key, write_private

DESCRIPTION = """\
Splits a key into shares for several persons (Shamir's secret sharing): a threshold of shares opens
it, fewer reveal nothing.
"""
EXAMPLES = """\
examples:
  cryptonym keys split master.key --shares 3 --threshold 2 -o shares
  cryptonym keys derive --key shares:shares/share-1,shares/share-3 --custody master.key.custody
  cryptonym keys derive --key shares:shares/share-1,- --custody master.key.custody

Shares are SLIP-39 mnemonics of 33 words. Give each to one person, test the threshold, then destroy
the key file: whoever holds it needs no shares. The folder FILE.custody remains unchanged.
"""
_FOLDER = 0o700


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `keys split`."""
    add = parser.add_argument
    add("key", metavar="KEY", help="file of a master key or vault key")
    add("--shares", type=positive, required=True, metavar="N", help="number of shares, at most 16")
    add(
        "--threshold", type=positive, required=True, metavar="K",
        help="number of shares needed to open the key",
    )  # fmt: skip
    add("-o", "--out", type=Path, required=True, metavar="DIR", help="new output folder")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Split a key; returns the exit code."""
    locator = options.key if options.key.startswith("file:") else f"file:{options.key}"
    content, place = read_key(locator, Path(), {})
    shares = secret_sharing.split(
        content, shares=options.shares, threshold=options.threshold, place=place
    )
    try:
        options.out.mkdir(mode=_FOLDER)
        paths = [options.out / f"share-{number}" for number in range(1, len(shares) + 1)]
        for path, share in zip(paths, shares, strict=True):
            write_private(path, share)
    except OSError as error:
        problem = f"{options.out} cannot be written ({error.strerror})"
        raise ConfigError("-o", problem, "name a folder that is not there yet") from None
    console.say(f"wrote {len(shares)} shares to {options.out}{os.sep}share-N (mode 600);")
    console.say(f"{options.threshold} of them open the key: shares:FILE,FILE")
    console.say("give each to one person, try them, then destroy the key file and its copies")
    return EXIT_DONE
