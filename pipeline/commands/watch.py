"""`cryptonym watch`: the nightly job, continuously."""

import argparse
from contextlib import closing
from pathlib import Path

from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import positive
from pipeline.commands.run import report_quality
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.night.nightly import NightlyResult
from pipeline.night.stop_signals import catch_stop_signals
from pipeline.night.supervisor import run_in_workers as spawned
from pipeline.night.watch import InProcessRunner, Watcher, WatchOptions
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.reports.console import Console

DESCRIPTION = """\
Polls for new notes and releases them in small, complete batches: nothing from a batch is released
before all of it is accounted for. At start and every --sweep seconds, a full run looks for changed
or deleted notes. On SIGTERM or an interrupt, the current batch is completed, then the program exits
with code 0.
"""
EXAMPLES = """\
examples:
  cryptonym watch nightly.toml
  cryptonym watch nightly.toml --interval 10 --max-notes 200 --sweep 21600 --log watch.jsonl

Exit codes: 0 stopped on request; 1 a quality gate blocked publication; 2 usage or configuration
error; 4 a required service was unavailable for longer than --patience.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `watch`."""
    add = parser.add_argument
    default = WatchOptions(Path())
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "--interval", type=seconds, default=default.interval, metavar="S",
        help="seconds between polls for new notes (default 60)",
    )  # fmt: skip
    add(
        "--max-notes", type=positive, default=default.max_notes, metavar="N",
        help="approximate maximum number of new notes per batch (default 500)",
    )  # fmt: skip
    add(
        "--sweep", type=seconds, default=default.sweep, metavar="S",
        help="seconds between full runs (default 86400)",
    )  # fmt: skip
    add(
        "--patience", type=seconds, default=default.patience, metavar="S",
        help="seconds to wait for an unavailable service (default 3600)",
    )  # fmt: skip
    add(
        "--workers", type=positive, default=1, metavar="N",
        help="number of worker processes per batch (default 1: this process)",
    )  # fmt: skip
    add_log(parser)
    add_output_format(parser)


def seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be greater than 0")
    return number


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Run until asked to stop; returns the exit code."""
    vigil = WatchOptions(
        config=options.config,
        interval=options.interval,
        max_notes=options.max_notes,
        sweep=options.sweep,
        patience=options.patience,
        workers=options.workers,
    )

    def report(ended: NightlyResult) -> None:
        console.summary(ended.summary, resumed=ended.resumed)
        report_quality(ended, console)

    with (
        journal_of(options, "watch") as journal,
        catch_stop_signals() as stop,
        closing(InProcessRunner()) as resident,
        console.progress() as shown,
    ):
        drive = resident if vigil.workers == 1 else spawned
        Watcher(vigil, drive, stop, journal, report, shown, gate=Gate(judge)).run()
    console.say("stopped")
    return EXIT_DONE
