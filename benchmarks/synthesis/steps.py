"""Cached steps of benchmarks that run a `cryptonym` command."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from pipeline.cli import main as cryptonym


def run_once(done: Path, name: str, *arguments: str, o: Path) -> None:
    """Run `cryptonym synthesize NAME` into a folder, unless `done` is there; say how long."""
    if not done.exists():
        began = process_time()
        run("synthesize", name, *arguments, "-o", str(o), "--plain")
        print(f"{o.name}: {process_time() - began:.0f} CPU s", flush=True)


def run(*arguments: str) -> None:
    """Run a command; ends the benchmark where it fails."""
    code = cryptonym(list(arguments))
    if code:
        raise SystemExit(f"cryptonym {' '.join(arguments[:2])} exited with status {code}")


def split_arguments(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part a benchmark's own arguments from those of the command it runs, behind `--`."""
    at = words.index("--") if "--" in words else len(words)
    return list(words[:at]), list(words[at + 1 :])


def add_letters(parser: argparse.ArgumentParser) -> None:
    """Add what every benchmark on annotated letters takes."""
    add = parser.add_argument
    add("train", type=Path, metavar="TRAIN")
    add("test", type=Path, metavar="TEST")
    add("-o", "--output", type=Path, required=True, metavar="FOLDER")
    add("--lang", default="es", help="language of the letters (default es)")
    add("--seeds", type=int, default=3, help="trainings of each tagger (default 3)")
