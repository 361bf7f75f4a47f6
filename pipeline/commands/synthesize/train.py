"""`cryptonym synthesize train`: a generator of notes with their entities."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.commands.synthesize.filler_training import RECIPE, add_filler_options, train_filler
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains a language model on a corpus that `synthesize prepare` made. It writes notes together with
their entities. DIR is all that `synthesize generate` needs. An interrupted training goes on when
the same command is run again. Weights are kept that foresee held-out notes best; the perplexity is
given for each id and for each character, since ids of two vocabularies cannot be compared.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize train corpus -o generator --max-minutes 60
  cryptonym synthesize train corpus -o generator --recipe lstm
  cryptonym synthesize train corpus -o generator --recipe gpt2 --pretrained gpt2-folder
  cryptonym synthesize train corpus -o generator --epsilon 4 --vocabulary-text public.jsonl
  cryptonym synthesize train corpus -o watched --canaries 20
  cryptonym synthesize train corpus -o filler --recipe masked --psi 0.5

recipes: gpt (from nothing, default), gpt-small, gpt2 (adapts pretrained weights layer by layer),
lstm (Libbi et al. 2021), lstm-small, medtext-2 and medtext-103 (Melamud and Shivade 2019).
masked learns to fill in words, for `synthesize fill` (Belkadi et al. 2023).
With --epsilon training is differentially private for each note of train, and needs opacus.
"""

_CHANGES = (
    *("width", "layers", "heads", "context", "dropout", "vocabulary", "vocabulary_size", "rare"),
    *("epochs", "max_minutes", "seed", "rate", "peak", "step_tokens", "pretrained", "epsilon"),
    *("delta", "lora"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize train`; those left out keep what the recipe says."""
    add = parser.add_argument
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add("--recipe", default="gpt", metavar="NAME", help="recipe, see below (default gpt)")
    add(
        "--max-minutes",
        type=float,
        metavar="M",
        help=("time limit that the schedule is fitted into"),
    )
    add("--epochs", type=positive, metavar="N", help="number of epochs")
    add("--seed", type=int, metavar="S", help="random seed (default 1)")
    add("--width", type=positive, metavar="N", help="width of each layer")
    add("--layers", type=positive, metavar="N")
    add(
        "--heads",
        type=positive,
        metavar="N",
        help=("number of attention heads, a divisor of the width"),
    )
    add(
        "--context",
        type=positive,
        metavar="N",
        help=("context length of a transformer (default 1024)"),
    )
    add("--dropout", type=float, metavar="S")
    add(
        "--vocabulary",
        choices=("words", "pieces"),
        help=("vocabulary of whole words or of word pieces"),
    )
    add(
        "--vocabulary-size",
        type=positive,
        metavar="N",
        help=("size of the piece vocabulary, including special tokens"),
    )
    add(
        "--rare",
        type=positive,
        metavar="N",
        help=("minimum frequency of a word; rarer ones are unknown"),
    )
    add("--rate", type=float, metavar="R", help="learning rate of an LSTM (default 20)")
    add(
        "--peak",
        type=float,
        metavar="R",
        help=("peak learning rate of a transformer (default 0.001)"),
    )
    add("--step-tokens", type=positive, metavar="N", help="batch size of a transformer in tokens")
    add("--pretrained", metavar="FOLDER", help="GPT-2 in HuggingFace's format, for recipe gpt2")
    add(
        "--lora", type=positive, metavar="RANK",
        help="rank of LoRA adapters trained beside the frozen blocks of --pretrained (peft)",
    )  # fmt: skip
    add("--epsilon", type=float, metavar="E", help="privacy budget epsilon for private training")
    add(
        "--delta",
        type=float,
        metavar="D",
        help=("delta of private training (default 1 / (10 x notes))"),
    )
    add(
        "--vocabulary-text", type=Path, metavar="FILE",
        help="other notes to learn the vocabulary from, outside of the privacy budget",
    )  # fmt: skip
    add(
        "--canaries", type=positive, metavar="N",
        help=("number of made-up notes to plant and look for later; notes of such a model are "
              "never released"),
    )  # fmt: skip
    add(
        "--canary-repeats",
        type=positive,
        default=10,
        metavar="K",
        help=("number of copies of each planted note (default 10)"),
    )
    add_filler_options(parser)
    add_speech(parser, json="print the perplexities as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; returns the exit code."""
    if options.recipe == RECIPE:
        return train_filler(options, console)
    with models_extra("synthesize train"):
        from models.language.training.recipe import make_recipe
        from models.training_loop import TrainingCallbacks
        from synthesis.generator_training import train_generator

    given = {name: getattr(options, name) for name in _CHANGES}
    recipe = make_recipe(options.recipe, {n: v for n, v in given.items() if v is not None})
    warnings: list[str] = []
    public = None
    if options.vocabulary_text is not None:
        notes = read_annotated(options.vocabulary_text, warnings)
        public = [note.document.text for note in notes]
    elif options.epsilon is not None:
        warnings.append(
            "the vocabulary is learnt from the notes, outside of the privacy budget; "
            "give --vocabulary-text"
        )
    if options.epsilon is not None and recipe.pretrained is not None:
        warnings.append(
            "private training promises nothing for notes that the pretrained model had read; "
            "see `synthesize overlap`"
        )
    for warning in warnings:
        console.warn(warning)
    with console.progress() as progress:
        progress.phase("learning")
        watch = TrainingCallbacks(progress.advance, lambda scores: progress.phase(_said(scores)))
        canaries = (options.canaries, options.canary_repeats) if options.canaries else None
        scores = train_generator(options.corpus, recipe, options.output, watch, public, canaries)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    console.say(
        f"perplexity on held-out notes: {scores['perplexity']:.2f} an id "
        f"({scores['unigram']:.2f} by frequency alone), {scores['per_character']:.3f} a character"
    )
    console.say(f"wrote {options.output}; give it to `synthesize generate`")
    return EXIT_DONE


def _said(scores: Mapping[str, float]) -> str:
    return f"epoch {scores['epochs']:.1f}, perplexity {scores['perplexity']:.2f}"
