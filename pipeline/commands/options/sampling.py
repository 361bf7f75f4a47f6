"""Options of commands that draw notes for annotators."""

import argparse
from pathlib import Path

from pipeline.audit.formats import FORMATS
from pipeline.commands.options.values import positive


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """Add the configuration, how many notes are drawn, for which tool, and into which folder."""
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "--per-kind", type=positive, required=True, metavar="N",
        help="number of notes per kind, or all if a kind has fewer",
    )  # fmt: skip
    add("--format", choices=sorted(FORMATS), required=True, help="format of the annotation tool")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add("--seed", metavar="S", help="random seed of the sample (default: a new one)")
