"""Masking schedule of a masked language model: which tokens to predict, identifiers first.

The schedule of Belkadi et al. (2023), section 3.2, with a share that takes effect: in the code that
was published it never reached the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

IGNORED = -100
"""The target of a token that is not to be predicted."""

_MASKED, _RANDOM = 0.8, 0.1  # of those to guess; the others stay as they are (Devlin et al. 2019)


@dataclass(frozen=True, slots=True)
class MaskRecipe:
    """`psi` is the share of tokens to guess, `phi` that of identifying tokens taken first."""

    psi: float = 0.5
    phi: float = 0.75

    def __post_init__(self) -> None:
        if not (0 < self.psi <= 1 and 0 <= self.phi <= 1):
            raise ValueError("psi must be above 0 and at most 1, phi between 0 and 1")


def mask_tokens(
    ids: Sequence[int] | Ids,
    identifying: Sequence[bool] | NDArray[np.bool_],
    recipe: MaskRecipe,
    vocabulary: tuple[int, int, int],
    rng: np.random.Generator,
) -> tuple[Ids, Ids]:
    """Return the masked inputs and the targets, `IGNORED` elsewhere; both [tokens].

    `vocabulary` is the id of the mask, and the first id and the end of those that a token may be
    replaced by. Of n tokens psi x n are to be guessed, rounded up or down at random so that the
    share is right on average: first phi of the identifying ones, drawn at random, then any others.
    """
    seen = np.array(ids, np.int64)
    is_identifying = np.asarray(identifying, np.bool_)
    if seen.shape != is_identifying.shape:
        raise ValueError("token ids and flags must have the same length")
    mask, first, end = vocabulary
    budget = int(np.floor(recipe.psi * len(seen) + rng.random()))
    first_choice = rng.permutation(np.flatnonzero(is_identifying))
    first_choice = first_choice[: min(budget, round(recipe.phi * len(first_choice)))]
    others = np.setdiff1d(np.arange(len(seen)), first_choice)
    # What identifies beyond phi is guessed last of all.
    order = np.lexsort((rng.random(len(others)), is_identifying[others]))
    chosen = np.concatenate([first_choice, others[order][: budget - len(first_choice)]])
    targets = np.full(len(seen), IGNORED, np.int64)
    targets[chosen] = seen[chosen]
    draw = rng.random(len(chosen))
    seen[chosen[draw < _MASKED]] = mask
    swapped = chosen[(draw >= _MASKED) & (draw < _MASKED + _RANDOM)]
    seen[swapped] = rng.integers(first, end, len(swapped))
    return seen, targets


def mask_generator(seed: int, epoch: int, note: int) -> np.random.Generator:
    """Return the random generator of one note in one epoch; epoch 0 is for validation notes."""
    return np.random.default_rng((seed, epoch, note))
