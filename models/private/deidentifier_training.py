"""Training of a de-identifier on vectors: from examples without text to a folder, resumable."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from models.checkpoint import learnt, load_checkpoint, save_checkpoint
from models.folder import FolderFormat
from models.private.deidentifier import BINARY, Deidentifier, EncodedSentence, VectorBatch
from models.private.embeddings import Integers
from models.private.weight_selection import WeightSelection, batches
from models.training_loop import TrainingLoop, drop_checkpoint, seeded
from record.atomic_write import write_atomically
from record.errors import ConfigError

WEIGHTS = "weights.safetensors"
CLIP = 1.0

SETTINGS = "deidentifier.json"
"""The file that is written last, so that a folder with it is whole."""

_FORM = FolderFormat(SETTINGS, "de-identifier", "cryptonym share train")
_SCORED = 64  # sentences at a time


@dataclass(frozen=True)
class DeidentifierRecipe:
    """How a de-identifier is trained: Nadam, and an end where `patience` epochs bring nothing.

    With `slowing` the rate falls to nothing over all `epochs`, step by step: better where learning
    goes on from what is known, and worse where it begins with nothing and `epochs` are few.
    """

    labels: tuple[str, ...] = BINARY
    units: int = 128
    epochs: int = 20
    patience: int = 10
    batch: int = 32
    rate: float = 2e-3
    slowing: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("units", "epochs", "patience", "batch", "rate"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"--{name}", "must be above 0", "give more")

    def going_on(self, start: Deidentifier) -> "DeidentifierRecipe":
        """Return the same training for a network that begins with the weights of another."""
        return replace(self, units=start.units, slowing=True)


@dataclass(frozen=True, slots=True)
class DeidentifierScores:
    """Shares of tokens that identify somebody, whatever their label: found, right, and both."""

    precision: float
    recall: float
    f1: float


Watch = Callable[[Mapping[str, float]], None]
"""Is told the losses and scores of every epoch."""


def train_deidentifier(
    train: Sequence[EncodedSentence],
    dev: Sequence[EncodedSentence],
    recipe: DeidentifierRecipe,
    out: Path,
    watch: Watch = lambda entry: None,
    start: Deidentifier | None = None,
) -> DeidentifierScores:
    """Train a de-identifier and write it to a folder; returns the scores on `dev`.

    It begins with nothing, or with the weights of `start`, which is of the same inputs and units:
    those of its layers, and of its tags where labels are the same. The weights kept are those with
    the lowest loss on `dev`. A training that was interrupted goes on where its last checkpoint is.
    Sets torch's random state. Raises ConfigError, also where the folder holds a trained one.
    """
    if (out / SETTINGS).exists():
        remedy = "choose another folder, or remove this one"
        raise ConfigError(str(out), "holds a trained de-identifier already", remedy)
    if not train or not dev:
        raise ConfigError("the examples", "are none to learn from or none to select by", "more")
    return _DeidentifierTraining(train, dev, recipe, out, watch, start).run()


def token_scores(deidentifier: Deidentifier, held: Sequence[EncodedSentence]) -> DeidentifierScores:
    """Score a de-identifier, token by token."""
    right, invented, missed = token_counts(deidentifier, held).sum(0).tolist()
    given, gold = right + invented, right + missed
    share = 2 * right / (given + gold) if given + gold else 1.0
    return DeidentifierScores(right / given if given else 1.0, right / gold if gold else 1.0, share)


def token_counts(deidentifier: Deidentifier, held: Sequence[EncodedSentence]) -> Integers:
    """Count tokens that were found, invented and missed. (sentences, 3)"""
    deidentifier.eval()
    counts = np.zeros((len(held), 3), np.int64)
    for places in batches([len(one) for one in held], _SCORED, None):
        asked = [held[place] for place in places]
        predicted = deidentifier.predict(deidentifier.collate(asked))
        for place, one, found in zip(places, asked, predicted, strict=True):
            truth, said = _covered(one.spans), _covered(found)
            counts[place] = len(truth & said), len(said - truth), len(truth - said)
    return counts


def _covered(spans: Sequence[tuple[int, int, str]]) -> set[int]:
    return {place for first, end, _ in spans for place in range(first, end)}


@torch.no_grad()
def mean_loss(deidentifier: Deidentifier, held: Sequence[VectorBatch]) -> float:
    """Return the loss in nats a token."""
    deidentifier.eval()
    total = sum(int(batch.lengths.sum()) for batch in held)
    lost = sum(float(deidentifier.loss(batch)) * int(batch.lengths.sum()) for batch in held)
    return lost / total


def take_step(network: nn.Module, optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> float:
    """Follow a loss, with gradients cut to a norm of 1; returns the loss."""
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_([weights for _, weights in learnt(network)], CLIP)
    optimizer.step()
    return float(loss.detach())


def load_deidentifier(folder: Path) -> Deidentifier:
    """Read a de-identifier; raises ConfigError that names the file which is missing or damaged."""
    settings = _FORM.read(folder)
    try:
        made = Deidentifier(**settings["shape"])
        made.load_state_dict(load_weights(_FORM.checked(folder, settings, WEIGHTS)))
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise _FORM.unfit(folder) from None
    return made.eval()


@dataclass
class _DeidentifierPlace:
    epoch: int = 0
    step: int = 0


class _DeidentifierTraining(TrainingLoop):
    def __init__(
        self,
        train: Sequence[EncodedSentence],
        dev: Sequence[EncodedSentence],
        recipe: DeidentifierRecipe,
        out: Path,
        watch: Watch,
        start: Deidentifier | None,
    ) -> None:
        self.train, self.dev, self.recipe, self.out, self.watch = train, dev, recipe, out, watch
        torch.manual_seed(recipe.seed)
        self.network = Deidentifier(train[0].vectors.shape[1], recipe.labels, recipe.units)
        if start:
            _take_over(self.network, start)
        self.optimizer = torch.optim.NAdam(self.network.parameters(), recipe.rate)
        for group in self.optimizer.param_groups:
            group["initial_lr"] = recipe.rate  # what the falling rate is a share of
        self.mark = _mark(train, dev, recipe, self.network)
        self.selection, self.history = WeightSelection(), list[dict[str, float]]()
        kept = load_checkpoint(out, self.network, self.optimizer, self.mark)
        if kept:
            self.history = kept.place["history"]
            self.selection = WeightSelection.kept(kept.place["selection"], kept.extras)
        self.place: _DeidentifierPlace = _DeidentifierPlace(len(self.history))
        lengths = [len(one) for one in dev]
        self.dev_batches = [self._batch(dev, places) for places in batches(lengths, _SCORED, None)]
        each = ceil(len(train) / recipe.batch)
        self.steps = recipe.epochs * each
        done = len(self.history) * each
        self.slowing = LambdaLR(self.optimizer, self._rate_left, last_epoch=done - 1)

    def _rate_left(self, step: int) -> float:
        return 1 - step / self.steps if self.recipe.slowing else 1.0

    def run(self) -> DeidentifierScores:
        recipe = self.recipe
        self.run_epochs(recipe.epochs)
        self.selection.restore(self.network)
        scores = token_scores(self.network, self.dev)
        about = {"recipe": asdict(recipe), "history": self.history, "dev": asdict(scores)}
        # Write a de-identifier; `deidentifier.json` comes last, so that a folder with it is
        # whole.
        self.out.mkdir(parents=True, exist_ok=True)
        state = {name: value.contiguous() for name, value in self.network.state_dict().items()}
        write_atomically(self.out / WEIGHTS, dump_weights(state))
        _FORM.seal(self.out, {"shape": self.network.shape, "about": about}, (WEIGHTS,))
        drop_checkpoint(self.out)
        return scores

    def is_over(self) -> bool:
        return self.selection.stale >= self.recipe.patience

    def learn(self, step: int, steps: int) -> None:  # noqa: ARG002
        """Learn for an epoch, and judge it."""
        draw = seeded(self.recipe.seed, self.place.epoch)
        torch.manual_seed(draw.initial_seed())
        self.network.train()
        order = batches([len(one) for one in self.train], self.recipe.batch, draw)
        lost = 0.0
        for places in order:
            loss = self.network.loss(self._batch(self.train, places))
            lost += take_step(self.network, self.optimizer, loss)
            self.slowing.step()
        entry = {"train": lost / len(order), "dev": mean_loss(self.network, self.dev_batches)}
        self.history.append(entry)
        self.selection.offer(entry["dev"], self.network)

    def tell_epoch(self) -> None:
        self.watch(self.history[-1])

    def _batch(self, held: Sequence[EncodedSentence], places: Sequence[int]) -> VectorBatch:
        return self.network.collate([held[place] for place in places])

    def checkpoint(self) -> None:
        place = {"history": self.history, "selection": self.selection.place()}
        save_checkpoint(
            self.out, self.network, self.optimizer, place, self.mark, self.selection.state
        )


def _take_over(network: Deidentifier, start: Deidentifier) -> None:
    alike = network.shape["labels"] == start.shape["labels"]
    held = start.state_dict().items()
    taken = {name: value for name, value in held if alike or name.startswith("layers.")}
    network.load_state_dict(taken, strict=False)


def _mark(
    train: Sequence[EncodedSentence],
    dev: Sequence[EncodedSentence],
    recipe: DeidentifierRecipe,
    network: nn.Module,
) -> str:
    total = hashlib.sha256(json.dumps(asdict(recipe)).encode())
    total.update(dump_weights(network.state_dict()))
    for one in (*train, *dev):
        total.update(one.vectors.tobytes() + one.casing.tobytes() + json.dumps(one.spans).encode())
    return f"{total.hexdigest()}-{len(train)}"
