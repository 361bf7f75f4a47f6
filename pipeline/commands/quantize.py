"""`cryptonym quantize`: int8 quantization of a tagger."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from models.tagger.shipped_model import folder_of
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Quantizes the encoder of a tagger to int8, calibrated on representative notes, for
--runtime openvino-int8. Requires the extra `quantization`; the result requires `openvino`.
"""
EXAMPLES = """\
examples:
  cryptonym quantize tagger train.jsonl -o tagger-int8
  cryptonym detect notes.jsonl -o found.jsonl --model tagger-int8 --runtime openvino-int8

A hundred notes suffice, in any format that `evaluate` reads; spans are ignored. DIR holds scales
and weights, no text. Finally both precisions are compared on held-out notes: their disagreement is
the cost of int8.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `quantize`."""
    add = parser.add_argument
    add("tagger", metavar="TAGGER", help="tagger folder written by `train`, or `default`")
    add("notes", type=Path, metavar="NOTES", help="calibration notes like those it will process")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add_output_format(parser, json="JSON result only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Quantize; returns the exit code."""
    out: Path = options.output
    if out.exists() and any(out.iterdir()):
        raise ConfigError(str(out), "not empty", "give a new folder")
    with models_extra("quantize", "quantization"):
        from pipeline.training.quantization import quantize_tagger
    warnings: list[str] = []
    with console.progress() as progress:
        done = quantize_tagger(folder_of(options.tagger), options.notes, out, progress, warnings)
    for warning in warnings:
        console.warn(warning)
    if not done.compared:
        console.warn(
            "not compared: openvino-int8 needs VNNI instructions, which this processor lacks"
        )
    elif done.fitted_to_same:
        console.warn("compared on the calibration notes themselves: give ten notes or more")
    if options.json:
        content = asdict(done) | {"agreement": done.agreement if done.compared else None}
        sys.stdout.write(json.dumps(content, sort_keys=True) + "\n")
    console.say(f"calibrated on {done.notes} notes")
    if done.compared:
        console.say(
            f"in {done.compared} notes int8 finds {done.spans_in_eight_bits} spans, full precision "
            f"{done.spans}; {done.same} are the same (F1 {done.agreement:.4f})"
        )
    console.say(f"wrote {out}; give it to `detect` as --model, with --runtime openvino-int8")
    return EXIT_DONE
