"""`cryptonym synthesize fill`: synthetic letters out of masked ones."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.keys import LOCATORS
from pipeline.commands.options.values import add_batch_work, positive
from pipeline.commands.synthesize.batch_output import print_manifest
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = f"""\
Fills masked letters with words of a model that `synthesize train --recipe masked` made. What
identified becomes a surrogate under the key of a cohort: in a letter one person has one name, and
all dates move alike; each copy of a letter is another person's. A letter that still holds an
identifier of its patient is written again, and refused if that does not help. DIR gets
notes.jsonl and a manifest, as from `synthesize generate`. What was interrupted goes on when the
same command is run again. Screen the letters before they leave.

{LOCATORS}"""
EXAMPLES = """\
examples:
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters \\
      --method iterative --copies 2
  cryptonym synthesize fill filler masked -o synthetic --key master.key --cohort letters --epsilon 8
  cryptonym synthesize fill filler masked -o synthetic --identifiers model

Give the cohort a name of its own, and destroy it (`cryptonym keys destroy`) once the letters are
written: nobody can then tell what a surrogate stands for. With --epsilon every filled word is drawn
privately; words that were not masked are not covered.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize fill`."""
    add = parser.add_argument
    add(
        "model",
        type=Path,
        metavar="MODEL",
        help=("folder written by `synthesize train --recipe masked`"),
    )
    add("masked", type=Path, metavar="MASKED", help="folder written by `synthesize mask`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--identifiers", choices=("surrogates", "model"), default="surrogates",
        help=("source of identifiers: surrogates (default), or the model's words, which keep "
              "neither names nor dates consistent"),
    )  # fmt: skip
    add("--key", metavar="LOCATOR", help="master key from which surrogates are derived")
    add(
        "--custody",
        type=Path,
        metavar="DIR",
        help=("custody folder of the key (default FILE.custody)"),
    )
    add(
        "--cohort",
        metavar="NAME",
        help=("name of the cohort, which together with the key determines all surrogates"),
    )
    add(
        "--policy", metavar="NAME|P.toml",
        help=("policy (default synthetic-source, which replaces everything except the country of "
              "surrogate places); it must not keep any label"),
    )  # fmt: skip
    add(
        "--method", choices=("simultaneous", "iterative"), default="simultaneous",
        help=("order of filling: all places of a window at once (default), or one after another, "
              "which is slower"),
    )  # fmt: skip
    add(
        "--top-k", type=positive, metavar="K",
        help="number of likeliest words to draw from (default 1; iterative 6)",
    )  # fmt: skip
    add(
        "--together", type=positive, default=1, metavar="N",
        help=("number of places the iterative method fills at a time (default 1, as published; N "
              "is about N times faster)"),
    )  # fmt: skip
    add(
        "--window",
        type=positive,
        default=160,
        metavar="N",
        help=("window size in words (default 160)"),
    )
    add(
        "--copies",
        type=positive,
        default=1,
        metavar="N",
        help=("number of letters written for each masked one (default 1)"),
    )
    add(
        "--letters",
        type=positive,
        metavar="N",
        help=("number of masked letters used (default: all)"),
    )
    add(
        "--epsilon",
        type=float,
        metavar="E",
        help=("privacy budget epsilon: draw every word with differential privacy"),
    )
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_batch_work(parser, "letters")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Fill; returns the exit code."""
    with models_extra("synthesize fill"):
        from pipeline.beam.filling import work
        from pipeline.synthetic.batch_work import drive
        from pipeline.synthetic.letter_writing import first_language, open_cohort
        from synthesis.filling_files import assemble
        from synthesis.masked_letters import load_letters

    letters = load_letters(options.masked).letters
    refill = _refill(options, len(letters))
    keys: Mapping[str, str] = {}
    if refill.cohort is not None:
        keys = open_cohort(refill.cohort, first_language(letters)).ids
    _check(refill)
    refill.open_folder(refill.fingerprint(keys))
    started = monotonic()
    with console.progress() as progress:
        progress.phase("filling")
        fresh = drive(refill, work, rest, options.workers, progress)
    manifest = assemble(refill, keys, fresh, monotonic() - started)
    return print_manifest(manifest, _summarize(manifest), options, console)


def _refill(options: argparse.Namespace, letters: int) -> Any:
    from models.language.masked.private_filling import ExponentialMechanism
    from synthesis.filling import Filling, FillingMethod
    from synthesis.filling_files import FillingJob

    method = FillingMethod(options.method)
    top = options.top_k or (6 if method is FillingMethod.ITERATIVE else 1)
    # Copies that are all the likeliest words differ in their surrogates alone.
    if options.copies > 1 and options.top_k is None:
        top = 6
    if options.epsilon is not None:
        ExponentialMechanism.of(options.epsilon)
    return FillingJob(
        model=options.model.absolute(),
        masked=options.masked.absolute(),
        out=options.output.absolute(),
        count=min(letters, options.letters or letters) * options.copies,
        copies=options.copies,
        batch=options.batch,
        filling=Filling(method, top, options.window, options.seed, together=options.together),
        cohort=_cohort(options),
        epsilon=options.epsilon,
    )


def _cohort(options: argparse.Namespace) -> Any:
    from synthesis.filling_files import Cohort

    if options.identifiers == "model":
        for name in ("key", "cohort", "policy"):
            if getattr(options, name) is not None:
                problem = "has no meaning with --identifiers model"
                raise ConfigError(f"--{name}", problem, "leave one of them out")
        return None
    for name in ("key", "cohort"):
        if getattr(options, name) is None:
            remedy = f"give --{name}, or --identifiers model"
            raise ConfigError(f"--{name}", "surrogates are drawn under a key", remedy)
    custody = None if options.custody is None else options.custody.absolute()
    policy = options.policy
    if policy is not None and Path(policy).is_file():
        policy = str(Path(policy).absolute())
    return Cohort(_located(options.key), options.cohort, custody, policy)


def _located(key: str) -> str:
    """Make the path of a key file whole, since workers may work elsewhere."""
    return str(Path(key).absolute()) if Path(key).is_file() else key


def _check(refill: Any) -> None:
    """Refuse what would fail for every letter, before any work."""
    from models.language.masked.masked_model import load_masked

    length = load_masked(refill.model).network.length
    if refill.filling.window > length:
        raise ConfigError("--window", "is more than the model sees", f"give at most {length}")


def _summarize(manifest: Mapping[str, Any]) -> list[str]:
    """Say in a few lines what came of it."""
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
