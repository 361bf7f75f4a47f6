"""Options that choose what runs the workers: the same for every command with work in units."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipeline.commands.options.values import add_workers
from pipeline.config.settings import Settings
from pipeline.night.nightly import JobRunner
from pipeline.night.supervisor import run_in_workers
from record.errors import ConfigError

RunnerFactory = Callable[[Sequence[str]], JobRunner]
"""Makes what runs a job on the Beam runner that arguments name."""


BatchWriter = Callable[[Any, Sequence[int], Sequence[str]], None]
"""Writes batches of a job, by their numbers, on the Beam runner that arguments name."""


@dataclass(frozen=True)
class ChosenEngine:
    """What runs the workers of a job; `is_distant` where they may be on other machines."""

    drive: JobRunner
    is_distant: bool = False


Warn = Callable[[str], None]
"""Prints a warning."""

_UNTRIED_RUNNERS = ("FlinkRunner", "SparkRunner", "DataflowRunner", "PortableRunner")


class ChosenWork(NamedTuple):
    """What writes batches, and how many processes of this machine call it."""

    work: BatchWriter
    workers: int


def add_engine(parser: argparse.ArgumentParser, **workers: Any) -> None:
    """Add --workers, --engine and --master; other options are those of Apache Beam.

    `workers` are the arguments of `add_workers`.
    """
    parser.set_defaults(takes_beam_options=True)
    add_workers(parser, **workers)
    _add_engine_name(parser, "engine.kind", "engine.master, or ")


def add_batch_engine(parser: argparse.ArgumentParser) -> None:
    """Add --engine and --master to a command of work in batches, which has no configuration."""
    _add_engine_name(parser, "processes", "")


def _add_engine_name(parser: argparse.ArgumentParser, kind: str, master: str) -> None:
    parser.add_argument(
        "--engine", choices=("processes", "spark"), metavar="ENGINE",
        help=f"processes of this machine, or tasks of spark (default: {kind})",
    )  # fmt: skip
    parser.add_argument(
        "--master", metavar="URL",
        help=f"Spark's master, such as spark://HOST:7077; yarn, k8s:// and Databricks were never "
        f"tried (default: {master}what spark-submit says)",
    )  # fmt: skip


def choose_engine(
    options: argparse.Namespace,
    rest: Sequence[str],
    settings: Settings,
    load_runner: Callable[[], RunnerFactory],
    warn: Warn,
) -> ChosenEngine:
    """Return the engine that the options name, or the configuration.

    `load_runner` imports what runs the job on Apache Beam; `warn` is told of an engine on which
    this program was never run. Raises ConfigError or Unavailable where
    the engine cannot be used; nothing is started.
    """
    engine = settings.engine
    if _is_spark(options, rest, engine.kind):
        master = options.master or engine.master
        drive = _drive_on_spark(master, settings)
        _warn_of_untried(_find_untried_master(master), warn)
        return ChosenEngine(drive, True)
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
    _warn_of_untried(_find_untried_runner(rest), warn)
    return ChosenEngine(make_driver(rest), is_distant(rest))


def _list_options(parser: argparse.ArgumentParser) -> list[str]:
    """Return the names of a parser's options, and of Beam's that every command takes."""
    named = [name for action in parser._actions for name in action.option_strings]
    return [*(name.removeprefix("--") for name in named if name.startswith("--")), "runner"]


def choose_batch_work(
    options: argparse.Namespace, rest: Sequence[str], work: BatchWriter, warn: Warn
) -> ChosenWork:
    """Return what writes batches on the engine that the options name, and its number of workers.

    `work` writes them on Apache Beam; `warn` as for `choose_engine`, which raises the same.
    """
    if not _is_spark(options, rest, "processes"):
        _warn_of_untried(_find_untried_runner(rest), warn)
        return ChosenWork(work, options.workers)
    cluster = _import_cluster()
    cluster.check_master(options.master)
    _warn_of_untried(_find_untried_master(options.master), warn)
    title = options.parser.prog
    # Its tasks are the workers: one process of this machine waits for them.
    spread = cluster.spread_batches(options.master, title, options.workers, work)
    return ChosenWork(spread, 1)


def _warn_of_untried(name: str, warn: Warn) -> None:
    if name:
        advice = "compare the first output with one that a single machine makes"
        warn(f"this program was never run on {name}: {advice}")


def _find_untried_runner(rest: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--runner", default="")
    name: str = parser.parse_known_args(list(rest))[0].runner.rpartition(".")[2]
    return name if name in _UNTRIED_RUNNERS else ""


def _find_untried_master(master: str | None) -> str:
    from pipeline.spark.connection import find_untried

    return find_untried(master)


def _is_spark(options: argparse.Namespace, rest: Sequence[str], kind: str) -> bool:
    """Return whether Spark is the engine; raises ConfigError for options of another one."""
    if (options.engine or kind) == "spark":
        if rest:
            problem = "is an option of Apache Beam, which does not take part"
            raise ConfigError(rest[0], problem, "leave it out, or leave out --engine spark")
        return True
    if options.master:
        problem = "is that of Spark, and the engine is another one"
        raise ConfigError("--master", problem, "add --engine spark, or leave it out")
    return False


def _drive_on_spark(master: str | None, settings: Settings) -> JobRunner:
    """Return what runs a job on Spark; raises ConfigError or Unavailable where that cannot be."""
    cluster = _import_cluster()
    cluster.check_cluster(master, settings)
    drive: JobRunner = cluster.drive_on_spark(master)
    return drive


def _import_cluster() -> Any:
    try:
        # An extra, and seconds to import.
        from pipeline.spark import cluster
    except ModuleNotFoundError:
        problem = "PySpark is not installed"
        raise ConfigError("--engine spark", problem, "pip install 'cryptonym[spark]'") from None
    # The interpreter that executors start, which a site may have named.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return cluster
