"""A context of Spark: whether its master can be there, its configuration, its start and its end."""

import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from record.errors import ConfigError, Unavailable

_SECONDS_TO_CONNECT = 5
_LOCAL = re.compile(r"local(?:\[\s*(\d+|\*)\s*])?")
"""A master in this process that names no number of failures: it then allows none."""


def check_master(master: str | None) -> None:
    """Raise ConfigError or Unavailable where there is no Java, or where a master does not answer.

    Starts nothing.
    """
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").is_file() if home else shutil.which("java")):
        problem = "Spark needs Java, and there is none at JAVA_HOME or in PATH"
        raise ConfigError("engine.kind", problem, "install Java 17 or later")
    if master is None or not master.startswith("spark://"):
        return
    for address in master.removeprefix("spark://").split(","):
        parts = urlsplit(f"//{address}")
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if host is None or port is None:
            problem = f"must be spark://HOST:PORT, not {master}"
            raise ConfigError("engine.master", problem, "see the page of Spark's master")
        with suppress(OSError), socket.create_connection((host, port), _SECONDS_TO_CONNECT):
            return
    remedy = "start it, or correct engine.master or --master"
    raise Unavailable("engine.master", f"no answer from {master}", remedy)


@contextmanager
def open_context(
    master: str | None, title: str, most_failures: int | None = None
) -> Iterator[SparkContext]:
    """Yield a context of Spark; one that a platform such as Databricks has is not stopped.

    A task may fail `most_failures` times, None for as often as Spark lets it.
    """
    session = SparkSession.getActiveSession() if master is None else None
    if session is not None:
        yield session.sparkContext
        return
    # Two copies of a task would claim units of their own: more work at once, and nothing twice.
    context = SparkContext(conf=_make_conf(master, title, most_failures))
    try:
        yield context
    finally:
        context.stop()


def _make_conf(master: str | None, title: str, most_failures: int | None) -> SparkConf:
    """Return a configuration on top of that of the site, whose own settings stay as they are."""
    started = SparkConf()
    if master is not None:
        started.setMaster(master)
    # Without Java a configuration has none of the site's settings, and would replace them.
    SparkContext._ensure_initialized(conf=started)
    conf = SparkConf().setAppName(title)
    # The command has a progress bar of its own; PySpark always asks for Spark's.
    conf.set("spark.ui.showConsoleProgress", "false")
    if master is not None:
        conf.setMaster(allow_failures(master, most_failures))
    if most_failures is not None:
        # A note that ends its process ends the task each time, until it is alone in a unit and left
        # out. Spark counts that for each task, of which one may meet all such notes, and ends the
        # job at the last failure allowed.
        conf.setIfMissing("spark.task.maxFailures", str(most_failures + 1))
        # Of an executor that ends with its process, as in a container: YARN and Kubernetes.
        conf.setIfMissing("spark.executor.maxNumFailures", str(most_failures + 1))
        # It would leave out an executor for what a note has done, and in the end all of them.
        conf.set("spark.excludeOnFailure.enabled", "false")
    return conf


def allow_failures(master: str, most_failures: int | None) -> str:
    """Return a master's URL; a local one with a number of failures, for which it has no setting."""
    local = _LOCAL.fullmatch(master)
    if local is None or most_failures is None:
        return master
    return f"local[{local[1] or 1},{most_failures + 1}]"
