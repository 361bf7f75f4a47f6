"""`cryptonym corpus sample`: notes of the source, drawn at random for a first corpus."""

import argparse
import secrets

from pipeline.audit.formats import FORMATS
from pipeline.audit.review import SampleRequest
from pipeline.commands.options.output import SUMMARY, add_output_format, print_json
from pipeline.commands.options.sampling import add_sampling
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import load
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.reports.console import Console
from pipeline.training.corpus_sample import PASSES, sample_corpus

DESCRIPTION = """\
Draws a random sample of the source's notes, stratified by kind, and writes it with the spans that
the configured detection finds, for annotators to correct. No run or release is needed, and nothing
but DIR is written. Persons who object are left out. The files hold the ORIGINAL text: they are
personal data (mode 600) and belong where the source is.
"""
EXAMPLES = """\
examples:
  cryptonym corpus sample nightly.toml --per-kind 40 --format brat -o sample
  cryptonym corpus sample nightly.toml --per-kind 40 --format doccano -o sample --passes 2

Exit codes: 0 done; 2 usage or configuration error; 4 a required service is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `corpus sample`."""
    add_sampling(parser)
    parser.add_argument(
        "--passes", type=int, choices=(1, 2), default=1,
        help="number of annotators who each get all notes; 2 writes DIR/first and DIR/second "
        "(default 1)",
    )  # fmt: skip
    add_output_format(parser, json=SUMMARY)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Draw a sample; returns the exit code."""
    seed = secrets.token_hex(8) if options.seed is None else options.seed
    request = SampleRequest(options.per_kind, seed, options.format, options.output)
    with console.progress() as progress:
        # All of it happens in this process: no traceback may quote a note.
        sample = drop_error_texts(
            lambda: sample_corpus(load(options.config), request, progress, passes=options.passes)
        )
    print_json(sample.summary(), options)
    for kind, counts in sample.strata.items():
        console.say(f"{kind}: {counts['read']} of {counts['population']} notes")
    if sample.refused:
        causes = ", ".join(f"{count} {reason}" for reason, count in sample.refused.items())
        console.warn(f"drawn notes that a run would send to quarantine are not in it: {causes}")
    console.say(f"a note counts once its reader marked it: {FORMATS[options.format].how_to_mark}")
    places = ", ".join(str(options.output / name) for name in PASSES[: options.passes])
    console.say(f"seed {sample.seed}: {places if options.passes > 1 else options.output}")
    console.warn(f"{options.output} holds original text: keep it where the source is, then delete")
    return EXIT_DONE
