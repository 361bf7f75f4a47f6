"""The inversion attack: a network that predicts the words behind shared vectors.

It reads the vectors of a sentence in both directions, and answers each with a vector in the space
of word embeddings; the nearest word is its guess. So it can name words that it was never shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize
from torch.nn.utils.rnn import pad_sequence

from models.private.bilstm import BidirectionalLSTM
from models.private.weight_selection import batches

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
