"""Training of adversaries against shared vectors, and their accuracy on pairs of sentences."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.private.adversaries import Adversaries, adversaries_loss
from models.private.deidentifier_training import minimize
from models.private.representer import Representer
from models.private.sentence_pairs import PairBatch, Pairs
from models.training_loop import seed_torch

Floats = NDArray[np.float64]
_SLOWEST = 0.1  # of the rate, in the last epoch

Represent = Callable[..., Tensor]
"""A `Representer`, or what stands in for one: (vectors, lengths, noise=...) -> representations."""


def believe(
    represent: Represent, adversaries: Adversaries, batch: PairBatch, noise: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return what adversaries believe of true and false pairs, and the truth. (2 x pairs,) each"""
    own, other, lengths = batch.own, batch.other, batch.lengths
    made = represent(torch.cat([own, own, other]), lengths.repeat(3), noise=noise)
    first, again, false = made.chunk(3)
    believed = adversaries(
        torch.cat([own, other]),
        torch.cat([first, first]),
        torch.cat([again, false]),
        lengths.repeat(2),
    )
    truth = torch.cat([torch.ones(len(own)), torch.zeros(len(own))]).to(believed)
    return believed, truth


@torch.no_grad()
def judged(
    represent: Represent, adversaries: Adversaries, pairs: Pairs, seed: object, noise: float = 1.0
) -> tuple[float, float]:
    """Return the loss of adversaries on pairs, and the share of which they are right."""
    adversaries.eval()
    seed_torch("judged", seed)
    lost = right = 0.0
    for batch in pairs.draw(seed):
        believed, truth = believe(represent, adversaries, batch, noise)
        lost += float(adversaries_loss(believed, truth)) * len(truth)
        right += float(((believed > 1 / 2) == (truth > 1 / 2)).sum())
    return lost / (2 * len(pairs)), right / (2 * len(pairs))


def accuracy(
    represent: Represent, adversaries: Adversaries, pairs: Pairs, seed: object, noise: float = 1.0
) -> float:
    """Return the share of pairs of which adversaries are right; half is chance."""
    return judged(represent, adversaries, pairs, seed, noise)[1]


def continue_adversaries(
    represent: Represent,
    adversaries: Adversaries,
    pairs: Pairs,
    epochs: int,
    *,
    seed: int = 1,
    noise: float = 1.0,
    rate: float = 2e-3,
    batch: int = 16,
    last: int | None = None,
) -> list[float]:
    """Train adversaries against a frozen representer; returns their accuracy after each epoch.

    It is that on the pairs they learn from, drawn anew: even there it must stay at one half. It is
    that of the `last` epochs alone where so many are asked for.
    """
    optimizer = torch.optim.NAdam(adversaries.parameters(), rate)
    # At a rate that stays, single epochs fall far behind those before them.
    slowing = torch.optim.lr_scheduler.LinearLR(optimizer, 1, _SLOWEST, epochs)
    found = []
    for epoch in range(epochs):
        seed_torch("adversaries", seed, epoch)
        adversaries.train()
        for held in pairs.draw(f"{seed}/{epoch}", batch):
            with frozen(represent):
                loss = adversaries_loss(*believe(represent, adversaries, held, noise))
            minimize(adversaries, optimizer, loss)
        slowing.step()
        if last is None or epoch >= epochs - last:
            found.append(accuracy(represent, adversaries, pairs, f"{seed}/{epoch}/judged", noise))
    return found


def new_adversaries(embedded: int, size: int, units: int, seed: int) -> Adversaries:
    """Return adversaries that have learnt nothing; the process's random state stays as it is."""
    with torch.random.fork_rng(devices=[]):
        seed_torch("new adversaries", seed)
        return Adversaries(embedded, size, units)


@torch.no_grad()
def most_right(
    representer: Representer, pairs: Pairs, encodings: int, seed: int, noise: float = 1.0
) -> Floats:
    """Bound how often anybody tells a sentence from its twin, who has so many encodings. (pairs,)

    They may know all but which of the two was encoded, even the noise taken in. It is the bound of
    two normal distributions; without noise it is 1. The process's random state stays as it is.
    """
    if not noise:
        return np.ones(len(pairs))
    with torch.random.fork_rng(devices=[]):
        seed_torch("most right", seed)
        squares = []
        for held in pairs.draw(seed):
            shown = held.own, held.other, held.lengths
            every = [representer.apart(*shown, noise=noise) for _ in range(encodings)]
            squares.append(torch.stack(every).sum(0))
    bound: Floats = torch.special.ndtr(torch.cat(squares).sqrt() / 2).double().numpy()
    return bound


@contextmanager
def frozen(*parts: object) -> Iterator[None]:
    """Let no gradient reach the weights of some parts; what is no network passes."""
    held = [
        weights
        for part in parts
        if isinstance(part, nn.Module)
        for weights in part.parameters()
        if weights.requires_grad
    ]
    for weights in held:
        weights.requires_grad_(False)
    try:
        yield
    finally:
        for weights in held:
            weights.requires_grad_(True)
