"""The course of a training: epochs of steps, resumed, timed, stopped and kept in one way.

What is learnt in a step, how it is judged and what is written at the end is the training's own.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import torch

from models.checkpoint import CHECKPOINT
from record.atomic_write import write_atomically
from record.errors import ConfigError

UNTIMED_STEPS = 10
"""The first steps are slow and say nothing about the others."""


def seeded(*parts: object) -> torch.Generator:
    """Return a source of chance that depends on these parts alone.

    Trainings draw chance anew from the place they are at, so that no checkpoint has to keep it.
    """
    drawn = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(drawn) >> 1)


def refuse_finished(folder: Path, report: str, what: str) -> None:
    """Raise ConfigError where a folder holds the report of a training that had ended."""
    if (folder / report).exists():
        remedy = "choose another folder, or remove this one"
        raise ConfigError(str(folder), f"holds {what} already", remedy)


class TimeBudget:
    """The minutes a training may take in all, those before an interruption included."""

    def __init__(self, minutes: float | None, spent: float = 0.0) -> None:
        """Begin to count; `spent` are seconds of before."""
        self._minutes = minutes
        self._began = monotonic() - spent

    def after(self, spent: float) -> "TimeBudget":
        """Return the same budget with what was spent before an interruption."""
        return TimeBudget(self._minutes, self.seconds + spent)

    @property
    def seconds(self) -> float:
        """Seconds spent so far."""
        return monotonic() - self._began

    def used(self, reserved: float = 0.0) -> float:
        """Return the share of the time that is used, from 0 to 1 and beyond.

        `reserved` seconds are kept for an evaluation. Without a limit nothing is ever used.
        """
        if self._minutes is None:
            return 0.0
        seconds, left = self.seconds, 60 * self._minutes - reserved
        return seconds / left if left > seconds else 1.0


class Place(Protocol):
    """Where a training stands: the next step is `step` of `epoch`, both from 0."""

    epoch: int
    step: int


class TrainingLoop(ABC):
    """Runs the epochs of a training from the place where it stands.

    A subclass sets `place`, which a checkpoint restores, and says what a step learns. A training
    that knows epochs alone has one step in each.
    """

    place: Place

    def run_epochs(self, epochs: int, checkpoint_steps: int = 0) -> None:
        """Go through the epochs that are left; with `checkpoint_steps`, keep every so many steps.

        An epoch that ran out of time ends the training.
        """
        place = self.place
        while place.epoch < epochs and not self.is_over():
            steps = self.begin_epoch(place.epoch)
            while place.step < steps and self.may_go_on(steps):
                self.learn(place.step, steps)
                place.step += 1
                self.end_step(steps)
                if checkpoint_steps and place.step % checkpoint_steps == 0:
                    self.checkpoint()
            is_whole = place.step == steps
            if not is_whole:
                self.end_early(steps)
                return
            place.epoch, place.step = place.epoch + 1, 0
            self.end_epoch(is_last=place.epoch == epochs)
            self.checkpoint()
            self.tell_epoch()

    def is_over(self) -> bool:
        """Return whether patience or time has run out; asked before each epoch."""
        return False

    def begin_epoch(self, epoch: int) -> int:  # noqa: ARG002
        """Prepare an epoch; returns the number of its steps."""
        return 1

    def may_go_on(self, steps: int) -> bool:  # noqa: ARG002
        """Return whether there is time for a further step."""
        return True

    @abstractmethod
    def learn(self, step: int, steps: int) -> None:
        """Take a step."""

    def end_step(self, steps: int) -> None:  # noqa: B027
        """Show progress, and judge where that is due."""

    def end_early(self, steps: int) -> None:  # noqa: B027
        """End a training whose time ran out within an epoch."""

    def end_epoch(self, *, is_last: bool) -> None:  # noqa: B027
        """Judge what a whole epoch brought; `place` is at the next one."""

    def tell_epoch(self) -> None:  # noqa: B027
        """Show what a whole epoch brought, after it was kept."""

    @abstractmethod
    def checkpoint(self) -> None:
        """Keep weights, the optimizer's memory and the place."""


def close_training(folder: Path, report: str, content: Mapping[str, Any]) -> None:
    """Write the report that marks a folder as trained, and drop the checkpoint."""
    write_atomically(folder / report, json.dumps(content, indent=1).encode())
    drop_checkpoint(folder)


def drop_checkpoint(folder: Path) -> None:
    """Remove the checkpoint of a training that has ended."""
    (folder / CHECKPOINT).unlink(missing_ok=True)
