"""From scores to the next id: what may be drawn, and the draw itself."""

import torch
from torch import Tensor
from torch.nn import functional

TRIES = 8
"""How many chances the draw of one id may take."""

_NEVER = float("-inf")
_BLOCK = 128  # ids whose weights are added up before any is looked at
_BELOW_ONE = 1 - 2**-24  # the number before 1, so that above it means 1 and more


def keep_likeliest(scores: Tensor, count: int) -> Tensor:
    """Leave the `count` highest scores of each row. (rows, vocabulary)"""
    if count >= scores.shape[1]:
        return scores
    lowest = scores.topk(count, dim=1).values[:, -1:]
    return scores.masked_fill(scores < lowest, _NEVER)


def keep_nucleus(scores: Tensor, mass: float) -> Tensor:
    """Leave the fewest likeliest ids of each row whose probabilities reach `mass`.

    Of equals the first come first. Holtzman et al. (ICLR 2020). (rows, vocabulary)
    """
    if mass >= 1:
        return scores
    found, places = scores.softmax(1).sort(dim=1, descending=True, stable=True)
    beyond = found.cumsum(1) - found >= mass
    return scores.masked_fill(torch.zeros_like(beyond).scatter(1, places, beyond), _NEVER)


def draw(scores: Tensor, chance: Tensor) -> Tensor:
    """Draw an id for each row by its probabilities; `chance` (rows,) is uniform from 0 to 1.

    The same scores and chance give the same id, whatever the other rows are. (rows,)
    """
    return _drawn(*_weighed(scores), chance)


def draw_nucleus(scores: Tensor, chances: Tensor, mass: float) -> Tensor:
    """Draw an id for each row from its nucleus, see `keep_nucleus`; `chances` (rows, TRIES).

    Sorting a vocabulary is dear. So an id is drawn from all, and again as long as it is not of
    the nucleus, which the sum of what is likelier tells: ids accepted have the probabilities of
    a draw from the nucleus alone. Only rows that use up all chances but one are sorted. (rows,)
    """
    weights, ends = _weighed(scores)
    drawn = _drawn(weights, ends, chances[:, 0])
    if mass >= 1:
        return drawn
    wanted = mass * ends[:, -1]
    rows = _outside(weights, drawn, wanted)
    for chance in chances.T[1:-1]:
        if not len(rows):
            return drawn
        left = weights[rows]
        drawn[rows] = _drawn(left, ends[rows], chance[rows])
        rows = rows[_outside(left, drawn[rows], wanted[rows])]
    drawn[rows] = draw(keep_nucleus(scores[rows], mass), chances[rows, -1])
    return drawn


def _weighed(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights in proportion to the probabilities, the highest 1, and their running sums by
    blocks. (rows, vocabulary), (rows, blocks)"""
    weights = (scores - scores.amax(1, keepdim=True)).exp_()
    rows, blocks = len(weights), weights.shape[1] // _BLOCK
    sums = weights[:, : blocks * _BLOCK].view(rows, blocks, _BLOCK).sum(2)
    rest = weights[:, blocks * _BLOCK :].sum(1, keepdim=True)
    return weights, torch.cat((sums, rest), 1).double().cumsum(1)


def _drawn(weights: Tensor, ends: Tensor, chance: Tensor) -> Tensor:
    """Find where the running sum passes the chance: first which block, then where in it."""
    wanted = chance.double()[:, None] * ends[:, -1:]
    block = _passed(ends, wanted)
    before = functional.pad(ends, (1, 0)).gather(1, block)
    places = block * _BLOCK + torch.arange(_BLOCK, device=block.device)
    last = weights.shape[1] - 1
    within = weights.gather(1, places.clamp_max(last)).masked_fill(places > last, 0.0)
    return (block * _BLOCK + _passed(within.double().cumsum(1), wanted - before)).squeeze(1)


def _passed(ends: Tensor, wanted: Tensor) -> Tensor:
    """Return the first place of each row whose sum is above what is wanted, or the last place that
    adds anything: what has no probability is never found. (rows, 1)"""
    last = ends[:, -1:]
    highest = torch.nextafter(last, torch.zeros_like(last))
    return torch.searchsorted(ends, torch.minimum(wanted, highest), right=True)


def _outside(weights: Tensor, drawn: Tensor, mass: Tensor) -> Tensor:
    """Return which rows drew an id that is not of the nucleus:
    what comes before it has the mass.
    """
    own = weights.gather(1, drawn[:, None])
    upto = functional.threshold(weights / own, _BELOW_ONE, 0.0).sum(1)  # in units of its own
    most = mass / own.squeeze(1)
    rows = (upto - 1 >= most).nonzero().flatten()
    if len(rows):  # of equals some come after it
        equal = weights[rows] == own[rows]
        after = equal.sum(1) - equal.cumsum(1).gather(1, drawn[rows, None]).squeeze(1)
        rows = rows[upto[rows] - 1 - after >= most[rows]]
    return rows
