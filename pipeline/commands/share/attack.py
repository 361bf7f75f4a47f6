"""`cryptonym share attack`: what a shared file gives away to whoever has the representer."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.gate_case import write_measurements
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.commands.share.site_options import add_notes, site_reader
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

if TYPE_CHECKING:
    from evaluation.gate import Measured

DESCRIPTION = """\
Attacks a file of shared vectors, inside, as somebody would who has the file, the representer, and
notes of their own: recovers words with a look-up table and with a trained network, tells a sentence
from its twin with another name, averages several encodings, looks for known sentences, combines
several occurrences of a name, and trains the representer's adversaries further. Each number is
given beside that of vectors that cannot give anything away, and of vectors that hide nothing. DIR
gets attack.json, which `share report` reads.
"""
EXAMPLES = """\
examples:
  cryptonym share attack site-a --notes ours.jsonl --representer representer -o attacked
  cryptonym share report site-a --measured attacked/attack.json -o report --key master.key

Give the notes that were encoded, with the same options. At most half of them are attacked; the
others are what the attacker has.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share attack`."""
    add = parser.add_argument
    add("shared", type=Path, metavar="SHARED", help="folder written by `share encode`")
    add_notes(parser)
    add(
        "--representer", type=Path, required=True, metavar="REPRESENTER",
        help="representer that encoded SHARED",
    )  # fmt: skip
    add(
        "--inside", type=Path, metavar="INSIDE",
        help="folder that stayed at the site (default: SHARED.inside)",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--sentences", type=positive, default=2_000, metavar="N",
        help="maximum number of sentences attacked (default 2000)",
    )  # fmt: skip
    add(
        "--neighbours", type=positive, metavar="N",
        help="number of candidate words for a twin (default: as in the representer's training)",
    )  # fmt: skip
    add(
        "--lang", nargs="+", default=[], metavar="CODE",
        help="languages whose stop words are kept, as in the representer's training (default: "
        "none)",
    )  # fmt: skip
    add(
        "--seeds", type=positive, default=3, metavar="N",
        help="number of repetitions, at least 2 (default 3)",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the choice of notes (default 1)",
    )  # fmt: skip
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Attack; returns the exit code."""
    with models_extra("share attack"):
        from pipeline.training.shared_vectors import VectorAttackRequest, attack_vectors
    request = VectorAttackRequest(
        shared=options.shared,
        representer=options.representer,
        inside=options.inside,
        sentences=options.sentences,
        neighbours=options.neighbours,
        langs=options.lang,
        seeds=options.seeds,
        seed=options.seed,
    )
    warnings: list[str] = []
    reader = site_reader(options)
    with console.progress() as progress:
        attack = attack_vectors(lambda: reader.read(options.notes, warnings), request, progress)
    for warning in warnings:
        console.warn(warning)
    content = attack.to_json()
    path = options.output / "attack.json"
    write_measurements(path, content)
    print_json(content, options)
    console.say(f"{'attack':<22}{'success':>8}{'95 % interval':>20}{'cannot leak':>14}{'leaks':>8}")
    for each in attack.measured:
        console.say(_row(each))
    console.say(f"wrote {path}; give it to `share report`")
    return EXIT_DONE


def _row(each: "Measured") -> str:
    null, control = (
        "-" if number is None else f"{number:.3f}" for number in (each.null, each.control)
    )
    interval = f"{each.low:.3f} to {each.high:.3f}"
    return f"{each.name:<22}{each.value:>8.3f}{interval:>20}{null:>14}{control:>8}"
