"""Trains a representer on the notes of a site, unless its folder holds one already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.private import embeddings
from models.private.embeddings import Embeddings, packaged
from models.private.recipe import RepresenterRecipe, SentenceCorpus
from models.private.representer_training import train
from models.private.serialization import SETTINGS
from models.private.stop_words import stop_words
from models.tagger.shipped_model import SHIPPED
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.sharing.site_encoding import Site
from record.errors import ConfigError


@dataclass(frozen=True)
class RepresenterRequest:
    """Where a representer goes, and how it is trained.

    `embeddings` is `subwords` or `words`, learnt from the notes, `shipped`, or a file of vectors.
    `epochs` bounds the three phases, `langs` are those whose stop words are left unchanged; the
    rest are fields of `RepresenterRecipe`.
    """

    out: Path
    embeddings: str = "subwords"
    way: str = "phases"
    size: int = 50
    neighbours: int = 50
    hiding: float = 0.5
    epochs: tuple[int, int, int] | None = None
    langs: Sequence[str] = ()
    seed: int = 1


def train_representer(
    site: Site, dev: Site, request: RepresenterRequest, progress: Progress
) -> None:
    """Train a representer on notes, with weights selected by those of `dev`.

    An interrupted training goes on. Raises ConfigError where there is a representer already.
    """
    if (request.out / SETTINGS).exists():
        problem = "already holds a representer"
        raise ConfigError(str(request.out), problem, "leave --train out, or give a new folder")
    progress.phase("embeddings")
    vectors = _read_embeddings(site, request)
    recipe = RepresenterRecipe(
        way=request.way,
        size=request.size,
        neighbours=request.neighbours,
        hiding=request.hiding,
        labels=tuple(sorted({*site.labels, *dev.labels})),
        seed=request.seed,
    )
    if request.epochs:
        recipe = replace(recipe, epochs=request.epochs)
    corpus = SentenceCorpus(site.sentences, dev.sentences, vectors, stop_words(request.langs))
    train(
        corpus,
        recipe,
        request.out,
        TrainingCallbacks(evaluated=lambda entry: progress.phase(_describe(entry))),
    )


def _read_embeddings(site: Site, request: RepresenterRequest) -> Embeddings:
    if request.embeddings == "shipped":
        return packaged(SHIPPED)
    if request.embeddings in embeddings.KINDS:
        recipe = embeddings.EmbeddingRecipe(kind=request.embeddings, seed=request.seed)
        return embeddings.train(site.sentences, recipe)
    place = Path(request.embeddings)
    return packaged(place) if place.is_dir() else embeddings.read_vectors(place)


def _describe(entry: Mapping[str, Any]) -> str:
    losses = (
        f"{name.removeprefix('dev_')} {entry[name]:.3f}"
        for name in ("dev_deidentifier", "dev_adversaries", "dev_accuracy")
    )
    return f"{entry['phase']} phase, epoch {entry['epoch'] + 1}: {', '.join(losses)}"
