"""The training loop of every model: epochs, checkpoints, resume, time budget, early stopping.

A training subclasses `TrainingLoop` and adds what one step learns, how the model is evaluated, and
which files are written at the end.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from models.checkpoint import (
    CHECKPOINT,
    read_checkpoint,
    restore_checkpoint,
    save_checkpoint,
    trainable_parameters,
)
from record.atomic_write import write_atomically
from record.errors import ConfigError

_WARM_UP_STEPS = 10  # the first steps are slow and do not predict the speed of the others
_MOST_SECONDS_BETWEEN_CHECKPOINTS = 600  # what an interruption may cost where steps are slow


def make_generator(*seed: object) -> torch.Generator:
    """Return a random generator whose state depends on the parts of the seed alone.

    Trainings seed anew at every epoch or step from their position, so that checkpoints do not
    have to store the state of a generator.
    """
    digest = hashlib.blake2b("/".join(map(str, seed)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest) >> 1)


def seed_torch(*seed: object) -> torch.Generator:
    """Seed torch's global generator as `make_generator` would; return that generator."""
    generator = make_generator(*seed)
    torch.manual_seed(generator.initial_seed())
    return generator


def require_no_model(folder: Path, report: str, model: str) -> None:
    """Raise ConfigError if a folder holds the report of a finished training."""
    if (folder / report).exists():
        remedy = "choose another folder, or delete this one"
        raise ConfigError(str(folder), f"already contains {model}", remedy)


def write_report(folder: Path, report: str, content: Mapping[str, Any]) -> None:
    """Write the report that marks a training as finished, and delete the checkpoint."""
    write_atomically(folder / report, json.dumps(content, indent=1).encode())
    delete_checkpoint(folder)


def delete_checkpoint(folder: Path) -> None:
    """Delete the checkpoint of a finished training."""
    (folder / CHECKPOINT).unlink(missing_ok=True)


def take_step(network: nn.Module, optimizer: torch.optim.Optimizer, max_norm: float) -> None:
    """Update the trainable parameters, with gradients clipped to a norm."""
    parameters = [weights for _, weights in trainable_parameters(network)]
    nn.utils.clip_grad_norm_(parameters, max_norm)
    optimizer.step()


class TimeBudget:
    """The minutes that a training may take, including the time before an interruption."""

    def __init__(self, minutes: float | None, spent: float = 0.0) -> None:
        """Start the clock; `spent` seconds have passed already."""
        self.minutes = minutes
        self._started = monotonic() - spent

    def after(self, spent: float) -> "TimeBudget":
        """Return the same budget with seconds spent before an interruption added."""
        return TimeBudget(self.minutes, self.seconds + spent)

    @property
    def seconds(self) -> float:
        """Seconds spent so far."""
        return monotonic() - self._started

    def fraction_used(self, reserved: float = 0.0) -> float:
        """Return the fraction of the budget that is used; 1 and above when it is exhausted.

        `reserved` seconds are set aside for an evaluation. An unlimited budget is never used.
        """
        if self.minutes is None:
            return 0.0
        seconds, available = self.seconds, 60 * self.minutes - reserved
        return seconds / available if available > seconds else 1.0


@dataclass(frozen=True)
class TrainingCallbacks:
    """Callbacks that report progress.

    `advance` receives the units trained on (notes, chunks) and how many are planned, `evaluated`
    the scores of each evaluation.
    """

    advance: Callable[[int, int], None] = lambda done, planned: None
    evaluated: Callable[[Mapping[str, Any]], None] = lambda scores: None


@dataclass
class TrainingPosition:
    """How far a training has come, as stored in checkpoints: the next step is `step` of `epoch`."""

    epoch: int = 0
    step: int = 0
    seconds: float = 0.0


Position = TypeVar("Position", bound=TrainingPosition)


class TrainingLoop(ABC, Generic[Position]):
    """Runs the epochs of a training from the position where it stands.

    A subclass sets the attributes below, then calls `resume`. `patience` is how many evaluations
    in a row may bring no improvement. A training without steps of its own has one per epoch.
    """

    out: Path
    network: nn.Module
    optimizer: torch.optim.Optimizer
    fingerprint: str
    position: Position
    budget: TimeBudget
    epochs: int
    patience: int | None = None

    def resume(self) -> Mapping[str, Tensor] | None:
        """Restore the checkpoint in the folder, if any; return the tensors of `extra_tensors`."""
        found = read_checkpoint(self.out, self.fingerprint)
        if found is None:
            return None
        state, tensors = found
        self.position = type(self.position)(**state)
        self.budget = self.budget.after(self.position.seconds)
        self.before_restore()
        return restore_checkpoint(self.out, self.network, self.optimizer, tensors)

    def checkpoint(self) -> None:
        """Write weights, optimizer state and position over the previous checkpoint."""
        self.position.seconds = self.budget.seconds
        self.before_checkpoint()
        save_checkpoint(
            self.out,
            self.network,
            self.optimizer,
            asdict(self.position),
            self.fingerprint,
            self.extra_tensors(),
        )

    def run_epochs(self, checkpoint_steps: int = 0) -> None:
        """Run the remaining epochs; with `checkpoint_steps`, checkpoint every so many steps.

        Where steps are slow, a checkpoint is written every ten minutes, too.
        A training whose time runs out within an epoch ends there.
        """
        position = self.position
        while position.epoch < self.epochs and not self.is_over():
            steps = self.begin_epoch(position.epoch)
            while position.step < steps and self.has_time_for_step(steps):
                self.train_step(position.step, steps)
                position.step += 1
                self.end_step(steps)
                if checkpoint_steps and self._is_checkpoint_due(checkpoint_steps):
                    self.checkpoint()
            is_complete = position.step == steps
            if not is_complete:
                self.end_incomplete_epoch(steps)
                return
            position.epoch, position.step = position.epoch + 1, 0
            self.end_epoch(is_last=position.epoch == self.epochs)
            self.checkpoint()
            self.report_epoch()

    def _is_checkpoint_due(self, steps: int) -> bool:
        since = self.budget.seconds - self.position.seconds
        return self.position.step % steps == 0 or since >= _MOST_SECONDS_BETWEEN_CHECKPOINTS

    def schedule_progress(self, steps: int) -> float:
        """Return the fraction of the schedule that has passed, by steps or time, the larger."""
        position = self.position
        by_steps = (position.epoch + (position.step + 0.5) / steps) / self.epochs
        if position.epoch == 0 and position.step < _WARM_UP_STEPS:
            return by_steps
        return min(1.0, max(by_steps, self.time_used()))

    def time_used(self) -> float:
        """Return the fraction of the time budget that is used."""
        if self.budget.minutes is None:
            return 0.0
        return self.budget.fraction_used(self.evaluation_seconds())

    def is_over(self) -> bool:
        """Return whether patience or time has run out; called before each epoch."""
        if self.patience is not None and self.stale_evaluations() >= self.patience:
            return True
        return self.time_used() >= 1

    def stale_evaluations(self) -> int:
        """Return the number of evaluations since the best one."""
        return 0

    def evaluation_seconds(self) -> float:
        """Return the seconds of the budget to reserve for an evaluation."""
        return 0.0

    def begin_epoch(self, epoch: int) -> int:  # noqa: ARG002
        """Prepare an epoch and return the number of its steps."""
        return 1

    def has_time_for_step(self, steps: int) -> bool:  # noqa: ARG002
        """Return whether there is time for another step."""
        return True

    @abstractmethod
    def train_step(self, step: int, steps: int) -> None:
        """Train on one batch, or for one epoch where epochs have a single step."""

    def end_step(self, steps: int) -> None:
        """Report progress, and evaluate if due."""

    def end_incomplete_epoch(self, steps: int) -> None:
        """End a training whose time ran out within an epoch."""

    def end_epoch(self, *, is_last: bool) -> None:
        """Evaluate after a complete epoch; the position is at the next one."""

    def report_epoch(self) -> None:
        """Report the results of a complete epoch, after its checkpoint."""

    def before_restore(self) -> None:
        """Bring network and optimizer into the form that the checkpoint's tensors fit."""

    def before_checkpoint(self) -> None:
        """Update fields of the position that are kept elsewhere during training."""

    def extra_tensors(self) -> Mapping[str, Tensor]:
        """Return further tensors that a checkpoint stores."""
        return {}
