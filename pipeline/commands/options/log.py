"""The option of commands that write a log."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.config.settings import load
from pipeline.night.event_log import EventLog, open_event_log


def add_log(parser: argparse.ArgumentParser) -> None:
    """Add --log."""
    parser.add_argument(
        "--log", metavar="FILE",
        help="event log to append JSON lines to, - for standard error (default: log.file)",
    )  # fmt: skip


@contextmanager
def journal_of(options: argparse.Namespace, command: str) -> Iterator[EventLog]:
    """Open the log that the option names, or the configuration; writes down an error that ends it.

    Raises ConfigError where it cannot be written.
    """
    settings = load(options.config)
    place, base = options.log, Path()
    if place is None:
        place, base = settings.log.file, settings.base
    with open_event_log(place, base) as journal, journal.log_command(command):
        yield journal
