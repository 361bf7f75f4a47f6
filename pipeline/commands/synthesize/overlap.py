"""`cryptonym synthesize overlap`: what a pretrained model may have seen of a corpus already."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Tests whether a pretrained model may have seen the notes of a corpus before it is trained on them:
neither private training nor scores on held-out notes say anything about such notes. With --text,
sequences of 13 words of the notes are looked up in what the model learnt from. With --unseen, the
test is whether the model finds the notes likelier than notes of the same kind, de-identified in the
same way, that were written after it was made; any other difference between the two shows as well.
DIR gets overlap.json, which `synthesize report` reads: required for generators that start from
pretrained weights.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize overlap base-folder corpus --unseen new.jsonl -o overlap --key master.key
  cryptonym synthesize overlap base-folder corpus --text web-*.jsonl books.txt -o overlap
  cryptonym synthesize report filtered --measured screened/screen.json overlap/overlap.json \\
      -o report --key master.key

--text takes notes in any format that `evaluate` reads, and plain text (.txt), of any size.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize overlap`."""
    add = parser.add_argument
    add("base", type=Path, metavar="BASE", help="Hugging Face folder of a causal language model")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--text", type=Path, nargs="+", default=[], metavar="FILE",
        help="training text of the model, or part of it",
    )  # fmt: skip
    add("--unseen", type=Path, metavar="NOTES", help="notes that the model cannot have seen")
    add(
        "--notes", type=positive, default=200, metavar="N",
        help="maximum number of notes of each kind to test (default 200)",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the choice of notes (default 1)",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare the model with the corpus; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize overlap"):
        from pipeline.synthetic.measurements.base_overlap import OverlapRequest, measure_overlap
        from pipeline.synthetic.measurements.files import OWNER_ONLY, refuse_used
    refuse_used(options.output)
    request = OverlapRequest(
        base=options.base,
        corpus=options.corpus,
        text=options.text,
        unseen=options.unseen,
        notes=options.notes,
        seed=options.seed,
    )
    with console.progress() as progress:
        found = measure_overlap(request, progress)
    for warning in found.warnings:
        console.warn(warning)
    content = found.to_json()
    path = options.output / "overlap.json"
    options.output.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    write_signed(path, content, options)
    path.chmod(0o600)
    print_json(content, options)
    for each in content["measured"]:
        null, control = (
            "unknown" if each[name] is None else f"{each[name]:.4f}" for name in ("null", "control")
        )
        console.say(
            f"{each['name']:<24}{each['value']:.4f} ({each['low']:.4f} to {each['high']:.4f}); "
            f"cannot leak {null}, known leak {control}"
        )
    if found.notes:
        console.say(
            f"{len(found.notes)} notes share 13 consecutive words with the text; {path} lists them"
        )
    console.say(f"wrote {path}; give it to `synthesize report`")
    return EXIT_DONE
