"""`cryptonym share encode`: labelled notes as vectors that other sites can learn from."""

import argparse
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MANIFEST, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.commands.share.site_options import add_notes, site_reader
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Encodes labelled notes as vectors, with the case and the label of each token, and without text. OUT
gets vectors.arrow and manifest.json, which may leave once `share report` says SHARE. INSIDE gets
what attacks on the file need, and must stay; so must REPRESENTER if it was trained on notes that
may not leave, since it holds their words. All sites that pool vectors need the same REPRESENTER.
"""
EXAMPLES = """\
examples:
  cryptonym share encode --notes public.jsonl --train --dev public-dev.jsonl \\
      --representer representer -o public
  cryptonym share encode --notes ours.jsonl --representer representer -o site-a
  cryptonym share encode --notes asthma --release --representer representer -o site-a

Rerun the same command to resume an interrupted training of a representer.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share encode`."""
    add = parser.add_argument
    add_notes(parser)
    add(
        "-o", "--output", type=Path, required=True, metavar="OUT",
        help="output folder, which is shared",
    )  # fmt: skip
    add(
        "--inside", type=Path, metavar="INSIDE",
        help="output folder that stays at the site (default: OUT.inside)",
    )  # fmt: skip
    add(
        "--representer", type=Path, required=True, metavar="REPRESENTER",
        help="representer to encode with",
    )  # fmt: skip
    add(
        "--noise", type=float, default=1.0, metavar="F",
        help="noise multiplier; `share report` holds files with less than 1 (default 1)",
    )  # fmt: skip
    _add_training(parser)
    add_output_format(parser, json=MANIFEST)


def _add_training(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("training of a representer").add_argument
    add(
        "--train", action="store_true",
        help="training of REPRESENTER on NOTES before encoding (default: it exists already)",
    )  # fmt: skip
    add(
        "--dev", nargs="+", metavar="NOTES",
        help="other notes, for the selection of weights; required with --train",
    )  # fmt: skip
    add(
        "--embeddings", default="subwords", metavar="E",
        help="token embeddings: subwords (fastText, default) or words (word2vec), trained on the "
        "notes; shipped (those of the bundled tagger) or a file of vectors (.vec, .txt), which "
        "hold no word of the notes",
    )  # fmt: skip
    add(
        "--size", type=positive, default=50, metavar="D",
        help="dimension of the vector of a token (default 50)",
    )  # fmt: skip
    add(
        "--neighbours", type=positive, default=50, metavar="N",
        help="number of words that an identifier is made indistinguishable from (default 50)",
    )  # fmt: skip
    add(
        "--hiding", type=float, default=0.5, metavar="W",
        help="weight of hiding names against detecting them (default 0.5; 0 as published)",
    )  # fmt: skip
    add(
        "--way", choices=("phases", "reversal"), default="phases",
        help="adversarial training: in phases (default) or by gradient reversal",
    )  # fmt: skip
    add(
        "--epochs", type=positive, nargs=3, metavar=("A", "B", "C"),
        help="maximum number of epochs of the three phases (default 20 20 40)",
    )  # fmt: skip
    add(
        "--lang", nargs="+", default=[], metavar="CODE",
        help="languages whose stop words are left unchanged (default: none)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed of the training (default 1)")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train where asked to, and encode; returns the exit code."""
    with models_extra("share encode"):
        from models.private.serialization import digest, load
        from pipeline.sharing.representer_training import RepresenterRequest, train_representer
        from pipeline.sharing.site_encoding import SharingPaths, encode_site
    if options.noise < 0:
        raise ConfigError("--noise", f"must be at least 0, not {options.noise:g}", "leave it out")
    if options.train and not options.dev:
        raise ConfigError("--dev", "required with --train", "give other notes than NOTES")
    inside = options.inside or options.output.with_name(f"{options.output.name}.inside")
    paths = SharingPaths(options.output, inside)
    paths.check()
    reader = site_reader(options)
    warnings: list[str] = []
    with console.progress() as progress:
        progress.phase("reading")
        site = reader.read(options.notes, warnings)
        if options.train:
            request = RepresenterRequest(
                out=options.representer,
                embeddings=options.embeddings,
                way=options.way,
                size=options.size,
                neighbours=options.neighbours,
                hiding=options.hiding,
                epochs=tuple(options.epochs) if options.epochs else None,
                langs=options.lang,
                seed=options.seed,
            )
            dev = reader.read(options.dev, warnings)
            train_representer(site, dev, request, progress)
        kit = load(options.representer)
        progress.phase("encoding sentences")
        manifest = encode_site(
            site, kit, paths, representer=digest(options.representer), noise=options.noise
        )
    if options.noise < 1:
        warnings.append("--noise is below 1: `share report` will hold this file")
    for warning in warnings:
        console.warn(warning)
    print_json(asdict(manifest), options)
    console.say(
        f"{manifest.sentences} sentences, {manifest.tokens} tokens of {manifest.size} numbers; "
        f"labels {', '.join(manifest.labels)}"
    )
    console.say(f"wrote {options.output}; attack it before it leaves: `share attack`")
    console.say(f"INSIDE: {inside} must not leave")
    return EXIT_DONE
