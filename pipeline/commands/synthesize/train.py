"""`cryptonym synthesize train`: a generator of notes with their entities."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.commands.synthesize.masked_recipe import RECIPE, add_filler_options, run_filler
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains a language model on a corpus that `synthesize prepare` made, to write notes together with
their entities. DIR is all that `synthesize generate` needs. Rerun the same command to resume an
interrupted training. The weights with the lowest perplexity on held-out notes are kept, with
--epsilon the last ones; perplexity is given per token and per character, since tokens of two
vocabularies cannot be compared.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize train corpus -o generator --max-minutes 60
  cryptonym synthesize train corpus -o generator --recipe lstm
  cryptonym synthesize train corpus -o generator --pretrained model-folder --lora 16
  cryptonym synthesize train corpus -o generator --recipe gpt2 --pretrained gpt2-folder
  cryptonym synthesize train corpus -o generator --epsilon 8 --vocabulary-text public-corpus
  cryptonym synthesize train corpus -o watched --canaries 20
  cryptonym synthesize train corpus -o filler --recipe masked --psi 0.5

recipes: gpt (from scratch, default), gpt-small, pretrained (default with --pretrained: goes on with
any causal language model and its own tokenizer), gpt2 (adapts a GPT-2 to a new vocabulary layer by
layer), lstm (Libbi et al. 2021), lstm-small, medtext-2 and medtext-103 (Melamud and Shivade 2019).
masked learns to fill in words, for `synthesize fill` (Belkadi et al. 2023).
With --epsilon training is differentially private for each patient, whatever the recipe but masked,
and requires opacus; notes without a patient are left out.
"""

_CHANGES = (
    *("width", "layers", "heads", "context", "dropout", "vocabulary", "vocabulary_size", "rare"),
    *("epochs", "max_minutes", "seed", "rate", "peak", "step_tokens", "pretrained", "epsilon"),
    *("delta", "lora", "micro_tokens", "patient_notes"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize train`; those left out keep what the recipe says."""
    add = parser.add_argument
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--recipe", metavar="NAME",
        help="recipe, see below (default gpt, with --pretrained pretrained)",
    )  # fmt: skip
    add(
        "--max-minutes", type=float, metavar="M",
        help="time budget in minutes; the schedule is fitted to it (default: no limit)",
    )  # fmt: skip
    add("--epochs", type=positive, metavar="N", help="number of epochs (default: see recipe)")
    add("--seed", type=int, metavar="S", help="random seed (default 1)")
    add(
        "--pretrained", metavar="FOLDER",
        help="Hugging Face folder of a causal language model to go on with; for recipe gpt2, of a "
        "GPT-2",
    )  # fmt: skip
    add(
        "--lora", type=positive, metavar="RANK",
        help="rank of LoRA adapters trained beside the frozen blocks of --pretrained; requires "
        "peft (default: all weights are trained)",
    )  # fmt: skip
    add(
        "--canaries", type=positive, metavar="N",
        help="number of made-up notes to plant and look for later; notes of such a model are "
        "never released (default: none)",
    )  # fmt: skip
    add(
        "--canary-repeats", type=positive, default=10, metavar="K",
        help="number of copies of each planted note (default 10)",
    )  # fmt: skip
    _add_network(parser)
    _add_optimization(parser)
    _add_privacy(parser)
    add_filler_options(parser)
    add_output_format(parser, json="JSON perplexities only")


def _add_network(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("network and vocabulary", "defaults depend on the recipe")
    add = group.add_argument
    add("--width", type=positive, metavar="N", help="width of each layer")
    add("--layers", type=positive, metavar="N", help="number of layers")
    add(
        "--heads", type=positive, metavar="N",
        help="number of attention heads, a divisor of the width",
    )  # fmt: skip
    add(
        "--context", type=positive, metavar="N",
        help="context length of a transformer in tokens (default 1024)",
    )  # fmt: skip
    add("--dropout", type=float, metavar="S", help="dropout rate")
    add(
        "--vocabulary", choices=("words", "pieces"),
        help="unit of the vocabulary: whole words or word pieces",
    )  # fmt: skip
    add(
        "--vocabulary-size", type=positive, metavar="N",
        help="size of a vocabulary of pieces, including special tokens",
    )  # fmt: skip
    add(
        "--rare", type=positive, metavar="N",
        help="minimum frequency of a word; rarer ones are unknown",
    )  # fmt: skip


def _add_optimization(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("optimization", "defaults depend on the recipe")
    add = group.add_argument
    add("--rate", type=float, metavar="R", help="learning rate of an LSTM (default 20)")
    add(
        "--peak", type=float, metavar="R",
        help="peak learning rate of a transformer (default 0.001)",
    )  # fmt: skip
    add("--step-tokens", type=positive, metavar="N", help="batch size of a transformer in tokens")
    add(
        "--micro-tokens", type=positive, metavar="N",
        help="tokens computed at a time by recipe pretrained, whose gradients add up to those of "
        "the batch (default 4096)",
    )  # fmt: skip


def _add_privacy(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("differential privacy").add_argument
    add(
        "--epsilon", type=float, metavar="E",
        help="privacy budget (epsilon) of the training (default: no differential privacy)",
    )  # fmt: skip
    add(
        "--delta", type=float, metavar="D",
        help="delta of the privacy budget (default 1 / (10 x patients))",
    )  # fmt: skip
    add(
        "--requests-epsilon", type=float, metavar="E",
        help="further budget for noised counts of how long notes are and what they have, to ask "
        "for such notes (default: as the public notes have them)",
    )  # fmt: skip
    add(
        "--patient-notes", type=positive, metavar="N",
        help="maximum number of notes of a patient to learn from, chosen by a hash (default 10)",
    )  # fmt: skip
    add(
        "--vocabulary-text", type=Path, metavar="PUBLIC",
        help="public notes to learn the vocabulary from, outside of the privacy budget (default: "
        "the corpus): a file, or a folder written by `synthesize prepare`, from which labels, "
        "kinds and lengths are taken as well",
    )  # fmt: skip


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; returns the exit code."""
    if options.recipe == RECIPE:
        return run_filler(options, console)
    with models_extra("synthesize train"):
        from pipeline.synthetic.generator_training import GeneratorRequest, train_generator
    given = {name: getattr(options, name) for name in _CHANGES}
    request = GeneratorRequest(
        corpus=options.corpus,
        out=options.output,
        recipe=options.recipe or ("pretrained" if options.pretrained else "gpt"),
        changes={name: value for name, value in given.items() if value is not None},
        vocabulary_text=options.vocabulary_text,
        canaries=(options.canaries, options.canary_repeats) if options.canaries else None,
        requests_epsilon=options.requests_epsilon,
    )
    with console.progress() as progress:
        scores = train_generator(request, progress, console.warn)
    print_json(scores, options)
    console.say(
        f"perplexity on held-out notes: {scores['perplexity']:.2f} per token "
        f"({scores['unigram']:.2f} by frequency alone), {scores['per_character']:.3f} per character"
    )
    console.say(f"wrote {options.output}; give it to `synthesize generate`")
    return EXIT_DONE
