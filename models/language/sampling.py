"""From scores to the next id: what may be drawn, and the draw itself."""

import torch
from torch import Tensor

_NEVER = float("-inf")
_ENOUGH = 256  # likeliest ids that mostly hold the nucleus: sorting all is slow


def keep_likeliest(scores: Tensor, count: int) -> Tensor:
    """Leave the `count` highest scores of each row. (rows, vocabulary)"""
    if count >= scores.shape[1]:
        return scores
    lowest = scores.topk(count, dim=1).values[:, -1:]
    return scores.masked_fill(scores < lowest, _NEVER)


def keep_nucleus(scores: Tensor, mass: float) -> Tensor:
    """Leave the fewest likeliest ids of each row whose probabilities reach `mass`.

    Holtzman et al. (ICLR 2020). (rows, vocabulary)
    """
    if mass >= 1:
        return scores
    probabilities = scores.softmax(1)
    count = min(_ENOUGH, scores.shape[1])
    found, places = probabilities.topk(count, dim=1)
    kept = _reached(scores, found, places, mass)
    flat = (found.sum(1) < mass).nonzero().flatten()
    if count < scores.shape[1] and len(flat):
        found, places = probabilities[flat].sort(dim=1, descending=True)
        kept[flat] = _reached(scores[flat], found, places, mass)
    return kept


def _reached(scores: Tensor, found: Tensor, places: Tensor, mass: float) -> Tensor:
    """Leave the scores at places up to the one where the probabilities found reach the mass."""
    before = found.cumsum(1) - found
    values = scores.gather(1, places).masked_fill(before >= mass, _NEVER)
    return torch.full_like(scores, _NEVER).scatter(1, places, values)


def draw(scores: Tensor, chance: Tensor) -> Tensor:
    """Draw an id for each row by its probabilities; `chance` (rows,) is uniform from 0 to 1.

    The same scores and chance give the same id, whatever the other rows are. (rows,)
    """
    mass = scores.double().softmax(1).cumsum(1)
    wanted = chance.double()[:, None] * mass[:, -1:]
    drawn = torch.searchsorted(mass, wanted, right=True).squeeze(1)
    return drawn.clamp_max(scores.shape[1] - 1)
