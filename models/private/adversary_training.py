"""Training and accuracy of adversaries against private representations."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.private.adversaries import Adversaries, adversaries_loss
from models.private.deidentifier_training import minimize
from models.private.representer import Representer
from models.private.sentence_pairs import SentencePairBatch, SentencePairSampler
from models.training_loop import seed_torch

Floats = NDArray[np.float64]
_FINAL_RATE = 0.1  # of the rate, in the last epoch

RepresenterLike = Callable[..., Tensor]
"""A `Representer`, or what stands in for one: (vectors, lengths, noise=...) -> representations."""


def predict_pairs(
    represent: RepresenterLike,
    adversaries: Adversaries,
    batch: SentencePairBatch,
    noise: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Return predictions of the adversaries for true and false pairs, and labels. (2 x pairs,)"""
    own, other, lengths = batch.own, batch.other, batch.lengths
    made = represent(torch.cat([own, own, other]), lengths.repeat(3), noise=noise)
    first, again, false = made.chunk(3)
    probabilities = adversaries(
        torch.cat([own, other]),
        torch.cat([first, first]),
        torch.cat([again, false]),
        lengths.repeat(2),
    )
    truth = torch.cat([torch.ones(len(own)), torch.zeros(len(own))]).to(probabilities)
    return probabilities, truth


@torch.no_grad()
def evaluate_adversaries(
    represent: RepresenterLike,
    adversaries: Adversaries,
    pairs: SentencePairSampler,
    seed: object,
    noise: float = 1.0,
) -> tuple[float, float]:
    """Return the loss and the accuracy of adversaries on pairs."""
    adversaries.eval()
    seed_torch("judged", seed)
    total_loss = correct = 0.0
    for batch in pairs.draw(seed):
        probabilities, truth = predict_pairs(represent, adversaries, batch, noise)
        total_loss += float(adversaries_loss(probabilities, truth)) * len(truth)
        correct += float(((probabilities > 1 / 2) == (truth > 1 / 2)).sum())
    return total_loss / (2 * len(pairs)), correct / (2 * len(pairs))


def accuracy(
    represent: RepresenterLike,
    adversaries: Adversaries,
    pairs: SentencePairSampler,
    seed: object,
    noise: float = 1.0,
) -> float:
    """Return the accuracy of adversaries on pairs; one half is chance level."""
    return evaluate_adversaries(represent, adversaries, pairs, seed, noise)[1]


def train_adversaries(
    represent: RepresenterLike,
    adversaries: Adversaries,
    pairs: SentencePairSampler,
    epochs: int,
    *,
    seed: int = 1,
    noise: float = 1.0,
    rate: float = 2e-3,
    batch: int = 16,
    last: int | None = None,
) -> list[float]:
    """Train adversaries against a frozen representer; return their accuracy after each epoch.

    It is that on the pairs they learn from, drawn anew: even there it must stay at one half. It is
    that of the `last` epochs alone where so many are asked for.
    """
    optimizer = torch.optim.NAdam(adversaries.parameters(), rate)
    # At a rate that stays, single epochs fall far behind those before them.
    slowing = torch.optim.lr_scheduler.LinearLR(optimizer, 1, _FINAL_RATE, epochs)
    found = []
    for epoch in range(epochs):
        seed_torch("adversaries", seed, epoch)
        adversaries.train()
        for held in pairs.draw(f"{seed}/{epoch}", batch):
            with freeze(represent):
                loss = adversaries_loss(*predict_pairs(represent, adversaries, held, noise))
            minimize(adversaries, optimizer, loss)
        slowing.step()
        if last is None or epoch >= epochs - last:
            found.append(accuracy(represent, adversaries, pairs, f"{seed}/{epoch}/judged", noise))
    return found


def make_adversaries(embedded: int, size: int, units: int, seed: int) -> Adversaries:
    """Return untrained adversaries; the global random state is preserved."""
    with torch.random.fork_rng(devices=[]):
        seed_torch("new adversaries", seed)
        return Adversaries(embedded, size, units)


@torch.no_grad()
def accuracy_bound(
    representer: Representer,
    pairs: SentencePairSampler,
    encodings: int,
    seed: int,
    noise: float = 1.0,
) -> Floats:
    """Bound any attacker's accuracy in telling a sentence from its perturbed copy. (pairs,)

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
            every = [representer.squared_distance(*shown, noise=noise) for _ in range(encodings)]
            squares.append(torch.stack(every).sum(0))
    bound: Floats = torch.special.ndtr(torch.cat(squares).sqrt() / 2).double().numpy()
    return bound


@contextmanager
def freeze(*parts: object) -> Iterator[None]:
    """Disable the gradients of some networks within the context; other objects are ignored."""
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
