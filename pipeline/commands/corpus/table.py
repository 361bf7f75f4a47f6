"""`cryptonym corpus table`: what a corpus consists of."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from pipeline.training.corpus import SPLITS
from pipeline.training.corpus_table import count_corpus

DESCRIPTION = """\
Counts the splits of a corpus that `corpus read` wrote: patients, notes, characters and spans, by
kind and by type; for documents also before extraction, where detection alone has counted.
"""
EXAMPLES = """\
example:
  cryptonym corpus table corpus
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `corpus table`."""
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="folder of the three splits")
    add_output_format(parser, json="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Print the counts; returns the exit code."""
    with console.progress() as progress:
        progress.phase("counting")
        found = count_corpus(options.corpus)
    print_json(found, options)
    for line in _describe(found):
        console.say(line)
    return EXIT_DONE


def _describe(found: Mapping[str, Any]) -> Iterator[str]:
    yield _row("", *SPLITS, "all")
    for name in ("patients", "notes", "documents", "characters", "spans"):
        yield _row(name, *_with_sum(found["splits"][split][name] for split in SPLITS))
    for title, name in (("notes by kind", "kinds"), ("annotated spans by type", "labels")):
        yield ""
        yield title
        for row, counts in found[name].items():
            yield _row(row, *_with_sum(counts[split] for split in SPLITS))
    extraction = found["extraction"]
    if not extraction["documents"]:
        return
    characters = extraction["characters"]
    yield ""
    yield (
        f"{extraction['documents']} documents: {characters['before']} characters before "
        f"extraction, {characters['after']} after"
    )
    yield _row("spans by type", "annotated", "detected", "before")
    for row, counts in [*extraction["labels"].items(), ("all", extraction["spans"])]:
        yield _row(row, *(counts[n] for n in ("annotated", "detected_after", "detected_before")))


def _with_sum(values: Iterator[int]) -> list[int]:
    listed = list(values)
    return [*listed, sum(listed)]


def _row(name: str, *cells: object) -> str:
    return f"{name:<24}" + "".join(f"{cell:>12}" for cell in cells)
