"""Options that choose what runs the workers: the same for every command with work in units."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.commands.options.values import add_workers
from pipeline.config.settings import Settings
from pipeline.night.nightly import JobRunner
from pipeline.night.supervisor import run_in_workers
from record.errors import ConfigError

RunnerFactory = Callable[[Sequence[str]], JobRunner]
"""Makes what runs a job on the Beam runner that arguments name."""


@dataclass(frozen=True)
class ChosenEngine:
    """What runs the workers of a job; `is_distant` where they may be on other machines."""

    drive: JobRunner
    is_distant: bool = False


def add_engine(parser: argparse.ArgumentParser, **workers: Any) -> None:
    """Add --workers, --engine and --master; other options are those of Apache Beam.

    `workers` are the arguments of `add_workers`.
    """
    parser.set_defaults(takes_beam_options=True)
    add_workers(parser, **workers)
    parser.add_argument(
        "--engine", choices=("processes", "spark"), metavar="ENGINE",
        help="processes of this machine, or tasks of spark (default: engine.kind)",
    )  # fmt: skip
    parser.add_argument(
        "--master", metavar="URL",
        help="Spark's master, such as spark://HOST:7077 (default: engine.master, or what "
        "spark-submit says)",
    )  # fmt: skip


def choose_engine(
    options: argparse.Namespace,
    rest: Sequence[str],
    settings: Settings,
    load_runner: Callable[[], RunnerFactory],
) -> ChosenEngine:
    """Return the engine that the options name, or the configuration.

    `load_runner` imports what runs the job on Apache Beam. Raises ConfigError or Unavailable where
    the engine cannot be used; nothing is started.
    """
    engine = settings.engine
    if (options.engine or engine.kind) == "spark":
        if rest:
            problem = "is an option of Apache Beam, which does not take part"
            raise ConfigError(rest[0], problem, "leave it out, or leave out --engine spark")
        return ChosenEngine(_drive_on_spark(options.master or engine.master, settings), True)
    if options.master:
        problem = "is that of Spark, and the engine is another one"
        raise ConfigError("--master", problem, "add --engine spark, or leave it out")
    if not rest:
        return ChosenEngine(run_in_workers)
    # Beam warns of clouds whose clients are not installed; a warning here is about options.
    logging.disable(logging.WARNING)
    try:
        # Beam is heavy, and only needed here where it is not started in workers.
        from pipeline.beam.runners import is_distant, split_runner

        make_driver = load_runner()
    finally:
        logging.disable(logging.NOTSET)
    command = options.parser.prog.removeprefix("cryptonym ")
    split_runner(rest, command=command, own=_list_options(options.parser))
    return ChosenEngine(make_driver(rest), is_distant(rest))


def _list_options(parser: argparse.ArgumentParser) -> list[str]:
    """Return the names of a parser's options, and of Beam's that every command takes."""
    named = [name for action in parser._actions for name in action.option_strings]
    return [*(name.removeprefix("--") for name in named if name.startswith("--")), "runner"]


def _drive_on_spark(master: str | None, settings: Settings) -> JobRunner:
    """Return what runs a job on Spark; raises ConfigError or Unavailable where that cannot be."""
    try:
        # An extra, and seconds to import.
        from pipeline.spark.cluster import check_cluster, drive_on_spark
    except ModuleNotFoundError:
        problem = "PySpark is not installed"
        raise ConfigError("--engine spark", problem, "pip install 'cryptonym[spark]'") from None
    # The interpreter that executors start, which a site may have named.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    check_cluster(master, settings)
    return drive_on_spark(master)
