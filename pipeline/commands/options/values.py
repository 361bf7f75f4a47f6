"""Options that several commands share, and checks of single values."""

import argparse
import os
from datetime import date
from pathlib import Path

from pipeline.commands.options.output import MANIFEST, add_output_format

EXITS = """\
exit codes:
  0  done
  1  a quality gate blocked publication: notes are missing, entity counts raised an alarm, or too
     much would be withdrawn
  2  usage or configuration error, or another run holds the lock
  3  completed, but more notes were quarantined than the limit allows
  4  a required service is unavailable (database, document folder, disk space)
"""


def add_out(parser: argparse.ArgumentParser, metavar: str) -> None:
    """Add -o, the file that is written whole or not at all."""
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar=metavar,
        help="output file, written completely or not at all; an existing one is replaced",
    )  # fmt: skip


def add_workers(
    parser: argparse.ArgumentParser,
    *,
    default: int | None = None,
    help: str = "number of worker processes (default: 2, or 1 on a single core)",
) -> None:
    """Add --workers."""
    chosen = min(2, os.cpu_count() or 1) if default is None else default
    parser.add_argument("--workers", type=positive, default=chosen, metavar="N", help=help)


def add_batch_work(parser: argparse.ArgumentParser, what: str, *, by_tokens: bool = False) -> None:
    """Add the options of work in batches, which Beam does where its own options are given.

    `by_tokens` adds --batch-tokens as an alternative to --batch.
    """
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--batch", type=positive, default=32, metavar="N", help=f"batch size in {what} (default 32)"
    )
    if by_tokens:
        size.add_argument(
            "--batch-tokens", type=positive, metavar="N",
            help=f"batches of {what} of like length: number times longest, prompts included, is "
            "at most N tokens",
        )  # fmt: skip
    add(
        "--workers", type=positive, default=1, metavar="N",
        help="number of worker processes (default 1)",
    )  # fmt: skip
    add_output_format(parser, json=MANIFEST)
    parser.set_defaults(takes_beam_options=True)


def positive(text: str) -> int:
    """Read a whole number from 1."""
    number = _whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text}") from None


def natural(text: str) -> int:
    """Read a whole number from 0."""
    number = _whole(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, not {number}")
    return number


def share(text: str) -> float:
    """Read a share from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, not {text}") from None
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, not {number:g}")
    return number


def parse_list(text: str) -> frozenset[str]:
    """Split a list at its commas."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


def day(text: str) -> date:
    """Read a date as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a date such as 2026-12-31, not {text}") from None


def given(*paths: Path | None) -> list[Path]:
    """Leave out the paths of options that were not given."""
    return [path for path in paths if path is not None]
