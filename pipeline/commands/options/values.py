"""Options that several commands share, and checks of single values."""

import argparse
import os
from datetime import date
from pathlib import Path

EXITS = """\
exit codes:
  0  done
  1  finished, but a gate said no: notes missing, or the counts alarm; nothing new was released
  2  usage or configuration error; another run holds the lock
  3  finished, with more notes in quarantine than the limit allows
  4  a needed service could not be reached (database, folder of documents, disk space)
"""


def add_out(parser: argparse.ArgumentParser, metavar: str) -> None:
    """Add -o, the file that is written whole or not at all."""
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar=metavar, help="written whole or not"
    )


def add_speech(parser: argparse.ArgumentParser, *, json: str = "") -> None:
    """Add --plain, and --json with its help where the command reports."""
    if json:
        parser.add_argument("--json", action="store_true", help=json)
    parser.add_argument("--plain", action="store_true", help="plain lines instead of a bar")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add --workers."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=min(2, os.cpu_count() or 1),
        metavar="N",
        help="processes side by side; default: 2, or 1 on a single core",
    )


def add_batch_work(parser: argparse.ArgumentParser, what: str) -> None:
    """Add what work in batches takes, on Beam where its own options are given."""
    add = parser.add_argument
    add("--batch", type=positive, default=32, metavar="N", help=f"{what} side by side; default 32")
    add("--workers", type=positive, default=1, metavar="N", help="processes; default 1")
    add_speech(parser, json="print the manifest as JSON only")
    parser.set_defaults(takes_beam_options=True)


def positive(text: str) -> int:
    """Read a whole number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def natural(text: str) -> int:
    """Read a whole number from 0."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must be at least 0")
    return number


def share(text: str) -> float:
    """Read a share from 0 to 1."""
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError("must be from 0 to 1")
    return number


def day(text: str) -> date:
    """Read a date as YYYY-MM-DD."""
    return date.fromisoformat(text)


def given(*paths: Path | None) -> list[Path]:
    """Leave out the paths of options that were not given."""
    return [path for path in paths if path is not None]


SUMMARY = "print the summary as JSON only"
