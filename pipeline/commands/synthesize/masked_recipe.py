"""Recipe `masked` of `cryptonym synthesize train`: a model that fills words into letters."""

import argparse
import json
import sys
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import print_json
from pipeline.commands.options.values import positive, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

RECIPE = "masked"

_CHANGES = {
    **{name: name for name in ("epochs", "seed", "dropout", "rare", "batch", "rate")},
    "width": "width",
    "layers": "layers",
    "heads": "heads",
    "context": "length",
}
"""Options -> fields of the recipe that they change."""

_OF_GENERATORS = (
    *("vocabulary", "vocabulary_size", "peak", "step_tokens", "pretrained", "epsilon", "delta"),
    *("vocabulary_text", "canaries", "patient_notes", "requests_epsilon"),
)


def add_filler_options(parser: argparse.ArgumentParser) -> None:
    """Add what recipe `masked` takes beside the options of generators."""
    add = parser.add_argument_group("recipe masked").add_argument
    add("--psi", type=float, metavar="S", help="share of words to predict (default 0.5)")
    add(
        "--phi", type=share, metavar="S",
        help="share of identifiers that are predicted first (default 0.75)",
    )  # fmt: skip
    add("--batch", type=positive, metavar="N", help="batch size in text segments (default 8)")
    add(
        "--encoder", metavar="NAME",
        help="encoder to start from, by name or folder, as for `cryptonym train` (default: from "
        "scratch)",
    )  # fmt: skip
    add(
        "--grid", metavar="FILE.toml",
        help="lists of rate, batch, phi and psi for a grid search that keeps the best model; "
        "`published` names the published grid",
    )  # fmt: skip


def run_filler(options: argparse.Namespace, console: Console) -> int:
    """Train; returns the exit code."""
    with models_extra("synthesize train"):
        from pipeline.synthetic.filler_training import FillerRequest, train_filler
    for name in _OF_GENERATORS:
        if getattr(options, name, None) is not None:
            key = f"--{name.replace('_', '-')}"
            raise ConfigError(key, f"cannot be combined with --recipe {RECIPE}", "leave it out")
    given: dict[str, Any] = {field: getattr(options, name) for name, field in _CHANGES.items()}
    request = FillerRequest(
        corpus=options.corpus,
        out=options.output,
        changes={field: value for field, value in given.items() if value is not None},
        psi=options.psi,
        phi=options.phi,
        encoder=options.encoder,
        grid=options.grid,
        max_minutes=options.max_minutes,
    )
    with console.progress() as progress:
        trained = train_filler(request, progress)
    if trained.trials:
        if options.json:
            trials = [
                {"name": each.name, "perplexity": each.perplexity, "epochs": each.epochs}
                for each in trained.trials
            ]
            sys.stdout.write(json.dumps(trials) + "\n")
        for trial in trained.trials:
            console.say(f"{trial.perplexity:>10.3f}  {trial.epochs:>2} epochs  {trial.name}")
        console.say(f"wrote {options.output}, the first of these; give it to `synthesize fill`")
        return EXIT_DONE
    print_json(trained.about, options)
    history = trained.perplexities
    console.say(
        f"perplexity of masked words of held-out notes: {history[0]:.2f} before, "
        f"{min(history):.2f} after {len(history) - 1} epochs; vocabulary: {trained.about['words']} "
        "words"
    )
    console.say(f"wrote {options.output}; give it to `synthesize fill`")
    return EXIT_DONE
