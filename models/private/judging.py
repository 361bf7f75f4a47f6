"""Adversaries at work: what they believe of pairs, how often they are right, and how they learn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from models.language.texts import seeded
from models.private.adversaries import Adversaries, adversaries_loss
from models.private.learning import take_step
from models.private.pairs import PairBatch, Pairs

Represent = Callable[..., Tensor]
"""A `Representer`, or what stands in for one: (vectors, lengths, noise=...) -> representations."""


def believe(
    represent: Represent, adversaries: Adversaries, batch: PairBatch, noise: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Give what adversaries believe of true and false pairs, and the truth. (2 x pairs,) each"""
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
    """Give the loss of adversaries on pairs, and the share of which they are right."""
    adversaries.eval()
    torch.manual_seed(seeded("judged", seed).initial_seed())
    lost = right = 0.0
    for batch in pairs.draw(seed):
        believed, truth = believe(represent, adversaries, batch, noise)
        lost += float(adversaries_loss(believed, truth)) * len(truth)
        right += float(((believed > 1 / 2) == (truth > 1 / 2)).sum())
    return lost / (2 * len(pairs)), right / (2 * len(pairs))


def accuracy(
    represent: Represent, adversaries: Adversaries, pairs: Pairs, seed: object, noise: float = 1.0
) -> float:
    """Give the share of pairs of which adversaries are right; half is chance."""
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
    batch: int = 32,
) -> list[float]:
    """Train adversaries against a frozen representer; gives their accuracy after each epoch.

    It is that on the pairs they learn from, drawn anew: even there it must stay at one half.
    """
    optimizer = torch.optim.NAdam(adversaries.parameters(), rate)
    found = []
    for epoch in range(epochs):
        torch.manual_seed(seeded("adversaries", seed, epoch).initial_seed())
        adversaries.train()
        for held in pairs.draw(f"{seed}/{epoch}", batch):
            with frozen(represent):
                loss = adversaries_loss(*believe(represent, adversaries, held, noise))
            take_step(adversaries, optimizer, loss)
        found.append(accuracy(represent, adversaries, pairs, f"{seed}/{epoch}/judged", noise))
    return found


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
