"""`cryptonym share encode`: labelled notes as vectors that other sites can learn from."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.commands.share.site_notes import add_notes, read_site, site_at
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.reports.console import Console
from record.errors import ConfigError

if TYPE_CHECKING:
    from models.private.embeddings import Embeddings
    from pipeline.sharing.encoding import Site

DESCRIPTION = """\
Encodes labelled notes as vectors, with the case of each token and its label, and without text.
OUT gets vectors.arrow and manifest.json, which may leave once `share report` says SHARE. INSIDE
gets what attacks on the file need; it stays, and so does REPRESENTER where it was trained on notes
that may not leave, for it holds their words. All sites that pool vectors need the same REPRESENTER.
"""
EXAMPLES = """\
examples:
  cryptonym share encode --notes public.jsonl --train --dev public-dev.jsonl \\
      --representer representer -o public
  cryptonym share encode --notes ours.jsonl --representer representer -o site-a
  cryptonym share encode --notes asthma --release --representer representer -o site-a

An interrupted training of a representer goes on when the same command is run again.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share encode`."""
    add = parser.add_argument
    add_notes(parser)
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT",
        help=("output folder, which is shared"),
    )
    add(
        "--inside",
        type=Path,
        metavar="INSIDE",
        help=("folder that stays at the site (default OUT.inside)"),
    )
    add(
        "--representer",
        type=Path,
        required=True,
        metavar="REPRESENTER",
        help=("representer to encode with"),
    )
    add("--noise", type=float, default=1.0, metavar="F", help="multiplier of the noise (default 1)")
    train = parser.add_argument_group("training of a representer")
    add = train.add_argument
    add("--train", action="store_true", help="notes to train REPRESENTER on first")
    add("--dev", nargs="+", metavar="NOTES", help="other notes, for the selection of weights")
    add(
        "--embeddings", default="subwords", metavar="E",
        help="subwords (fastText, default) or words (word2vec), learnt from the notes; shipped "
        "(the tagger's pieces) or a file of vectors (.vec, .txt), which hold no word of notes",
    )  # fmt: skip
    add(
        "--size",
        type=positive,
        default=50,
        metavar="D",
        help=("size of the vector of a token (default 50)"),
    )
    add(
        "--neighbours", type=positive, default=50, metavar="N",
        help="number of words an identifier is to be mistaken for (default 50)",
    )  # fmt: skip
    add(
        "--hiding", type=float, default=0.5, metavar="W",
        help="weight of hiding names against detection (default 0.5; 0 trains as published)",
    )  # fmt: skip
    add(
        "--way",
        choices=("phases", "reversal"),
        default="phases",
        help=("way of training (default phases)"),
    )
    add(
        "--epochs", type=positive, nargs=3, metavar=("A", "B", "C"),
        help="maximum epochs of the three phases (default 20 20 40)",
    )  # fmt: skip
    add(
        "--lang",
        nargs="+",
        default=[],
        metavar="CODE",
        help=("language whose stop words are left unchanged"),
    )
    add("--seed", type=int, default=1, metavar="S", help="random seed of the training (default 1)")
    add_speech(parser, json="print the manifest as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train where asked to, and encode; returns the exit code."""
    with models_extra("share encode"):
        from models.private.serialization import digest, load
        from pipeline.sharing.encoding import SharingPaths, encode_site
    if options.noise < 0:
        raise ConfigError("--noise", "is below 0", "leave it out")
    inside = options.inside or options.output.with_name(f"{options.output.name}.inside")
    places = SharingPaths(options.output, inside)
    places.check()
    warnings: list[str] = []
    with console.progress() as progress:
        progress.phase("reading")
        site = read_site(options, warnings)
        if options.train:
            _train(site, options, progress, warnings)
        kit = load(options.representer)
        progress.phase("encoding sentences")
        manifest = encode_site(
            site, kit, places, representer=digest(options.representer), noise=options.noise
        )
    if options.noise < 1:
        warnings.append("--noise is below 1: the file is held back by `share report`")
    for warning in warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(asdict(manifest), sort_keys=True) + "\n")
    console.say(
        f"{manifest.sentences} sentences, {manifest.tokens} tokens of {manifest.size} numbers; "
        f"labels {', '.join(manifest.labels)}"
    )
    console.say(f"wrote {options.output}; attack it before it leaves: `share attack`")
    console.say(f"INSIDE: {inside} must not leave")
    return EXIT_DONE


def _train(
    site: "Site", options: argparse.Namespace, progress: Progress, warnings: list[str]
) -> None:
    """Train a representer, unless the folder holds one that was trained by the same command."""
    from models.private.recipe import RepresenterRecipe, SentenceCorpus
    from models.private.representer_training import train
    from models.private.serialization import SETTINGS
    from models.private.stop_words import stop_words
    from models.training_loop import TrainingCallbacks

    if not options.dev:
        raise ConfigError("--dev", "is missing", "give other notes, to select weights by")
    if (options.representer / SETTINGS).exists():
        problem = "holds a representer already"
        raise ConfigError(str(options.representer), problem, "leave --train out")
    dev = site_at(options.dev, options, warnings)
    progress.phase("embeddings")
    embeddings = _embeddings(site, options)
    recipe = RepresenterRecipe(
        way=options.way,
        size=options.size,
        neighbours=options.neighbours,
        hiding=options.hiding,
        labels=tuple(sorted({*site.labels, *dev.labels})),
        seed=options.seed,
    )
    if options.epochs:
        recipe = replace(recipe, epochs=tuple(options.epochs))
    corpus = SentenceCorpus(site.sentences, dev.sentences, embeddings, stop_words(options.lang))
    callbacks = TrainingCallbacks(evaluated=lambda entry: progress.phase(_said(entry)))
    train(corpus, recipe, options.representer, callbacks)


def _embeddings(site: "Site", options: argparse.Namespace) -> "Embeddings":
    from models.private import embeddings
    from models.private.subword_embeddings import packaged
    from models.tagger.shipped_model import SHIPPED

    if options.embeddings == "shipped":
        return packaged(SHIPPED)
    if options.embeddings in embeddings.KINDS:
        recipe = embeddings.EmbeddingRecipe(kind=options.embeddings, seed=options.seed)
        return embeddings.train(site.sentences, recipe)
    place = Path(options.embeddings)
    return packaged(place) if place.is_dir() else embeddings.read_vectors(place)


def _said(entry: Mapping[str, Any]) -> str:
    losses = (
        f"{name.removeprefix('dev_')} {entry[name]:.3f}"
        for name in ("dev_deidentifier", "dev_adversaries", "dev_accuracy")
    )
    return f"{entry['phase']} phase, epoch {entry['epoch'] + 1}: {', '.join(losses)}"
