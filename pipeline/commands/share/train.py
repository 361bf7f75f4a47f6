"""`cryptonym share train`: a de-identifier that learns from the vectors of several sites."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains a de-identifier on the pooled vectors of several sites: a network that finds identifiers in
vectors of one representer. It needs no site's text. Scores are per token, whatever the label, on
the vectors of --test or, without it, of --dev, by which weights were selected. With --representer
training starts from the network in that folder, which already reads the same vectors and needs
fewer epochs. Rerun the same command to resume an interrupted training.
"""
EXAMPLES = """\
examples:
  cryptonym share train site-a site-b --dev ours-dev --test ours-test \\
      --representer representer -o deidentifier
  cryptonym share train site-a --dev ours-dev -o alone --epochs 10
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share train`."""
    add = parser.add_argument
    add("shared", type=Path, nargs="+", metavar="SHARED", help="folders written by `share encode`")
    add(
        "--dev", type=Path, nargs="+", required=True, metavar="SHARED",
        help="vectors for the selection of weights",
    )  # fmt: skip
    add(
        "--test", type=Path, nargs="+", default=[], metavar="SHARED",
        help="vectors to score on (default: those of --dev)",
    )  # fmt: skip
    add(
        "--representer", type=Path, metavar="REPRESENTER",
        help="representer that encoded the vectors, whose network training starts from (default: "
        "random weights)",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--epochs", type=positive, default=20, metavar="N",
        help="maximum number of epochs (default 20)",
    )  # fmt: skip
    add(
        "--patience", type=positive, default=10, metavar="N",
        help="number of epochs without improvement before training stops (default 10)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_output_format(parser, json="JSON scores only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Pool and train; returns the exit code."""
    with models_extra("share train"):
        from pipeline.sharing.joint_training import JointTrainingRequest, train_jointly
    request = JointTrainingRequest(
        shared=options.shared,
        dev=options.dev,
        test=options.test,
        out=options.output,
        representer=options.representer,
        epochs=options.epochs,
        patience=options.patience,
        seed=options.seed,
    )
    with console.progress() as progress:
        trained = train_jointly(request, progress, console.warn)
    print_json(trained.to_json(), options)
    console.say(f"trained on {trained.sentences} sentences of {trained.sites} files")
    for name, value in trained.scores.items():
        console.say(f"{name:<10} {value:.4f}")
    console.say(f"wrote {options.output}")
    return EXIT_DONE
