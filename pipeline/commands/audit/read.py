"""`cryptonym audit read`: what reviewers found in a sample."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.audit.formats import FORMATS
from pipeline.audit.private_files import write_private
from pipeline.audit.review import CorrectedSample, format_training_lines, read_corrections
from pipeline.commands.options.output import SUMMARY, add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.worker_resources import resolve_urls
from pipeline.quality.reevaluation import describe_fall, reevaluate
from pipeline.reports.console import Console
from pipeline.state.audit_records import open_audit_records

DESCRIPTION = """\
Reads the corrected sample of `audit sample` and estimates the rate of notes without a leak, with
confidence intervals per kind and overall, and precision and recall per label. Notes count that
their reader marked as read: READ on any word in brat and doccano, a submitted task in Label Studio.
Only counts are stored, for the report and the data protection officer's document.
"""
EXAMPLES = """\
examples:
  cryptonym audit read nightly.toml audit-2025-06 --reviewer mk
  cryptonym audit read nightly.toml audit/corrected.json --reviewer mk -o train.jsonl

Exit codes: 0 done; 2 usage or configuration error; 4 a required service is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `audit read`."""
    add = parser.add_argument
    add("config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job")
    add(
        "path", type=Path, metavar="DIR",
        help="sample folder containing the export of the annotation tool, or that export",
    )  # fmt: skip
    add(
        "--reviewer", required=True, metavar="NAME",
        help="name of the reviewer; reading again replaces earlier results",
    )  # fmt: skip
    add(
        "-o", "--output", type=Path, metavar="TRAIN.jsonl",
        help="corrected notes for `train --train` (original text, mode 600)",
    )  # fmt: skip
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Read and store a review; returns the exit code."""
    settings = load(options.config)
    with console.progress() as progress:
        progress.phase("reading")
        corrected = drop_error_texts(lambda: read_corrections(settings, options.path))
        progress.phase("estimating")
        result = _estimate(corrected)
    with open_audit_records(resolve_urls(settings).state, settings.base) as records:
        records.add_review(corrected.sample.sample_id, options.reviewer, result)
        series = records.series()
    if options.output:
        drop_error_texts(
            lambda: write_private(options.output, format_training_lines(corrected.notes))
        )
    print_json(result, options)
    for line in _describe(result):
        console.say(line)
    found = reevaluate(series, settings.quality, datetime.now(UTC).date())
    if fall := describe_fall(found):
        console.warn(fall)
    if corrected.unseen:
        how = FORMATS[corrected.sample.format].how_to_mark
        console.warn(f"{corrected.unseen} notes are not marked as read and do not count: {how}")
    if options.output:
        console.say(f"wrote {options.output}; give it to `train` as --train")
        console.warn(f"{options.output} holds original text: keep it where the source is")
    return EXIT_DONE


def _estimate(corrected: CorrectedSample) -> dict[str, Any]:
    # SciPy is only needed here.
    from evaluation.detection.alignment import pair_annotations
    from evaluation.detection.leak_rate import score_sample

    detected = [found for found, _ in corrected.notes]
    gold = [note for _, note in corrected.notes]
    population = {kind: counts["population"] for kind, counts in corrected.sample.strata.items()}
    result = score_sample(pair_annotations(gold, detected).pairs, population)
    told = {"sample": corrected.sample.sample_id, "unseen": corrected.unseen}
    return result | told | {"marked": len(corrected.notes)}


def _describe(result: dict[str, Any]) -> Iterator[str]:
    whole = result["zero_leak"]
    yield f"notes without a leak: {_rate(whole)}, weighted by kind, {result['notes']} reviewed"
    for kind, found in result["kinds"].items():
        yield f"  {kind}: {_rate(found)}, {found['reviewed']} of {found['population']} reviewed"
    for label, found in result["labels"].items():
        yield (
            f"{label}: precision {found['precision']:.4f}, recall {found['recall']:.4f}, "
            f"redacted {found['redacted']:.4f} of {found['gold_tokens']} tokens"
        )


def _rate(found: dict[str, Any]) -> str:
    bounds = f"({found['low']:.4f} to {found['high']:.4f})"
    return f"{bounds}, no rate" if found["rate"] is None else f"{found['rate']:.4f} {bounds}"
