"""`cryptonym synthesize fill`: synthetic letters out of masked ones."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.commands.options.engine import add_batch_engine, choose_batch_work
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.keys import LOCATORS
from pipeline.commands.options.values import add_batch_work, positive
from pipeline.commands.synthesize.batch_output import print_manifest
from pipeline.reports.console import Console
from record.errors import ConfigError

if TYPE_CHECKING:
    from synthesis.filling_files import Cohort

DESCRIPTION = f"""\
Fills masked letters with words of a model that `synthesize train --recipe masked` made. Identifiers
become surrogates under the key of a cohort: in a letter one person has one name, and all dates are
shifted alike; each copy of a letter belongs to another person. A letter that still holds an
identifier of its patient is written again, and refused if that does not help. DIR gets notes.jsonl
and a manifest, as from `synthesize generate`. Rerun the same command to resume an interrupted run.
Screen the letters before they leave.

{LOCATORS}"""
EXAMPLES = """\
examples:
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters \\
      --method iterative --copies 2
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters --epsilon 8
  cryptonym synthesize fill filler masked -o synthetic --identifiers model

Use a separate cohort, and destroy it (`cryptonym keys destroy`) once the letters are written: then
nobody can tell what a surrogate stands for. With --epsilon every filled word is drawn with
differential privacy; words that were not masked are not protected.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize fill`."""
    add = parser.add_argument
    add(
        "model", type=Path, metavar="MODEL",
        help="folder written by `synthesize train --recipe masked`",
    )  # fmt: skip
    add("masked", type=Path, metavar="MASKED", help="folder written by `synthesize mask`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--identifiers", choices=("surrogates", "model"), default="surrogates",
        help="source of identifiers: surrogates (default), or words of the model, which keep "
        "neither names nor dates consistent",
    )  # fmt: skip
    add("--key", metavar="LOCATOR", help="master key, from which surrogates are derived")
    add(
        "--custody", type=Path, metavar="DIR",
        help="custody folder of the key (default: FILE.custody)",
    )  # fmt: skip
    add(
        "--cohort", metavar="NAME",
        help="cohort name; with the key it determines all surrogates",
    )  # fmt: skip
    add(
        "--policy", metavar="NAME|P.toml",
        help="bundled policy or policy file, which must not keep any label (default "
        "synthetic-source, which replaces everything except the country of places)",
    )  # fmt: skip
    add(
        "--method", choices=("simultaneous", "iterative"), default="simultaneous",
        help="order of filling: all masked words of a window at once (default simultaneous), or "
        "one after another, which is slower",
    )  # fmt: skip
    add(
        "--top-k", type=positive, metavar="K",
        help="number of likeliest words to draw from (default 1; 6 if iterative or with --copies)",
    )  # fmt: skip
    add(
        "--together", type=positive, default=1, metavar="N",
        help="number of masked words that the iterative method fills at a time (default 1, as "
        "published; N is about N times faster)",
    )  # fmt: skip
    add(
        "--window", type=positive, default=160, metavar="N",
        help="window size in words (default 160)",
    )  # fmt: skip
    add(
        "--copies", type=positive, default=1, metavar="N",
        help="number of letters written for each masked one (default 1)",
    )  # fmt: skip
    add(
        "--letters", type=positive, metavar="N",
        help="maximum number of masked letters used (default: all)",
    )  # fmt: skip
    add(
        "--epsilon", type=float, metavar="E",
        help="privacy budget (epsilon) of each filled word (default: no differential privacy)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_batch_work(parser, "letters")
    add_batch_engine(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Fill; returns the exit code."""
    with models_extra("synthesize fill"):
        from pipeline.beam.filling import work
        from pipeline.synthetic.letter_filling import FillRequest, fill_letters
    chosen = choose_batch_work(options, rest, work, console.warn)
    request = FillRequest(
        model=options.model.absolute(),
        masked=options.masked.absolute(),
        out=options.output.absolute(),
        batch=options.batch,
        cohort=_cohort_of(options),
        method=options.method,
        top_k=options.top_k,
        window=options.window,
        together=options.together,
        copies=options.copies,
        letters=options.letters,
        epsilon=options.epsilon,
        seed=options.seed,
    )
    with console.progress() as progress:
        manifest = fill_letters(request, chosen.work, rest, chosen.workers, progress)
    return print_manifest(manifest, _summarize(manifest), options, console)


def _cohort_of(options: argparse.Namespace) -> "Cohort | None":
    """Return the cohort that surrogates are drawn for; paths are absolute for workers elsewhere."""
    from synthesis.filling_files import Cohort

    if options.identifiers == "model":
        for name in ("key", "cohort", "policy"):
            if getattr(options, name) is not None:
                problem = "cannot be combined with --identifiers model"
                raise ConfigError(f"--{name}", problem, "leave one of them out")
        return None
    for name in ("key", "cohort"):
        if getattr(options, name) is None:
            problem = "required, since surrogates are derived from key and cohort"
            raise ConfigError(f"--{name}", problem, f"give --{name}, or --identifiers model")
    key, policy = (
        str(Path(name).absolute()) if name is not None and Path(name).is_file() else name
        for name in (options.key, options.policy)
    )
    custody = None if options.custody is None else options.custody.absolute()
    return Cohort(key, options.cohort, custody, policy)


def _summarize(manifest: Mapping[str, Any]) -> list[str]:
    refused = ", ".join(f"{count} {reason}" for reason, count in manifest["refused"].items())
    lines = [
        f"{manifest['notes']} letters, {manifest['ids']} words filled; "
        f"{manifest['letters_per_minute']:.0f} letters/min; refused: {refused or 'none'}",
        f"distinct {100 * manifest['distinct']:.1f} %",
    ]
    if manifest["privacy"] is not None:
        spent = manifest["privacy"]
        lines.append(
            f"epsilon {spent['epsilon_of_word']:g} for each filled word, at most "
            f"{spent['largest_epsilon_of_letter']:.0f} for a letter and "
            f"{spent['largest_epsilon_of_source']:.0f} for all letters of one source"
        )
    return lines
