"""Training of adversaries against private representations, and of the inversion of shared vectors.

An inversion reads the vectors of a sentence in both directions, and answers each with a vector in
the space of word embeddings; the nearest word is its guess. So it can name words that it was never
shown.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize
from torch.nn.utils.rnn import pad_sequence

from models.private.adversaries import Adversaries, adversaries_loss
from models.private.bilstm import BidirectionalLSTM
from models.private.deidentifier_training import minimize
from models.private.representer import Representer
from models.private.sentence_pairs import SentencePairBatch, SentencePairSampler
from models.private.weight_selection import batches
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


Vectors = NDArray[np.float32]
Sample = tuple[Sequence[Vectors], Sequence[NDArray[np.int64]]]
"""Vectors of sentences, [tokens, size] each, and the number of the word at every token, -1 where
it is not known: [tokens] each."""

_UNITS = 128
_BATCH = 32
_RATE = 3e-3
_CLIP = 1.0
_NEGATIVES = 512  # sampled words in the softmax of a batch, besides its own
_INVERSE_TEMPERATURE = 16.0
_UNKNOWN = -1


@dataclass(frozen=True)
class InversionSettings:
    """How an inversion network is trained.

    Few sentences are gone through more often, so that there are `steps` batches at least.
    """

    epochs: int = 6
    steps: int = 300
    seed: int = 1

    def epochs_of(self, sentences: int) -> int:
        """Return the number of epochs for so many sentences."""
        return max(self.epochs, -(-self.steps * _BATCH // sentences))


class InversionNetwork(nn.Module):
    """Maps the vectors of sentences to unit word vectors."""

    def __init__(self, size: int, embedded: int) -> None:
        super().__init__()
        self.recurrent = BidirectionalLSTM(size, _UNITS)
        self.answer = nn.Linear(2 * _UNITS + size, embedded)
        self.inverse_temperature = nn.Parameter(torch.tensor(_INVERSE_TEMPERATURE).log())

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(batch, tokens, size), (batch) -> (batch, tokens, embedded)"""
        hidden = self.recurrent(vectors, lengths)
        return normalize(self.answer(torch.cat([hidden, vectors], -1)), dim=-1)

    @torch.no_grad()
    def read(self, shared: Sequence[Vectors]) -> list[Vectors]:
        """Predict the word vectors of sentences: [tokens, embedded] each."""
        self.eval()
        found = list(shared)
        for places in batches([len(each) for each in shared], _BATCH, None):
            vectors, lengths = _padded([shared[place] for place in places])
            answers = self(vectors, lengths).numpy()
            for place, answer, length in zip(places, answers, lengths.tolist(), strict=True):
                found[place] = answer[:length]
        return found


def train_inversion(
    sample: Callable[[int], Sample],
    matrix: Vectors,
    settings: InversionSettings,
    advance: Callable[[], None] = lambda: None,
) -> InversionNetwork:
    """Train an inversion network on what an attacker encoded, sampled anew every epoch.

    `sample` gives the sentences of an epoch, `matrix` is the embeddings of the words, [words,
    embedded]. `advance` is called after each epoch. The process's random state stays as it is.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        words = normalize(torch.from_numpy(matrix), dim=-1)
        first = sample(0)
        inverse = InversionNetwork(first[0][0].shape[1], matrix.shape[1])
        optimizer = torch.optim.Adam(inverse.parameters(), _RATE)
        for epoch in range(settings.epochs_of(len(first[0]))):
            _epoch(inverse, optimizer, first if epoch == 0 else sample(epoch), words)
            advance()
    return inverse


def _epoch(
    inverse: InversionNetwork, optimizer: torch.optim.Optimizer, sample: Sample, words: Tensor
) -> None:
    inverse.train()
    for some in batches([len(each) for each in sample[0]], _BATCH, torch.default_generator):
        vectors, lengths = _padded([sample[0][row] for row in some])
        targets = [torch.from_numpy(sample[1][row]) for row in some]
        truth = pad_sequence(targets, batch_first=True, padding_value=_UNKNOWN)
        known = truth != _UNKNOWN
        if not known.any():
            continue
        answers, wanted = inverse(vectors, lengths)[known], truth[known]
        # The cross-entropy of each word among those of the batch and sampled negatives.
        drawn = torch.randint(len(words), (_NEGATIVES,))
        candidates, places = torch.unique(torch.cat([wanted, drawn]), return_inverse=True)
        scores = inverse.inverse_temperature.exp() * answers @ words[candidates].T
        loss = cross_entropy(scores, places[: len(wanted)])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(inverse.parameters(), _CLIP)
        optimizer.step()


def _padded(vectors: Sequence[Vectors]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(each) for each in vectors])
    tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in vectors]
    return pad_sequence(tensors, batch_first=True), lengths
