"""Training of a de-identifier on vectors, without access to text."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from models.private.deidentifier import BINARY, Deidentifier, EncodedSentence, VectorBatch
from models.private.embeddings import Integers
from models.private.weight_selection import BestWeights, batches
from models.serialization import FolderFormat
from models.training_loop import (
    TimeBudget,
    TrainingCallbacks,
    TrainingLoop,
    TrainingPosition,
    delete_checkpoint,
    require_no_model,
    seed_torch,
    take_step,
)
from record.atomic_write import write_atomically
from record.errors import ConfigError

WEIGHTS = "weights.safetensors"
CLIP = 1.0

SETTINGS = "deidentifier.json"
"""The file that is written last, so that a folder with it is whole."""

_FOLDER_FORMAT = FolderFormat(SETTINGS, "de-identifier", "cryptonym share train")
_SCORED = 64  # sentences at a time


@dataclass(frozen=True)
class DeidentifierRecipe:
    """Hyperparameters of a de-identifier; trained with Nadam and early stopping by `patience`.

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
                raise ConfigError(f"--{name}", "must be above 0", "give a positive number")

    def for_fine_tuning(self, start: Deidentifier) -> "DeidentifierRecipe":
        """Return the recipe for fine-tuning another network."""
        return replace(self, units=start.units, slowing=True)


@dataclass(frozen=True, slots=True)
class DeidentifierScores:
    """Precision, recall and F1 of identifying tokens, whatever their label."""

    precision: float
    recall: float
    f1: float


def train_deidentifier(
    train: Sequence[EncodedSentence],
    dev: Sequence[EncodedSentence],
    recipe: DeidentifierRecipe,
    out: Path,
    callbacks: TrainingCallbacks | None = None,
    start: Deidentifier | None = None,
) -> DeidentifierScores:
    """Train a de-identifier, write it to a folder and return its scores on `dev`.

    Starts from scratch, or from the weights of `start`, which must have the same inputs and units:
    those of its layers, and those of its tags if the labels are the same. Keeps the weights with
    the lowest loss on `dev`, and resumes from the checkpoint in the folder. Seeds torch's global
    generator. Raises ConfigError, also if the folder already contains a trained de-identifier.
    """
    require_no_model(out, SETTINGS, "a trained de-identifier")
    if not train or not dev:
        problem = "none to train on, or none for model selection"
        raise ConfigError("the examples", problem, "give more examples")
    return _DeidentifierTraining(
        train, dev, recipe, out, callbacks or TrainingCallbacks(), start
    ).run()


def token_scores(deidentifier: Deidentifier, held: Sequence[EncodedSentence]) -> DeidentifierScores:
    """Score a de-identifier, token by token."""
    right, invented, missed = token_counts(deidentifier, held).sum(0).tolist()
    given, gold = right + invented, right + missed
    share = 2 * right / (given + gold) if given + gold else 1.0
    return DeidentifierScores(right / given if given else 1.0, right / gold if gold else 1.0, share)


def token_counts(deidentifier: Deidentifier, held: Sequence[EncodedSentence]) -> Integers:
    """Count true positive, false positive and false negative tokens. (sentences, 3)"""
    deidentifier.eval()
    counts = np.zeros((len(held), 3), np.int64)
    for places in batches([len(one) for one in held], _SCORED, None):
        sentences = [held[place] for place in places]
        predicted = deidentifier.predict(deidentifier.collate(sentences))
        for place, one, found in zip(places, sentences, predicted, strict=True):
            gold_tokens, predicted_tokens = _tokens_in(one.spans), _tokens_in(found)
            counts[place] = (
                len(gold_tokens & predicted_tokens),
                len(predicted_tokens - gold_tokens),
                len(gold_tokens - predicted_tokens),
            )
    return counts


def _tokens_in(spans: Sequence[tuple[int, int, str]]) -> set[int]:
    return {place for first, end, _ in spans for place in range(first, end)}


@torch.no_grad()
def mean_loss(deidentifier: Deidentifier, held: Sequence[VectorBatch]) -> float:
    """Return the loss in nats per token."""
    deidentifier.eval()
    total = sum(int(batch.lengths.sum()) for batch in held)
    lost = sum(float(deidentifier.loss(batch)) * int(batch.lengths.sum()) for batch in held)
    return lost / total


def minimize(network: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> float:
    """Take one optimizer step on a loss, with gradients clipped to a norm of 1; return the loss."""
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    take_step(network, optimizer, CLIP)
    return float(loss.detach())


def load_deidentifier(folder: Path) -> Deidentifier:
    """Read a de-identifier; raises ConfigError that names the file which is missing or damaged."""
    settings = _FOLDER_FORMAT.read(folder)
    try:
        made = Deidentifier(**settings["shape"])
        made.load_state_dict(load_weights(_FOLDER_FORMAT.read_verified(folder, settings, WEIGHTS)))
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise _FOLDER_FORMAT.mismatch_error(folder) from None
    return made.eval()


@dataclass
class _DeidentifierPosition(TrainingPosition):
    """How far a training has come: the losses of every epoch, and the state of the selection."""

    history: list[dict[str, float]] = field(default_factory=list)
    selection: dict[str, Any] = field(default_factory=dict)


class _DeidentifierTraining(TrainingLoop[_DeidentifierPosition]):
    network: Deidentifier

    def __init__(
        self,
        train: Sequence[EncodedSentence],
        dev: Sequence[EncodedSentence],
        recipe: DeidentifierRecipe,
        out: Path,
        callbacks: TrainingCallbacks,
        start: Deidentifier | None,
    ) -> None:
        self.train, self.dev, self.recipe, self.out = train, dev, recipe, out
        self.callbacks, self.budget = callbacks, TimeBudget(None)
        self.epochs, self.patience = recipe.epochs, recipe.patience
        torch.manual_seed(recipe.seed)
        self.network = Deidentifier(train[0].vectors.shape[1], recipe.labels, recipe.units)
        if start:
            _copy_weights(self.network, start)
        self.optimizer = torch.optim.NAdam(self.network.parameters(), recipe.rate)
        for group in self.optimizer.param_groups:
            group["initial_lr"] = recipe.rate  # what the falling rate is a share of
        self.fingerprint = _fingerprint(train, dev, recipe, self.network)
        self.position, self.selection = _DeidentifierPosition(), BestWeights()
        extras = self.resume()
        if extras is not None:
            self.selection = BestWeights.from_checkpoint(self.position.selection, extras)
            self.position.epoch = len(self.position.history)
        lengths = [len(one) for one in dev]
        self.dev_batches = [self._batch(dev, places) for places in batches(lengths, _SCORED, None)]
        each = ceil(len(train) / recipe.batch)
        self.steps = recipe.epochs * each
        done = self.position.epoch * each
        self.scheduler = LambdaLR(
            self.optimizer,
            lambda step: 1 - step / self.steps if recipe.slowing else 1.0,
            last_epoch=done - 1,
        )

    def run(self) -> DeidentifierScores:
        recipe = self.recipe
        self.run_epochs()
        self.selection.restore(self.network)
        scores = token_scores(self.network, self.dev)
        history = self.position.history
        about = {"recipe": asdict(recipe), "history": history, "dev": asdict(scores)}
        # The settings are written last: a folder that has them is complete.
        self.out.mkdir(parents=True, exist_ok=True)
        state = {name: value.contiguous() for name, value in self.network.state_dict().items()}
        write_atomically(self.out / WEIGHTS, dump_weights(state))
        _FOLDER_FORMAT.write_settings(
            self.out, {"shape": self.network.shape, "about": about}, (WEIGHTS,)
        )
        delete_checkpoint(self.out)
        return scores

    def stale_evaluations(self) -> int:
        return self.selection.stale

    def train_step(self, step: int, steps: int) -> None:  # noqa: ARG002
        """Train for an epoch, and evaluate."""
        draw = seed_torch(self.recipe.seed, self.position.epoch)
        self.network.train()
        order = batches([len(one) for one in self.train], self.recipe.batch, draw)
        lost = 0.0
        for places in order:
            loss = self.network.loss(self._batch(self.train, places))
            lost += minimize(self.network, self.optimizer, loss)
            self.scheduler.step()
        entry = {"train": lost / len(order), "dev": mean_loss(self.network, self.dev_batches)}
        self.position.history.append(entry)
        self.selection.consider(entry["dev"], self.network)

    def report_epoch(self) -> None:
        self.callbacks.evaluated(self.position.history[-1])

    def _batch(self, held: Sequence[EncodedSentence], places: Sequence[int]) -> VectorBatch:
        return self.network.collate([held[place] for place in places])

    def before_checkpoint(self) -> None:
        self.position.selection = self.selection.to_json()

    def extra_tensors(self) -> dict[str, Tensor]:
        return self.selection.state


def _copy_weights(network: Deidentifier, start: Deidentifier) -> None:
    same_labels = network.shape["labels"] == start.shape["labels"]
    held = start.state_dict().items()
    taken = {name: value for name, value in held if same_labels or name.startswith("layers.")}
    network.load_state_dict(taken, strict=False)


def _fingerprint(
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
