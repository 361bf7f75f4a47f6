"""`cryptonym corpus read`: training, development and test notes from annotated samples."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.audit.formats import FORMATS
from pipeline.commands.options.output import SUMMARY, add_output_format, print_json
from pipeline.commands.options.values import share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import Settings, load
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.reports.console import Console
from pipeline.training.corpus import (
    PREFERENCES,
    AnnotatedSample,
    PassComparison,
    SplitRequest,
    compare_passes,
    decide,
    read_passes,
    write_corpus,
    write_mismatches,
)
from record.errors import ConfigError

DESCRIPTION = """\
Reads one or two annotation passes over a sample of `corpus sample`. For two it prints the agreement
by type and lists where they differ. With -o, it splits the notes by patient and writes train.jsonl,
dev.jsonl and test.jsonl for `train`. Notes count that their reader marked as read; those of persons
who object by now are left out.
"""
EXAMPLES = """\
examples:
  cryptonym corpus read nightly.toml sample -o corpus
  cryptonym corpus read nightly.toml sample/first sample/second --mismatches open
  cryptonym corpus read nightly.toml sample/first sample/second --adjudicated open -o corpus
  cryptonym corpus read nightly.toml sample/first sample/second --prefer union -o corpus

Exit codes: 0 done; 2 usage or configuration error, a text was changed, or nothing decides where the
passes differ; 4 a required service is unavailable.
"""

_MOST_PASSES = 2


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `corpus read`."""
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "passes", type=Path, nargs="+", metavar="DIR",
        help="one or two sample folders containing the export of the annotation tool, or exports "
        "in them",
    )  # fmt: skip
    add("-o", "--output", type=Path, metavar="CORPUS", help="new folder of the three splits")
    add(
        "--mismatches", type=Path, metavar="DIR",
        help="new folder with the notes that the passes differ in, and mismatches.jsonl",
    )  # fmt: skip
    add(
        "--adjudicated", type=Path, metavar="DIR",
        help="that folder, after somebody decided the differences; its notes replace those of the "
        "passes",
    )  # fmt: skip
    add(
        "--prefer", choices=PREFERENCES,
        help="choice where the passes differ and nobody adjudicated",
    )  # fmt: skip
    add(
        "--dev", type=share, default=SplitRequest.dev, metavar="SHARE",
        help=f"share of the patients for development (default {SplitRequest.dev})",
    )  # fmt: skip
    add(
        "--test", type=share, default=SplitRequest.test, metavar="SHARE",
        help=f"share of the patients for testing (default {SplitRequest.test})",
    )  # fmt: skip
    add(
        "--seed", default=SplitRequest.seed, metavar="S",
        help=f"random seed of the split (default {SplitRequest.seed})",
    )  # fmt: skip
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Read passes, compare them, and write the corpus; returns the exit code."""
    _check(options)
    settings = load(options.config)
    comparison = None
    with console.progress() as progress:
        progress.phase("reading")
        annotated = drop_error_texts(lambda: read_passes(settings, options.passes))
        if len(options.passes) == _MOST_PASSES:
            progress.phase("comparing")
            comparison = drop_error_texts(lambda: compare_passes(annotated))
    told: dict[str, Any] = {"unseen": annotated.unseen, "left_out": annotated.left_out}
    if comparison:
        told |= {"agreement": comparison.agreement, "mismatches": len(comparison.mismatches)}
        told["mismatched_notes"] = len(comparison.note_ids)
        for line in _describe(comparison):
            console.say(line)
        if options.mismatches:
            drop_error_texts(lambda: write_mismatches(options.mismatches, annotated, comparison))
            console.say(f"wrote {options.mismatches}; adjudicate, then give it as --adjudicated")
    if options.output:
        told |= _write(settings, annotated, comparison, options)
        sizes = ", ".join(f"{name} {count}" for name, count in told["notes"].items())
        console.say(f"notes: {sizes}")
        console.say(f"wrote {options.output}; give train.jsonl and dev.jsonl in it to `train`")
    print_json(told, options)
    if annotated.unseen:
        how = FORMATS[annotated.sample.format].how_to_mark
        console.warn(f"{annotated.unseen} notes are not marked as read and do not count: {how}")
    if annotated.left_out:
        console.warn(f"{annotated.left_out} notes have left the source, or their persons object")
    for place in (options.mismatches, options.output):
        if place:
            console.warn(f"{place} holds original text: keep it where the source is")
    return EXIT_DONE


def _check(options: argparse.Namespace) -> None:
    if len(options.passes) > _MOST_PASSES:
        raise ConfigError("DIR", "more than two passes", "give one or two; a third adjudicates")
    if len(options.passes) < _MOST_PASSES:
        for name in ("mismatches", "adjudicated", "prefer"):
            if getattr(options, name):
                raise ConfigError(f"--{name}", "needs two passes", "give both, or leave it out")
        if not options.output:
            raise ConfigError("--output", "not given", "name the folder of the corpus")


def _write(
    settings: Settings,
    annotated: AnnotatedSample,
    comparison: PassComparison | None,
    options: argparse.Namespace,
) -> dict[str, Any]:
    request = SplitRequest(options.output, options.dev, options.test, options.seed)
    adjudicated = None
    if options.adjudicated:
        found = drop_error_texts(lambda: read_passes(settings, [options.adjudicated]))
        if found.sample != annotated.sample:
            remedy = "give the folder that --mismatches wrote for these passes"
            raise ConfigError(str(options.adjudicated), "is of another sample", remedy)
        (adjudicated,) = found.passes
    notes = drop_error_texts(
        lambda: decide(annotated, comparison, adjudicated=adjudicated, prefer=options.prefer)
    )
    about = {"agreement": comparison and comparison.agreement, "prefer": options.prefer}
    about["adjudicated"] = len(adjudicated or {})
    return {"notes": drop_error_texts(lambda: write_corpus(annotated, notes, request, about))}


def _describe(comparison: PassComparison) -> Iterator[str]:
    found = comparison.agreement
    yield (
        f"{'type':<14}{'exact F1':>9}{'token F1':>9}{'kappa':>7}"
        f"{'both':>7}{'first':>7}{'second':>7}"
    )
    for label, measured in [("all", found), *found["per_label"].items()]:
        kappa = "" if measured["kappa"] is None else f"{measured['kappa']:.3f}"
        exact = measured["exact"]
        yield (
            f"{label:<14}{exact['f1']:>9.4f}{measured['token']['f1']:>9.4f}{kappa:>7}"
            f"{exact['both']:>7}{exact['first_only']:>7}{exact['second_only']:>7}"
        )
    yield (
        f"{found['notes']} notes read twice; places where they differ: "
        f"{len(comparison.mismatches)}, in {len(comparison.note_ids)} notes"
    )
