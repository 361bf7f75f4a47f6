"""Which Beam runner a run uses: in memory by default, portable ones on request, others refused."""

import argparse
import atexit
import json
import logging
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import apache_beam as beam
from apache_beam.options import pipeline_options
from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions, StandardOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms import environments

from pipeline.beam.worker_pool import LOOPBACK, WorkerPool
from pipeline.config.near_misses import suggest
from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import refuse_written_passwords
from record.errors import ConfigError

IN_MEMORY = "FnApiRunner"

_PORTABLE = ("PortableRunner", "FlinkRunner", "SparkRunner", "DataflowRunner", "PrismRunner")
_OWN_OPTIONS = ("workers", "batch", "dry-run", "rebase", "log", "json", "plain", "runner")

_OWN_WORKERS = ("EXTERNAL", "LOOPBACK", "PROCESS")
"""The environments whose workers are processes of cryptonym."""

_REFUSED = {
    "DirectRunner": "it downloads an executable at run time, and hangs where the network is closed",
    "PrismRunner": "it downloads an executable at run time unless --prism_location=FILE names one",
    "DaskRunner": "it loses the output of finished bundles and merges tagged outputs",
    "RayRunner": "it does not work with this version of Beam",
}


_BUILD_PRISM = (
    f"go install github.com/apache/beam/sdks/v2/go/cmd/prism@v{beam.__version__}, then "
    "--prism_location=FILE"
)
_UNTRIED = "this program was never run on it"

_JOB_SERVERS = {
    "FlinkRunner": ("--flink_job_server_jar", "beam-runners-flink-*-job-server"),
    "SparkRunner": ("--spark_job_server_jar", "beam-runners-spark-3-job-server"),
}
"""Runner -> the option that names its job server, and the artifact of Apache Beam that it is."""


def _check_job_server(name: str, arguments: Sequence[str]) -> None:
    """Refuse a runner whose job server Beam would download.

    Raises ConfigError.
    """
    option, artifact = _JOB_SERVERS[name]
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--job_endpoint", default="")
    parser.add_argument(option, dest="jar", default="")
    known, _ = parser.parse_known_args(list(arguments))
    if known.job_endpoint:
        return
    how = (
        f"download {artifact} {beam.__version__} of org.apache.beam from Maven Central yourself, "
        f"check it, and name it with {option}=FILE; or start it, and name it with "
        "--job_endpoint=HOST:PORT"
    )
    if not known.jar or "://" in known.jar:
        problem = f"needs a job server, which is never downloaded; {_UNTRIED}"
        raise ConfigError(f"--runner={name}", problem, how)
    if not Path(known.jar).is_file():
        raise ConfigError(option, f"no such file: {known.jar}", how)
    if shutil.which("java") is None:
        problem = "its job server needs Java, and there is no java in PATH"
        raise ConfigError(f"--runner={name}", problem, "install Java 11 or 17")


def _has_google_cloud() -> bool:
    with suppress(ModuleNotFoundError):
        return find_spec("google.cloud.storage") is not None
    return False


@contextmanager
def _quietly() -> Iterator[None]:
    """Leave out Beam's warnings about options."""
    logger = logging.getLogger(pipeline_options.__name__)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def list_pools(arguments: Sequence[str]) -> list[list[str]]:
    """Return the arguments of each pipeline: one for each worker pool that they name.

    Several pools are the addresses of one EXTERNAL environment, separated by commas.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--environment_type", default="")
    parser.add_argument("--environment_config", default="")
    known, rest = parser.parse_known_args(list(arguments))
    if known.environment_type != "EXTERNAL" or "," not in known.environment_config:
        return [list(arguments)]
    addresses = [each.strip() for each in known.environment_config.split(",") if each.strip()]
    return [
        [*rest, "--environment_type=EXTERNAL", f"--environment_config={address}"]
        for address in addresses
    ]


def list_pipelines(arguments: Sequence[str], claimers: int) -> list[list[str]]:
    """Return the arguments of each pipeline that is started again where its workers die.

    Empty where the workers are those of the driving process, or of a service that starts them anew.
    One pipeline has so many `claimers`; raises ConfigError.
    """
    pools = list_pools(arguments)
    if len(pools) > 1:
        return pools
    name, rest = split_runner(arguments)
    kind = PipelineOptions(rest).view_as(PortableOptions).environment_type
    kind = kind or ("LOOPBACK" if name == "PrismRunner" else "")
    if kind == "EXTERNAL" or (kind in _OWN_WORKERS and name != IN_MEMORY):
        return [[f"--claimers={claimers}", *arguments]]
    return []


def split_runner(
    arguments: Sequence[str], *, command: str = "run", own: Collection[str] = _OWN_OPTIONS
) -> tuple[str, list[str]]:
    """Return the runner's name and Beam's other options.

    Raises ConfigError for an unsafe runner or an unknown option; `own` are the names of the
    options of the command, one of which may have been meant.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--runner", default=IN_MEMORY)
    parser.add_argument("--prism_location", default="")
    known, rest = parser.parse_known_args(list(arguments))
    name: str = known.runner.rsplit(".", 1)[-1]
    location: str = known.prism_location
    if name == "PrismRunner" and location and "://" not in location:
        if not Path(location).is_file():
            problem = f"no such file: {location}"
            raise ConfigError("--prism_location", problem, f"build it: {_BUILD_PRISM}")
        return name, [*rest, f"--prism_location={Path(location).resolve()}"]
    if name in _REFUSED:
        raise ConfigError(
            f"--runner={name}",
            _REFUSED[name],
            f"leave it out for {IN_MEMORY}, or build Prism: {_BUILD_PRISM}",
        )
    if name in _JOB_SERVERS:
        _check_job_server(name, rest)
    if name == "DataflowRunner" and not _has_google_cloud():
        raise ConfigError(
            f"--runner={name}",
            f"Beam's client of Google Cloud is not installed; {_UNTRIED}",
            "pip install 'apache-beam[gcp]', and name an image that has cryptonym with "
            "--sdk_container_image",
        )
    # Refuse what Beam would silently discard: a misspelt option must not go unnoticed
    options = PipelineOptions(list(rest))
    # Beam warns of each of them, which is about to be said better.
    with _quietly():
        everything = options.get_all_options(drop_default=True, retain_unknown_options=True)
        unknown = sorted(everything.keys() - options.get_all_options(drop_default=True).keys())
    if unknown:
        names = ", ".join(f"--{name}" for name in unknown)
        every_option = [f"--{name}" for name in (*own, *PipelineOptions().get_all_options())]
        hint = suggest(f"--{unknown[0]}", every_option)
        remedy = f"{hint} See cryptonym {command} --help".strip()
        raise ConfigError(names, "neither an option of cryptonym nor of Apache Beam", remedy)
    return name, rest


def refuse_passwords(settings: Settings, arguments: Sequence[str]) -> None:
    """Refuse URLs with a password where the graph, which holds the settings, leaves this process.

    Raises ConfigError, which names the setting; `env:NAME` is read on the worker.
    """
    if is_distant(arguments):
        refuse_written_passwords(settings)


def is_distant(arguments: Sequence[str]) -> bool:
    """Return whether workers may be in processes on other machines; raises ConfigError."""
    name, rest = split_runner(arguments)
    portable = PipelineOptions(rest).view_as(PortableOptions)
    return name != IN_MEMORY or bool(portable.environment_type)


def make_pipeline(arguments: Sequence[str]) -> beam.Pipeline:
    """Make a pipeline on the runner that the arguments name.

    The in-memory runner opens no port. With `--environment_type=EXTERNAL` it hands its work to
    the Beam worker pool at `--environment_config=HOST:PORT`.
    """
    name, rest = split_runner(arguments)
    if name != IN_MEMORY:
        options = PipelineOptions([f"--runner={name}", *rest])
        _set_environment(name, options.view_as(PortableOptions))
        try:
            return beam.Pipeline(options=options)
        except ValueError:
            # Beam knows the name not, or misses an option of the runner, and lists them.
            remedy = f"{suggest(name, _PORTABLE)} Leave it out for {IN_MEMORY}, or see Beam's page"
            raise ConfigError(
                f"--runner={name}", "no runner of Apache Beam, or without its options", remedy
            ) from None
    options = PipelineOptions(rest)
    portable = options.view_as(PortableOptions)
    options.view_as(StandardOptions).runner = None
    if portable.environment_type == "EXTERNAL":
        external = environments.ExternalEnvironment(portable.environment_config)
        return beam.Pipeline(runner=FnApiRunner(default_environment=external), options=options)
    if portable.environment_type:
        raise ConfigError(
            f"--environment_type={portable.environment_type}",
            f"{IN_MEMORY} works in its own process or with EXTERNAL",
            "choose another --runner or leave the environment out",
        )
    return beam.Pipeline(runner=FnApiRunner(), options=options)


_deaths: deque[str] = deque(maxlen=3)


def list_deaths() -> list[str]:
    """Return how the last workers died that this process started itself; holds no text."""
    return list(_deaths)


def _note_death(line: str) -> None:
    if " died: " in line:
        _deaths.append(line)


def _set_environment(name: str, portable: PortableOptions) -> None:
    """Give a portable runner workers that listen on loopback alone, or a boot command.

    Beam's own workers of LOOPBACK listen on all interfaces.
    """
    kind = portable.environment_type
    if kind == "LOOPBACK" or (not kind and name == "PrismRunner"):
        pool = WorkerPool(LOOPBACK, 0, _note_death)
        pool.__enter__()
        atexit.register(pool.close)
        portable.environment_type, portable.environment_config = "EXTERNAL", pool.address
    elif kind == "PROCESS" and not portable.environment_config:
        portable.environment_config = json.dumps({"command": str(_write_boot_command())})


def _write_boot_command() -> Path:
    """Write a program that starts a worker as Beam's container contract says."""
    folder = tempfile.mkdtemp(prefix="cryptonym-boot-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    boot = Path(folder) / "boot"
    boot.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m pipeline.beam.harness "$@"\n')
    boot.chmod(0o700)
    return boot
