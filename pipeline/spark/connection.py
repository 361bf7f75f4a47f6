"""A context of Spark: whether its master can be there, its configuration, its start and its end."""

import os
import re
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from pipeline.notes.error_boundary import Unexpected, tell_errors
from record.errors import ConfigError, Unavailable

_SECONDS_TO_CONNECT = 5
_SECONDS_TO_REGISTER = 40
"""For how long a master may take to accept a context; Spark itself waits without an end."""

_MASTER = re.compile(
    r"local|local\[(\d+|\*)(\s*,\s*\d+)?\]|local-cluster\[\s*\d+(\s*,\s*\d+\s*){2}\]"
    r"|yarn|(spark|k8s)://.+"
)
"""What Spark takes for a master; it says no only after seconds, in a traceback of Java."""
_LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")
"""A master in this process that names no number of failures: it then allows none."""


def check_master(master: str | None) -> None:
    """Raise ConfigError or Unavailable where there is no Java, or where a master does not answer.

    Starts nothing.
    """
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").is_file() if home else shutil.which("java")):
        problem = "Spark needs Java, and there is none at JAVA_HOME or in PATH"
        raise ConfigError("engine.kind", problem, "install Java 17 or later")
    if master is None:
        return
    if not _MASTER.fullmatch(master):
        problem = f"{master} is no URL of a master of Spark"
        remedy = "write spark://HOST:PORT, local[N], yarn or k8s://HOST:PORT"
        raise ConfigError("engine.master", problem, remedy)
    if not master.startswith("spark://"):
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


_UNTRIED = (("yarn", "YARN"), ("k8s://", "Kubernetes"))
"""How masters begin on which this program was never run, and the names of these."""


def find_untried(master: str | None) -> str:
    """Return the name of what a job would run on, if this program was never run there; else ""."""
    if "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return "Databricks"
    if master is None and "PYSPARK_GATEWAY_PORT" in os.environ:
        # Under spark-submit there is a Java, which knows the master.
        SparkContext._ensure_initialized()
        master = SparkConf().get("spark.master")
    return next((name for start, name in _UNTRIED if (master or "").startswith(start)), "")


@contextmanager
def open_context(
    master: str | None, title: str, most_failures: int | None = None
) -> Iterator[SparkContext]:
    """Yield a context of Spark; one that a platform such as Databricks has is not stopped.

    A task may fail `most_failures` times, None for as often as Spark lets it. Handlers of signals
    stay as they are, but SIGTERM raises SystemExit where it would end the process at once. Raises
    ConfigError where Java does not start, Unavailable where Spark does not.
    """
    session = SparkSession.getActiveSession() if master is None else None
    with _exit_on_sigterm():
        if session is not None:
            yield session.sparkContext
            return
        context = _start(master, title, most_failures)
        try:
            yield context
        finally:
            context.stop()


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end the command as an interrupt does: the job is cancelled, its units free."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def leave(number: int, _: object) -> None:
        # A second one does not end what the first one began.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _start(master: str | None, title: str, most_failures: int | None) -> SparkContext:
    # In the main thread PySpark would replace the handler of SIGINT by one that ends the command,
    # also that of `cryptonym watch`, which completes its batch.
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(_make_context, master, title, most_failures)
        try:
            return future.result()
        finally:
            if not future.done():
                # Interrupted: what it waits for may take long.
                _end_java()


def _make_context(master: str | None, title: str, most_failures: int | None) -> SparkContext:
    conf = _make_conf(master, title, most_failures)
    is_late = threading.Event()

    def give_up() -> None:
        is_late.set()
        _end_java()

    timer = threading.Timer(_SECONDS_TO_REGISTER, give_up)
    if master is not None and master.startswith("spark://"):
        timer.start()
    try:
        # Two copies of a task would claim units of their own: more work, and nothing twice.
        return tell_errors(partial(SparkContext, conf=conf))
    except Unexpected as error:
        place = master or "the master that its configuration names"
        why = f"Spark did not start at {place}: {error}"
        if is_late.is_set():
            timer.join()
            why = f"no master of Spark answered at {place} within {_SECONDS_TO_REGISTER} seconds"
        remedy = "start it, or correct engine.master or --master; see what Spark printed above"
        raise Unavailable("engine.master", why, remedy) from None
    finally:
        timer.cancel()


def _end_java() -> None:
    """End the Java that this process started; the next context starts another one."""
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.kill()
        process.wait()


def _start_java(master: str | None) -> None:
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and process.poll() is not None:
        SparkContext._gateway = SparkContext._jvm = None
    conf = SparkConf()
    if master is not None:
        conf.setMaster(master)
    try:
        SparkContext._ensure_initialized(conf=conf)
    except (PySparkRuntimeError, OSError):
        problem = "Spark ended as it was started; what it printed is above"
        remedy = "install Java 17 or later, correct SPARK_HOME and the configuration of Spark"
        raise ConfigError("engine.kind", problem, remedy) from None


def _make_conf(master: str | None, title: str, most_failures: int | None) -> SparkConf:
    # Without Java a configuration has none of the site's settings, and would replace them.
    _start_java(master)
    return configure(SparkConf().setAppName(title), master, most_failures)


def configure(conf: SparkConf, master: str | None, most_failures: int | None) -> SparkConf:
    """Add what a job needs to a configuration of the site, whose own settings stay as they are."""
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
    if conf.contains("spark.task.resource.gpu.amount"):
        # A process keeps the GPU on which it loaded a model, and its next task may get another one.
        conf.setIfMissing("spark.python.worker.reuse", "false")
    return conf


def allow_failures(master: str, most_failures: int | None) -> str:
    """Return a master's URL; a local one with a number of failures, for which it has no setting."""
    local = _LOCAL.fullmatch(master)
    if local is None or most_failures is None:
        return master
    return f"local[{local[1] or 1},{most_failures + 1}]"
