"""`cryptonym train`: training of a tagger on annotated notes."""

import argparse
from dataclasses import asdict
from pathlib import Path

from models.tagger.shipped_model import DEFAULT, NO_MODEL
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Trains a tagger (a transformer with a conditional random field) on the labels of your own notes. Use
DIR as --model. It starts from the shipped tagger unless --encoder, --vocabulary or --start says
otherwise. Files may be in any format that `evaluate` reads. Requires torch and transformers. Rerun
the same command to resume an interrupted training.
"""
EXAMPLES = """\
examples:
  cryptonym train --train train.jsonl --dev dev.jsonl -o tagger --max-minutes 60
  cryptonym train --train a.jsonl b.jsonl --dev dev.jsonl -o tagger --label-map labels.toml
  cryptonym train --train train.jsonl --dev dev.jsonl -o student \\
      --unannotated more.jsonl --teacher tagger-1 tagger-2
  cryptonym train --train train.jsonl --dev dev.jsonl -o ours --start none
  cryptonym detect notes.jsonl -o found.jsonl --model tagger

Files may be annotated with different label sets: a label without spans in a file counts as unknown
there, not as absent.
"""

_CHANGES = (
    *("head", "convolution", "epochs", "max_minutes", "seed", "encoder_rate", "step_tokens"),
    *("masked", "augmented", "recall", "patience", "start"),
)
"""Options that change the recipe where they are given."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `train`; those left out keep what suits the encoder."""
    add = parser.add_argument
    add("--train", type=Path, nargs="+", required=True, metavar="FILE", help="training notes")
    add(
        "--dev", type=Path, nargs="+", required=True, metavar="FILE",
        help="development notes for model selection: by notes without a leak, then by F1",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--unannotated", type=Path, nargs="+", metavar="FILE",
        help="unannotated notes, labelled by majority vote of --teacher",
    )  # fmt: skip
    add(
        "--teacher", type=Path, nargs="+", metavar="DIR",
        help="taggers written by this command with other seeds or options",
    )  # fmt: skip
    add("--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels")
    add(
        "--max-minutes", type=float, metavar="M",
        help="time budget in minutes; the schedule is fitted to it (default: no limit)",
    )  # fmt: skip
    add(
        "--epochs", type=int, metavar="N",
        help="maximum number of epochs (default 10, more for few notes, 30 from scratch)",
    )  # fmt: skip
    add("--seed", type=int, metavar="S", help="random seed (default 1)")
    _add_network(parser)
    _add_optimization(parser)
    add_output_format(parser, json="JSON scores only")


def _add_network(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("network").add_argument
    add(
        "--encoder", metavar="NAME",
        help="encoder that has not seen a tag: e5-small (default with --start none), e5-small-6 "
        "(half of its layers), tiny or tiny-LAYERSxWIDTH (small transformers from scratch), bilstm "
        "(from scratch), or a Hugging Face model folder",
    )  # fmt: skip
    add(
        "--start", metavar="DIR",
        help="start from the weights of a tagger: its encoder, its vocabulary, and what it knows "
        "of labels of the same names. `default`, the shipped one, is taken unless --encoder "
        "or --vocabulary is given; `none` starts from an encoder",
    )  # fmt: skip
    add(
        "--head", choices=("single", "stacked", "softmax"),
        help="output layer: single CRF (default), stacked CRFs for nested spans, or softmax as a "
        "baseline",
    )  # fmt: skip
    add(
        "--convolution", action="store_true", default=None,
        help="convolution over neighbouring words",
    )  # fmt: skip
    add(
        "--window", type=int, default=254, metavar="N",
        help="maximum window length in tokens (default 254)",
    )  # fmt: skip
    add(
        "--context", type=int, default=32, metavar="N",
        help="number of context tokens on each side of a window (default 32)",
    )  # fmt: skip
    add(
        "--vocabulary", type=int, metavar="N",
        help="maximum vocabulary size of --encoder (default 40000)",
    )  # fmt: skip
    add(
        "--learn-embeddings", action="store_true",
        help="training of token embeddings too (default: frozen)",
    )  # fmt: skip


def _add_optimization(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("optimization").add_argument
    add(
        "--encoder-rate", type=float, metavar="R",
        help="learning rate of the encoder (default 2e-4, higher from scratch)",
    )  # fmt: skip
    add("--step-tokens", type=int, metavar="N", help="batch size in tokens (default 2048)")
    add("--masked", type=float, metavar="S", help="share of masked tokens (default 0.05)")
    add("--augmented", type=float, metavar="S", help="share of augmented notes (default 0)")
    add(
        "--recall", type=float, metavar="C",
        help="extra cost of a false negative over a false positive (default 0)",
    )  # fmt: skip
    add(
        "--patience", type=int, metavar="N",
        help="number of evaluations without improvement before training stops (default 5)",
    )  # fmt: skip


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; returns the exit code."""
    with models_extra("train"):
        from models.tagger.encoders.encoder import EncoderConfig
        from pipeline.training.tagger import TrainingRequest, plan_recipe, train_files
    if bool(options.unannotated) != bool(options.teacher):
        remedy = "give both: notes, and the taggers that label them"
        raise ConfigError("--unannotated, --teacher", "one is given without the other", remedy)
    given = {name: getattr(options, name) for name in _CHANGES}
    changes = {name: value for name, value in given.items() if value is not None}
    changes["start"] = _choose_start(options)
    encoder = EncoderConfig(
        options.encoder or "e5-small", options.vocabulary or 40_000, not options.learn_embeddings
    )
    request = TrainingRequest(
        train=options.train,
        dev=options.dev,
        out=options.output,
        recipe=plan_recipe(encoder, options.window, options.context, changes),
        label_map=options.label_map,
        unannotated=options.unannotated or (),
        teachers=options.teacher or (),
    )
    with console.progress() as progress:
        trained = train_files(request, progress)
    for warning in trained.warnings:
        console.warn(warning)
    scores = asdict(trained.scores)
    print_json(scores, options)
    before = asdict(trained.before) if trained.before else {}
    for name, value in scores.items():
        gained = f" (before training {before[name]:.4f})" if before else ""
        console.say(f"{name.replace('_', ' '):<10} {value:.4f}{gained}")
    for rule, label in trained.rule_labels.items():
        console.say(f"beside it, {rule} of rules is labelled {label}")
    console.say(f"energy     {trained.energy}, estimated")
    console.say(f"wrote {options.output}; give it to `detect` as --model")
    return EXIT_DONE


def _choose_start(options: argparse.Namespace) -> str | None:
    """Return the tagger to start from: the shipped one unless an encoder was asked for."""
    if options.start is None:
        return None if options.encoder or options.vocabulary else DEFAULT
    if options.start == NO_MODEL:
        return None
    if options.encoder or options.vocabulary:
        problem = "both a tagger and an encoder to start from"
        remedy = "leave out --encoder and --vocabulary, or give --start none"
        raise ConfigError("--start", problem, remedy)
    return str(options.start)
