"""`cryptonym synthesize attack`: what a generator remembers of the notes it learnt from."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains models beside a generator, with and without single notes, and compares them: S-PDTP with its
floors, counterfactual memorization, membership of notes, and planted notes. Each number is given
beside the same number for a model that cannot have learnt what is looked for, and for one that is
known to leak. DIR gets attack.json, which `synthesize report` reads, and the models, which must
stay inside. Rerun the same command to resume an interrupted attack.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize attack generator corpus -o attacked --key master.key --max-minutes 5
  cryptonym synthesize attack generator corpus -o attacked --key master.key --without 30 --halves 8
  cryptonym synthesize report filtered --measured screened/screen.json attacked/attack.json \\
      -o report --key master.key --requirements generator

This takes 4 trainings, one more for each note of --without, and one for each of --halves. A
generator that was trained with --canaries is tested for its own planted notes; otherwise they are
planted in a separate model.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize attack`."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="folder written by `synthesize train`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus the generator was trained on")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--without", type=positive, default=4, metavar="N",
        help="number of notes left out one by one, at least 2 (default 4)",
    )  # fmt: skip
    add(
        "--halves", type=positive, default=4, metavar="N",
        help="number of models trained on half of the notes, even and at least 4 (default 4)",
    )  # fmt: skip
    add(
        "--canaries", type=positive, default=100, metavar="N",
        help="number of planted notes (default 100)",
    )  # fmt: skip
    add(
        "--repeats", type=positive, default=1, metavar="K",
        help="number of copies of each planted note (default 1)",
    )  # fmt: skip
    add("--max-minutes", type=float, metavar="M", help="time limit of each training, in minutes")
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the choice of notes (default 1)",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train and attack; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize attack"):
        from pipeline.synthetic.measurements.generator_attack import AttackRequest, attack_generator
    request = AttackRequest(
        model=options.model,
        corpus=options.corpus,
        out=options.output,
        without=options.without,
        halves=options.halves,
        canaries=options.canaries,
        repeats=options.repeats,
        max_minutes=options.max_minutes,
        seed=options.seed,
    )
    with console.progress() as progress:
        attack = attack_generator(request, progress)
    path = options.output / "attack.json"
    content = attack.to_json()
    write_signed(path, content, options)
    print_json(content, options)
    for each in attack.found.measured:
        console.say(
            f"{each.name:<28}{each.value:.4f} ({each.low:.4f} to {each.high:.4f}); "
            f"nothing learnt {each.null:.4f}, known leak {each.control:.4f}"
        )
    console.say(f"wrote {path}; the models beside it must stay inside")
    return EXIT_DONE
