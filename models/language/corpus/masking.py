"""Which tokens a masked language model has to guess: a share of all, identifiers first.

The schedule of Belkadi et al. (2023), section 3.2, with a share that takes effect: in the code that
was published it never reached the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

IGNORED = -100
"""The target of a token that nobody has to guess."""

_MASKED, _RANDOM = 0.8, 0.1  # of those to guess; the others stay as they are (Devlin et al. 2019)


@dataclass(frozen=True, slots=True)
class MaskRecipe:
    """`psi` is the share of tokens to guess, `phi` that of identifying tokens taken first."""

    psi: float = 0.5
    phi: float = 0.75

    def __post_init__(self) -> None:
        if not (0 < self.psi <= 1 and 0 <= self.phi <= 1):
            raise ValueError("psi is from 0 (exclusive) to 1, phi from 0 to 1")


def masks(
    ids: Sequence[int] | Ids,
    identifying: Sequence[bool] | NDArray[np.bool_],
    recipe: MaskRecipe,
    vocabulary: tuple[int, int, int],
    chance: np.random.Generator,
) -> tuple[Ids, Ids]:
    """Return what the model sees and what it has to guess, `IGNORED` elsewhere; both [tokens].

    `vocabulary` is the id of the mask, and the first id and the end of those that a token may be
    replaced by. Of n tokens psi x n are to be guessed, rounded up or down at random so that the
    share is right on average: first phi of the identifying ones, drawn at random, then any others.
    """
    seen = np.array(ids, np.int64)
    told = np.asarray(identifying, np.bool_)
    if seen.shape != told.shape:
        raise ValueError("one id and one sign of identifying for each token")
    mask, first, end = vocabulary
    budget = int(np.floor(recipe.psi * len(seen) + chance.random()))
    ahead = chance.permutation(np.flatnonzero(told))
    ahead = ahead[: min(budget, round(recipe.phi * len(ahead)))]
    others = np.setdiff1d(np.arange(len(seen)), ahead)
    # What identifies beyond phi is guessed last of all.
    order = np.lexsort((chance.random(len(others)), told[others]))
    chosen = np.concatenate([ahead, others[order][: budget - len(ahead)]])
    wanted = np.full(len(seen), IGNORED, np.int64)
    wanted[chosen] = seen[chosen]
    fate = chance.random(len(chosen))
    seen[chosen[fate < _MASKED]] = mask
    swapped = chosen[(fate >= _MASKED) & (fate < _MASKED + _RANDOM)]
    seen[swapped] = chance.integers(first, end, len(swapped))
    return seen, wanted


def generator(seed: int, epoch: int, note: int) -> np.random.Generator:
    """Return the chance of one note in one epoch; epoch 0 is that of notes to validate by."""
    return np.random.default_rng((seed, epoch, note))
