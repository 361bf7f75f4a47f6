"""`cryptonym init`: a first configuration, made from what is in the source."""

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.output import add_json, print_json
from pipeline.config.settings import SourceSettings, resolve_url
from pipeline.doctor.checks import exit_code, run_checks
from pipeline.reports.console import Console
from pipeline.setup.configuration_file import (
    Places,
    describe,
    list_warnings,
    make_configuration,
    refuse_password,
    write_configuration,
)
from pipeline.setup.source_inspection import inspect_source
from record.errors import ConfigError
from record.languages import LANGUAGES
from surrogates.keys.keys import new_master

DESCRIPTION = """\
Looks at a source, writes a commented configuration for it and, unless there is one, a master key,
and runs `doctor`. Asks for what is not given. The source is only read.
"""
EXAMPLES = """\
examples:
  cryptonym init --source sqlite:///hospital.db --output sqlite:///research.db --yes
  WAREHOUSE_URL=postgresql://... cryptonym init --source env:WAREHOUSE_URL --schema cdm \\
    --output env:RESEARCH_URL --yes
  cryptonym init fhir.toml --source fhir:/exports/2026-11-27 --output parquet:research --yes
"""
_KEY = "master.key"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `init`."""
    add = parser.add_argument
    add(
        "config", type=Path, nargs="?", default=Path("nightly.toml"), metavar="CONFIG.toml",
        help="file to write (default nightly.toml); paths and URLs are relative to its folder",
    )  # fmt: skip
    add("--source", metavar="URL", help="OMOP CDM or export, or env:NAME or file:PATH")
    add("--schema", metavar="NAME", help="schema of the source, if several have the tables")
    add("--output", metavar="URL", help="where de-identified notes go, env:NAME or file:PATH")
    add("--output-schema", metavar="NAME", help="schema of the output")
    add("--documents", metavar="DIR", help="folder of the documents that notes name")
    add("--lang", choices=LANGUAGES, help="language of surrogates, instead of the most frequent")
    add("--yes", action="store_true", help="no questions: what is found is taken")
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Inspect the source, write the configuration, check it; returns the exit code of `doctor`."""
    asks = sys.stdin.isatty() and not options.yes and not options.json
    config: Path = options.config
    if config.exists():
        raise ConfigError(str(config), "exists already", "give another name, or move it away")
    source = options.source or _ask(console, "--source", "URL of the source", asks)
    output = options.output or _ask(console, "--output", "URL of the output", asks)
    for name, url in (("--source", source), ("--output", output)):
        refuse_password(name, url)
    folder = config.absolute().parent
    settings = SourceSettings(resolve_url(source, os.environ, folder), schema=options.schema)
    found = inspect_source(settings, folder)
    for line in () if options.json else describe(found):
        console.say(line)
    places = Places(source, output, options.output_schema, options.documents, _KEY, options.lang)
    write_configuration(config, make_configuration(found, places))
    key = config.absolute().parent / _KEY
    is_new = not key.exists()
    if is_new:
        new_master(key)
    warnings = list_warnings(found)
    for warning in warnings:
        console.warn(warning)
    if not options.json:
        made = f"wrote {config}" + (f" and a new master key, {_KEY}: keep a copy of it" * is_new)
        console.say(made)
    checks = []
    for check in run_checks(config):
        checks.append(check)
        if not options.json:
            console.say(f"{check.status:<5} {check.check}: {check.seen}")
            if check.remedy:
                console.say(f"      remedy: {check.remedy}")
    if not options.json and not exit_code(checks):
        commands = f"cryptonym run {config} --dry-run; cryptonym run {config}"
        console.say(f"next: read {config} and correct it where needed, then: {commands}")
    answer = {
        "config": str(config),
        "key": is_new,
        "found": describe(found),
        "warnings": warnings,
        "checks": [asdict(check) for check in checks],
    }
    print_json(answer, options)
    return exit_code(checks)


def _ask(console: Console, option: str, question: str, asks: bool) -> str:
    if not asks:
        raise ConfigError(option, "missing", "give it, or answer the questions on a terminal")
    return console.ask(question)
