"""Which Beam runner a run uses: in memory by default, portable ones on request, others refused."""

import argparse
import re
from collections.abc import Sequence

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions, StandardOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms import environments

from pipeline.config.near_misses import suggest
from pipeline.config.settings import Settings
from record.errors import ConfigError

IN_MEMORY = "FnApiRunner"

_PASSWORD = re.compile(r"[^/]+://[^/@]*:[^/]*@|[^?]*\?(.*&)?(password|passfile)=")

_PORTABLE = ("PortableRunner", "FlinkRunner", "SparkRunner", "DataflowRunner", "PrismRunner")
_OWN_OPTIONS = ("workers", "batch", "dry-run", "rebase", "log", "json", "plain", "runner")

_REFUSED = {
    "DirectRunner": "it downloads an executable at run time, and hangs where the network is closed",
    "PrismRunner": "it downloads an executable at run time unless --prism_location=FILE names one",
    "DaskRunner": "it loses the output of finished bundles and merges tagged outputs",
    "RayRunner": "it does not work with this version of Beam",
}


def split_runner(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the runner's name and Beam's other options.

    Raises ConfigError for an unsafe runner or an unknown option.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--runner", default=IN_MEMORY)
    parser.add_argument("--prism_location", default="")
    known, rest = parser.parse_known_args(list(arguments))
    name: str = known.runner.rsplit(".", 1)[-1]
    location: str = known.prism_location
    if name == "PrismRunner" and location and "://" not in location:
        return name, [*rest, f"--prism_location={location}"]
    if name in _REFUSED:
        raise ConfigError(
            f"--runner={name}",
            _REFUSED[name],
            f"leave it out for {IN_MEMORY}, or use FlinkRunner, SparkRunner or DataflowRunner",
        )
    # Refuse what Beam would silently discard: a misspelt option must not go unnoticed
    options = PipelineOptions(list(rest))
    everything = options.get_all_options(drop_default=True, retain_unknown_options=True)
    unknown = sorted(everything.keys() - options.get_all_options(drop_default=True).keys())
    if unknown:
        names = ", ".join(f"--{name}" for name in unknown)
        every_option = [
            f"--{name}" for name in (*_OWN_OPTIONS, *PipelineOptions().get_all_options())
        ]
        remedy = f"{suggest(f'--{unknown[0]}', every_option)} See cryptonym run --help".strip()
        raise ConfigError(names, "neither an option of cryptonym nor of Apache Beam", remedy)
    return name, rest


def refuse_passwords(settings: Settings, arguments: Sequence[str]) -> None:
    """Refuse URLs with a password where the graph, which holds the settings, leaves this process.

    Raises ConfigError, which names the setting; `env:NAME` is read on the worker.
    """
    name, rest = split_runner(arguments)
    portable = PipelineOptions(rest).view_as(PortableOptions)
    if name == IN_MEMORY and not portable.environment_type:
        return
    for place in ("source", "output", "state"):
        if _PASSWORD.match(getattr(settings, place).url):
            raise ConfigError(
                f"{place}.url",
                "must not hold a password, which would be sent to the workers in plain text",
                'write "env:NAME", and set that variable on every worker',
            )


def make_pipeline(arguments: Sequence[str]) -> beam.Pipeline:
    """Make a pipeline on the runner that the arguments name.

    The in-memory runner opens no port. With `--environment_type=EXTERNAL` it hands its work to
    the Beam worker pool at `--environment_config=HOST:PORT`.
    """
    name, rest = split_runner(arguments)
    if name != IN_MEMORY:
        options = PipelineOptions([f"--runner={name}", *rest])
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
