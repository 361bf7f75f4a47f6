"""`cryptonym synthesize screen`: what synthetic notes give away about the notes they came from."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Compares synthetic notes with the notes that their model learnt from, and with notes of other
patients: the nearest note by ROUGE and BM25, passages that few patients' notes have, and a
membership attack. DIR gets screen.json, which `synthesize report` reads, and review.jsonl, pairs of
notes for people to read: inside the hospital. Copies are dropped by `synthesize filter` first.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize filter synthetic corpus -o filtered
  cryptonym synthesize screen filtered corpus -o screened --key master.key
  cryptonym synthesize report filtered --measured screened/screen.json -o report --key master.key
  cryptonym synthesize screen synthetic --end-to-end -o screened --key master.key

Every number is given beside the same number for notes that cannot have been copied, and for copies.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize screen`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `synthesize generate`")
    add(
        "corpus", type=Path, nargs="?", metavar="CORPUS",
        help="corpus written by `synthesize prepare`; left out with --end-to-end",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the samples of the attack (default 1)",
    )  # fmt: skip
    add(
        "--end-to-end", action="store_true",
        help="read no private notes, for `report --end-to-end`: measure epsilon and the tags alone",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Screen; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize screen"):
        from pipeline.synthetic.measurements.end_to_end import measure_claim
        from pipeline.synthetic.measurements.files import OWNER_ONLY, refuse_used
        from pipeline.synthetic.measurements.screening import SCREEN, screen_notes
    refuse_used(options.output)
    if (options.corpus is None) is not options.end_to_end:
        problem = "needed, unless --end-to-end is given, which reads none"
        raise ConfigError("CORPUS", problem, "give one of them")
    if options.end_to_end:
        content = measure_claim(options.synthetic)
        options.output.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        write_signed(options.output / SCREEN, content, options)
        print_json(content, options)
        console.say(f"wrote {options.output / SCREEN}; give it to `synthesize report --end-to-end`")
        return EXIT_DONE
    with console.progress() as progress:
        found = screen_notes(options.synthetic, options.corpus, progress, seed=options.seed)
    found.save_review(options.output)
    write_signed(options.output / SCREEN, found.to_json(), options)
    print_json(found.to_json(), options)
    for each in found.measured:
        controls = ""
        if each.null is not None and each.control is not None:
            controls = f"; not copied {each.null:.4f}, copies {each.control:.4f}"
        interval = f"{each.low:.4f} to {each.high:.4f}"
        console.say(f"{each.name:<20}{each.value:.4f} ({interval}){controls}")
    console.say(f"{len(found.pairs)} pairs to read in {options.output}; they hold the notes' text")
    console.say(f"wrote {options.output / SCREEN}; give it to `synthesize report`")
    return EXIT_DONE
