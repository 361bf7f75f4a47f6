"""`cryptonym synthesize attack`: what a generator keeps of the notes it learnt from."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.atomic_write import write_atomically
from record.errors import ConfigError

if TYPE_CHECKING:
    from evaluation.attacks.reference_models import Ground
    from models.language.training.serialization import TrainedGenerator

DESCRIPTION = """\
Trains models beside a generator, with and without single notes, and compares: S-PDTP with its
floors, counterfactual memorization, whose notes were learnt from, and planted notes. Each number
is given beside the same number for a model that cannot have learnt what is looked for, and for one
that is known to leak. DIR gets attack.json, which `synthesize report` reads, and the models, which
stay inside. What was interrupted goes on when the same command is run again.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize attack generator corpus -o attacked --max-minutes 5
  cryptonym synthesize attack generator corpus -o attacked --without 30 --halves 8
  cryptonym synthesize report synthetic --measured screened/screen.json attacked/attack.json \\
      -o report --key master.key --requirements generator

That is 4 trainings, one for each note of --without, and one for each of --halves. A generator that
was trained with --canaries is asked for its own; otherwise they are planted in a model beside it.
"""

_OWNER_ONLY = 0o700


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize attack`."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="folder written by `synthesize train`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus the generator was trained on")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--without",
        type=positive,
        default=4,
        metavar="N",
        help=("number of notes left out (default 4)"),
    )
    add(
        "--halves",
        type=positive,
        default=4,
        metavar="N",
        help=("number of models trained on half of the notes (default 4)"),
    )
    add(
        "--canaries",
        type=positive,
        default=20,
        metavar="N",
        help=("number of planted notes (default 20)"),
    )
    add(
        "--repeats",
        type=positive,
        default=1,
        metavar="K",
        help=("number of copies of each planted note (default 1)"),
    )
    add("--max-minutes", type=float, metavar="M", help="time limit of each training")
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed for the choice of notes (default 1)"),
    )
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train and attack; returns the exit code."""
    with models_extra("synthesize attack"):
        from evaluation.attacks.generator_attacks import Attacker, AttackPlan
        from evaluation.attacks.reference_models import Partners
        from models.language.training.serialization import digest, load
        from models.training_loop import TrainingCallbacks
    try:
        plan = AttackPlan(options.without, options.halves, options.seed)
    except ValueError as error:
        raise ConfigError("--without, --halves", "are too few", str(error)) from None
    target = load(options.model)
    ground = _ground(target, options)
    options.output.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    with console.progress() as progress:

        def tell(name: str) -> TrainingCallbacks:
            progress.phase(name)
            return TrainingCallbacks(progress.advance)

        partners = Partners(ground, options.output / "partners", tell)
        found = Attacker(target, ground, partners, plan).attack(digest(options.model))
    told = {
        "format": 1,
        "recipe": ground.recipe.to_json(),
        "measured": [each.to_json() for each in found.measured],
        "notes": found.notes,
    }
    write_atomically(options.output / "attack.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for each in found.measured:
        console.say(
            f"{each.name:<28}{each.value:.4f} ({each.low:.4f} to {each.high:.4f}); "
            f"nothing learnt {each.null:.4f}, known leak {each.control:.4f}"
        )
    console.say(f"wrote {options.output / 'attack.json'}; the models beside it stay inside")
    return EXIT_DONE


def _ground(target: "TrainedGenerator", options: argparse.Namespace) -> "Ground":
    """Read what the model learnt from; raises ConfigError where that is something else."""
    from evaluation.attacks.reference_models import Ground
    from models.language.training.recipe import recipe_from_json
    from synthesis.canaries import draw_canaries, load_canaries
    from synthesis.prepared_corpus import digest, load_corpus

    about: dict[str, Any] = dict(target.about)
    if about.get("prepared_sha256") != digest(options.corpus):
        problem = "is not the corpus that this model learnt from"
        raise ConfigError(str(options.corpus), problem, "give the corpus it was trained on")
    corpus = load_corpus(options.corpus)
    recipe = recipe_from_json(about["recipe"])
    if options.max_minutes is not None:
        recipe = replace(recipe, max_minutes=options.max_minutes)
    if "canaries" in about:
        canaries = load_canaries(options.model, about["canaries"])
    else:
        canaries = draw_canaries(corpus, options.canaries, options.repeats, options.seed)
    train, dev, test = (corpus.texts(split, target.vocabulary) for split in corpus.notes)
    if len(train) <= options.without or len(test) < 4:
        problem = "has too few notes of train or test"
        raise ConfigError(str(options.corpus), problem, "prepare a larger corpus")
    return Ground(target.vocabulary, train, dev, test, canaries, recipe)
