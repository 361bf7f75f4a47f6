"""Learning-rate schedules of language models: plateau, one-cycle, and discriminative rates."""

import math
from dataclasses import dataclass

from models.language.training.recipe import Stage

_RISE = 0.25  # the share of a cycle in which the rate rises
_START, _LAST = 25.0, 1e5  # the rate begins at peak / 25 and ends at peak / 100000


@dataclass
class PlateauSchedule:
    """Divides the learning rate when perplexity stops improving.

    Each reading that is not lower than the best by more than `gain` divides the rate by `divisor`,
    down to `floor`.
    """

    rate: float
    divisor: float
    floor: float
    gain: float = 0.0
    best: float = math.inf

    def read(self, perplexity: float) -> float:
        """Take a perplexity and return the rate to continue with."""
        if not self.best - perplexity > self.gain:
            self.rate = max(self.floor, self.rate / self.divisor)
        self.best = min(self.best, perplexity)
        return self.rate


def one_cycle(peak: float, progress: float) -> float:
    """Return the rate at a progress from 0 to 1 through a cycle: up, then down, along cosines.

    Smith (arXiv 1803.09820) with the shape of fastai.
    """
    if progress < _RISE:
        return _between(peak / _START, peak, progress / _RISE)
    return _between(peak, peak / _LAST, (progress - _RISE) / (1 - _RISE))


def _between(first: float, last: float, share: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * min(1.0, max(0.0, share)))) / 2


def group_peaks(stage: Stage, groups: int) -> list[float | None]:
    """Return the highest rate of each group of layers, the input's first; None where it is frozen.

    All of them learn where the stage names more than there are.
    """
    learning = min(stage.groups or groups, groups)
    steps = max(1, learning - 1)
    frozen: list[float | None] = [None] * (groups - learning)
    rates = [stage.peak / stage.spread ** ((learning - 1 - at) / steps) for at in range(learning)]
    return [*frozen, *rates]


def stage_at(stages: tuple[Stage, ...], progress: float) -> tuple[int, float]:
    """Return the stage at a progress from 0 to 1, and the progress within its cycle.

    A stage of several cycles rises and falls as often.
    """
    done = progress * sum(stage.cycles for stage in stages)
    for number, stage in enumerate(stages):
        if done < stage.cycles or number == len(stages) - 1:
            return number, min(1.0, done % 1 if done < stage.cycles else 1.0)
        done -= stage.cycles
    raise AssertionError("the list of stages must not be empty")
