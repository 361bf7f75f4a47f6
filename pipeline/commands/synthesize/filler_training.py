"""Training of a masked language model, one recipe among those of `cryptonym synthesize train`."""

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import positive, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from pipeline.synthetic.corpus_letters import read_letters, with_own
from record.document import Annotated
from record.errors import ConfigError
from record.tokens import Token
from synthesis.masking import touched_words, words_of
from synthesis.prepared_corpus import digest, load_corpus

RECIPE = "masked"

_SIZES = {"width": "width", "layers": "layers", "heads": "heads", "context": "length"}
_OTHERS = ("epochs", "seed", "dropout", "rare", "batch")
_OF_GENERATORS = (
    *("vocabulary", "vocabulary_size", "peak", "step_tokens", "pretrained", "epsilon", "delta"),
    *("vocabulary_text", "canaries"),
)
_ENCODER_RATE = 1e-4
_ENCODER_LENGTH = 160


def add_filler_options(parser: argparse.ArgumentParser) -> None:
    """Add what recipe `masked` takes beside the options of generators."""
    add = parser.add_argument_group("recipe masked").add_argument
    add("--psi", type=float, metavar="S", help="share of words to predict (default 0.5)")
    add("--phi", type=share, metavar="S", help="share of identifiers hidden first (default 0.75)")
    add("--batch", type=positive, metavar="N", help="batch size in text segments (default 8)")
    add(
        "--encoder", metavar="NAME",
        help="encoder to start from, by name or folder, as for `cryptonym train`",
    )  # fmt: skip
    add(
        "--grid", metavar="FILE.toml",
        help=("grid search over lists of rate, batch, phi and psi, keeping the best; `published` "
              "names the published grid"),
    )  # fmt: skip


def train_filler(options: argparse.Namespace, console: Console) -> int:
    """Train; returns the exit code."""
    with models_extra("synthesize train"):
        from models.language.masked.training import TRAINING, MaskedCorpora, train_masked
        from models.training_loop import TrainingCallbacks

    recipe = _recipe(options)
    corpus = load_corpus(options.corpus)
    about = {
        "prepared_sha256": digest(options.corpus),
        "origin": corpus.manifest["origin"],
        "privacy": None,
    }
    with console.progress() as progress:
        progress.phase("reading")
        parts = [read_letters(corpus, split) for split in ("train", "dev")]
        corpora = MaskedCorpora(*([_letter(each) for each in with_own(part)] for part in parts))

        def callbacks(name: str) -> TrainingCallbacks:
            def evaluated(scores: Mapping[str, Any]) -> None:
                epoch, perplexity = scores["epoch"], scores["perplexity"]
                progress.phase(f"{name} epoch {epoch}, perplexity {perplexity:.2f}".strip())

            progress.phase(f"learning {name}".strip())
            return TrainingCallbacks(progress.advance, evaluated)

        if options.grid is not None:
            return _search(options, recipe, corpora, (callbacks, about, console))
        history = train_masked(
            corpora,
            recipe,
            options.output,
            callbacks(""),
            about=about,
            max_minutes=options.max_minutes,
        )
    told = json.loads((options.output / TRAINING).read_text("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    console.say(
        f"perplexity of masked words of held-out notes: {history[0]:.2f} before, "
        f"{min(history):.2f} after {len(history) - 1} epochs; {told['words']} words known"
    )
    console.say(f"wrote {options.output}; give it to `synthesize fill`")
    return EXIT_DONE


def _search(
    options: argparse.Namespace, recipe: Any, corpora: Any, rest: tuple[Any, Any, Console]
) -> int:
    from models.language.masked.grid_search import combinations, search

    callbacks, about, console = rest
    recipes = combinations(recipe, _grid(options.grid))
    trials = search(
        corpora,
        recipes,
        options.output,
        callbacks=callbacks,
        about=about,
        max_minutes=options.max_minutes,
    )
    ranked = sorted(trials, key=lambda trial: trial.perplexity)
    if options.json:
        told = [{"name": t.name, "perplexity": t.perplexity, "epochs": t.epochs} for t in ranked]
        sys.stdout.write(json.dumps(told) + "\n")
    for trial in ranked:
        console.say(f"{trial.perplexity:>10.3f}  {trial.epochs:>2} epochs  {trial.name}")
    console.say(f"wrote {options.output} with the first of these; give it to `synthesize fill`")
    return EXIT_DONE


def _recipe(options: argparse.Namespace) -> Any:
    from models.language.corpus.masking import MaskRecipe
    from models.language.masked.training import MaskedRecipe

    for name in _OF_GENERATORS:
        if getattr(options, name, None) is not None:
            key = f"--{name.replace('_', '-')}"
            raise ConfigError(key, f"has no meaning with --recipe {RECIPE}", "leave it out")
    given: dict[str, Any] = {name: getattr(options, name) for name in _OTHERS}
    given |= {inner: getattr(options, name) for name, inner in _SIZES.items()}
    recipe = MaskedRecipe()
    if options.encoder is not None:
        recipe = replace(
            recipe, encoder=options.encoder, rate=_ENCODER_RATE, length=_ENCODER_LENGTH
        )
    given["rate"] = options.rate
    try:
        mask = MaskRecipe(
            recipe.mask.psi if options.psi is None else options.psi,
            recipe.mask.phi if options.phi is None else options.phi,
        )
    except ValueError as error:
        raise ConfigError("--psi", str(error), "correct it") from None
    known = {name: value for name, value in given.items() if value is not None}
    recipe = replace(recipe, mask=mask, **known)
    if recipe.width % recipe.heads:
        raise ConfigError("--heads", "do not divide the width", "choose both anew")
    return recipe


def _grid(name: str) -> Mapping[str, Sequence[float]]:
    from models.language.masked.grid_search import PUBLISHED

    if name == "published":
        return PUBLISHED
    remedy = "write lines such as  psi = [0.3, 0.5]"
    try:
        held = tomllib.loads(Path(name).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError("--grid", f"{name} is no TOML file", remedy) from None
    for key, values in held.items():
        numbers = isinstance(values, list) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in values
        )
        if not numbers or not values:
            raise ConfigError(f"grid.{key}", "is no list of numbers", remedy)
    return held


def _letter(letter: Annotated) -> Any:
    from models.language.masked.training import MaskedLetter

    text = letter.document.text
    words: list[Token] = words_of(text)
    told = touched_words(letter.spans, words)
    return MaskedLetter(
        [text[start:end] for start, end in words], [number in told for number in range(len(words))]
    )
