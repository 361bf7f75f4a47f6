"""Gain of a de-identifier trained on the vectors of two sites over one trained on a single site.

    python -m benchmarks.sharing.pooled TRAIN DEV --kit REPRESENTER -o FOLDER [--skip 60]
        [--site 20]

TRAIN and DEV are annotated notes as JSON Lines. The first `--skip` of TRAIN are left out: those
that the representer learnt from. Of the others each site has a half, or `--site` notes. The first
`--chosen` of DEV select weights; the others, or the first `--scored` of them, are scored, token by
token, identifying or not. Everything is encoded once, as `share encode` does it, and de-identifiers
are trained as by `share train --representer`: with one site, with the other, and with both, for
each seed. One site alone has as many epochs as both, or `--alone-epochs`: with twice as many it has
as many steps.

Prints one JSON object a line: each training, and then by how much both are better than each site,
as a mean over seeds, with Student's interval over seeds, the interval that a bootstrap over scored
notes gives, and the chance of such a difference if the two were interchangeable (approximate
randomization over notes). What a run wrote to FOLDER is kept: the same command goes on there.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import bootstrap

from evaluation.detection.intervals import student_interval
from evaluation.utility.tagger_utility import f1, permutation_p_value, precision, recall
from models.private import deidentifier_training
from models.private.deidentifier import Deidentifier, EncodedSentence
from models.private.serialization import digest, load
from pipeline.files.jsonl import JsonLine, read_notes
from pipeline.sharing.joint_training import pool_sites
from pipeline.sharing.shared_files import MANIFEST, read_shared
from pipeline.sharing.site_encoding import SharingPaths, encode_site, make_site, read_order
from record.document import Annotated
from record.errors import ConfigError

ARMS = {"a": ("a",), "b": ("b",), "both": ("a", "b")}
"""The sites that each de-identifier learns from."""

Counts = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Scored:
    """What is scored: sentences, the note that each is of, and how many notes there are."""

    held: Sequence[EncodedSentence] = field(repr=False)
    notes: Numbers
    total: int

    def counts(self, folder: Path) -> Counts:
        """Count tokens that a de-identifier found, invented and missed. (notes, 3)"""
        token_counts = deidentifier_training.token_counts(
            deidentifier_training.load_deidentifier(folder), self.held
        )
        counts = np.zeros((self.total, 3))
        np.add.at(counts, self.notes, token_counts)
        return counts


def main() -> None:
    """Encode, train what is not trained yet, and print how much more both sites teach."""
    options = parser().parse_args()
    torch.set_num_threads(options.threads)
    for found in pooled(options):
        print(json.dumps(found), flush=True)


def pooled(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Train with each site and with both, for each seed, and compare them."""
    shared, scored = _encode(options)
    start = None if options.from_nothing else load(options.kit).deidentifier
    found: dict[str, list[Counts]] = {arm: [] for arm in ARMS}
    for seed in options.seed or range(1, options.seeds + 1):
        for arm, sites in ARMS.items():
            out = options.output / f"{arm}-{seed}"
            recipe = _recipe(options, arm, seed, start)
            if not (out / deidentifier_training.SETTINGS).exists():
                held = pool_sites([shared[site] for site in sites], [shared["chosen"]])
                deidentifier_training.train_deidentifier(
                    held.train, held.dev, recipe, out, start=start
                )
            counts = scored.counts(out)
            found[arm].append(counts)
            yield {"sites": arm, "seed": seed, **_scores(counts.sum(0)), **_losses(out, recipe)}
    for arm in ("a", "b"):
        yield {"both more than": arm, **compare(found["both"], found[arm])}


def _scores(counts: Counts) -> dict[str, float]:
    scores = {"precision": precision, "recall": recall, "f1": f1}
    return {name: float(score(counts)) for name, score in scores.items()}


def compare(both: Sequence[Counts], one: Sequence[Counts]) -> dict[str, Any]:
    """Return by how much F1 is higher, of counts (notes, 3) that each seed gave."""
    pairs = list(zip(both, one, strict=True))
    gains = [float(f1(two.sum(0)) - f1(alone.sum(0))) for two, alone in pairs]
    counts = np.stack([np.sum(both, 0), np.sum(one, 0)])  # each note once, whatever the seeds

    def gain(drawn: Numbers, axis: int) -> Counts:
        two, alone = f1(counts[:, drawn].sum(axis=axis - 1))
        return np.asarray(two - alone)

    notes = np.arange(counts.shape[1])
    apart = bootstrap((notes,), gain, method="percentile", batch=256, rng=1)
    return {
        "gain": float(np.mean(gains)),
        "each seed": gains,
        "over seeds": student_interval(gains) if len(gains) > 1 else None,
        "over notes": [float(bound) for bound in apart.confidence_interval],
        "p": permutation_p_value(counts[0], counts[1], f1),
        "p of each seed": [permutation_p_value(*pair, f1) for pair in pairs],
    }


def _encode(options: argparse.Namespace) -> tuple[dict[str, Path], Scored]:
    """Encode what is not encoded yet, and return the note of each scored sentence."""
    sites = {name: make_site(notes, {}, binary=True) for name, notes in _parts(options).items()}
    kit, encoder = load(options.kit), digest(options.kit)
    shared = {name: options.output / name for name in sites}
    for name, site in sites.items():
        if not (shared[name] / MANIFEST).exists():
            places = SharingPaths(shared[name], _inside(shared[name]))
            encode_site(site, kit, places, representer=encoder)
    manifest, rows = read_shared(shared["scored"])
    if manifest.representer != encoder:
        raise ConfigError(
            str(options.output), "was encoded with another representer", "give a new folder"
        )
    notes = sites["scored"].notes
    note_of = np.repeat(np.arange(len(notes)), [len(note) for note in notes])
    order = read_order(_inside(shared["scored"]), sites["scored"], manifest)
    return shared, Scored(rows, note_of[order], len(notes))


def _parts(options: argparse.Namespace) -> dict[str, list[Annotated]]:
    """Return the notes of each site, those to select by and those to score on."""
    train, dev = _annotated(options.train)[options.skip :], _annotated(options.dev)
    size = options.site or len(train) // 2
    scored = dev[options.chosen :][: options.scored]
    return {
        "a": train[:size],
        "b": train[size : 2 * size],
        "chosen": dev[: options.chosen],
        "scored": scored,
    }


def _recipe(
    options: argparse.Namespace, arm: str, seed: int, start: Deidentifier | None
) -> deidentifier_training.DeidentifierRecipe:
    epochs = options.epochs if arm == "both" else options.alone_epochs or options.epochs
    recipe = deidentifier_training.DeidentifierRecipe(epochs=epochs, seed=seed)
    return recipe.for_fine_tuning(start) if start else recipe


def _losses(out: Path, recipe: deidentifier_training.DeidentifierRecipe) -> dict[str, float]:
    """Return the lowest loss on the notes that weights were selected by, and its epoch."""
    about = json.loads((out / deidentifier_training.SETTINGS).read_text("utf-8"))["about"]
    if about["recipe"] != json.loads(json.dumps(asdict(recipe))):
        raise ConfigError(str(out), "was trained with other settings", "give a new folder")
    losses = [epoch["dev"] for epoch in about["history"]]
    return {"loss": min(losses), "epoch": 1 + int(np.argmin(losses))}


def _inside(shared: Path) -> Path:
    return shared.with_name(f"{shared.name}.inside")


def _annotated(path: Path) -> list[Annotated]:
    return [line.annotated for line in read_notes(path) if isinstance(line, JsonLine)]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = made.add_argument
    add("train", type=Path)
    add("dev", type=Path)
    add("--kit", type=Path, required=True, help="folder of a representer")
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="folder for all results; an interrupted run is resumed",
    )
    add(
        "--skip",
        type=int,
        default=60,
        help="number of first notes of TRAIN to skip, as the representer learnt them",
    )
    add("--site", type=int, help="notes per site; default: half of TRAIN")
    add("--chosen", type=int, default=30, help="number of first notes of DEV for selecting weights")
    add("--scored", type=int, help="number of further notes of DEV to score; default: all")
    add("--epochs", type=int, default=6)
    add("--alone-epochs", type=int, help="epochs for a single site; default: --epochs")
    add("--from-nothing", action="store_true", help="do not start from the representer's network")
    add("--seeds", type=int, default=3)
    add("--seed", type=int, nargs="+", help="seeds to use instead of 1 to --seeds")
    add("--threads", type=int, default=1)
    return made


if __name__ == "__main__":
    main()
