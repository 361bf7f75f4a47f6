"""`cryptonym synthesize compare`: synthetic letters beside the letters they were made from."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

if TYPE_CHECKING:
    from evaluation.gate import Measured

DESCRIPTION = """\
Compares synthetic letters with the letters that were masked for them: how similar they are (ROUGE,
features, reading ease and, with an encoder, BERTScore), and which identifiers reappear, whole, in
part or anywhere. Each number is given beside what chance gives and what copies give. With letters
annotated by hand, the masking is scored as well. DIR gets compare.json, which `synthesize report`
reads; it holds numbers only.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize compare filled masked -o compared --key master.key
  cryptonym synthesize compare filled masked -o compared --gold annotated.jsonl --key master.key
  cryptonym synthesize report filled --measured compared/compare.json utility/utility.json \\
      -o report --key master.key

Letters of --gold must have the same note_id and text as the masked letters; a sample is enough.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize compare`."""
    add = parser.add_argument
    add("filled", type=Path, metavar="FILLED", help="folder written by `synthesize fill`")
    add(
        "masked", type=Path, metavar="MASKED",
        help="folder of masked letters from which FILLED was written",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--gold", type=Path, metavar="GOLD",
        help="letters annotated by hand, to score the masking",
    )  # fmt: skip
    add("--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels of GOLD")
    add(
        "--encoder", metavar="NAME|DIR",
        help="encoder for BERTScore: e5-small from an installed package, or a Hugging Face model "
        "folder; nothing is downloaded",
    )  # fmt: skip
    add(
        "--lang", metavar="L",
        help="language of all letters: en, es or fr (default: that of each letter)",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the chance levels (default 1)",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize compare"):
        from pipeline.synthetic.measurements.letter_comparison import (
            ComparisonRequest,
            compare_letters,
        )
    request = ComparisonRequest(
        filled=options.filled,
        masked=options.masked,
        gold=options.gold,
        label_map=options.label_map,
        encoder=options.encoder,
        lang=options.lang,
        seed=options.seed,
    )
    with console.progress() as progress:
        compared = compare_letters(request, progress)
    path = options.output / "compare.json"
    content = compared.to_json()
    write_signed(path, content, options)
    print_json(content, options)
    for line in _table(compared.measured):
        console.say(line)
    console.say(f"{compared.letters} letters; wrote {path}; give it to `synthesize report`")
    return EXIT_DONE


def _table(measured: Iterable["Measured"]) -> Iterator[str]:
    yield f"{'':<28}{'value':>8}{'95 % interval':>20}{'chance':>9}{'copies':>9}"
    for each in measured:
        interval = f"{each.low:.4f} to {each.high:.4f}"
        fields = each.to_json()
        null, control = (
            "" if fields[name] is None else f"{fields[name]:.4f}" for name in ("null", "control")
        )
        yield f"{each.name:<28}{each.value:>8.4f}{interval:>20}{null:>9}{control:>9}"
