"""`cryptonym watch`: the nightly job, continuously."""

import argparse
from contextlib import closing
from pathlib import Path

from pipeline.commands.options.engine import add_engine, choose_engine
from pipeline.commands.options.log import add_log, journal_of
from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import positive
from pipeline.commands.run import load_runner, report_quality
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.night.nightly import NightlyResult
from pipeline.night.stop_signals import catch_stop_signals
from pipeline.night.supervisor import run_in_workers
from pipeline.night.watch import InProcessRunner, Watcher, WatchOptions
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.reports.console import Console

DESCRIPTION = """\
Polls for new notes and releases them in small, complete batches: nothing from a batch is released
before all of it is accounted for. At start and every --sweep seconds, a full run looks for changed
or deleted notes. On SIGTERM or an interrupt, the current batch is completed, then the program exits
with code 0. Other options, such as --runner=PrismRunner, are passed to Apache Beam, whose
FlinkRunner, SparkRunner and DataflowRunner were never tried.
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
    add_engine(parser, default=1, help="number of workers per batch (default 1: this process)")
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
    engine = choose_engine(options, rest, load(options.config), load_runner, console.warn)
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
        # One process of this machine is this one, in which a model stays loaded.
        is_here = vigil.workers == 1 and engine.drive is run_in_workers
        drive = resident if is_here else engine.drive
        Watcher(vigil, drive, stop, journal, report, shown, gate=Gate(judge)).run()
    console.say("stopped")
    return EXIT_DONE
