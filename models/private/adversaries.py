"""Two networks that try to tell whether sequences of vectors are of the same sentence.

After Friedrich et al. (ACL 2019): one sees embeddings and their private representation, the other
two representations and how alike they are token by token.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.private.bilstm import BothWays, inside


class Adversaries(nn.Module):
    """Return the mean of what both believe. Shapes: see `forward`."""

    def __init__(self, embedded: int, size: int, units: int = 300) -> None:
        super().__init__()
        self.shape = {"embedded": embedded, "size": size, "units": units}
        self.looks_up = Judge(embedded + size, units)
        self.links = Judge(2 * size + 1, units)

    def forward(self, vectors: Tensor, first: Tensor, second: Tensor, lengths: Tensor) -> Tensor:
        """Return how probable it is that all are of one sentence. (sentences,)

        `vectors` (sentences, tokens, embedded) are embeddings of the one, `first` and `second`
        (sentences, tokens, size) representations: the embeddings are held against the first, and
        the second against the first as well.
        """
        alike = functional.cosine_similarity(first, second, dim=-1)[..., None]
        looked_up = self.looks_up(torch.cat([vectors, first], -1), lengths)
        linked = self.links(torch.cat([first, second, alike], -1), lengths)
        believed: Tensor = (looked_up.sigmoid() + linked.sigmoid()) / 2
        return believed


class Judge(nn.Module):
    """One LSTM in both directions, and one score of its states.

    It is scored by the highest value of each unit over all tokens, for one token that does not fit
    is enough; the last states alone, of the same network, took several times as long to see it.
    """

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.recurrent = BothWays(inputs, units)
        self.score = nn.Linear(2 * units, 1)

    def forward(self, seen: Tensor, lengths: Tensor) -> Tensor:
        """Score sequences. (sentences, tokens, inputs) -> (sentences,)"""
        beyond = ~inside(lengths, seen.shape[1])[..., None]
        # States lie between -1 and 1: what is beyond a length is never the highest.
        highest = self.recurrent(seen, lengths).masked_fill(beyond, -1.0).amax(1)
        scored: Tensor = self.score(highest)
        return scored[:, 0]


def adversaries_loss(believed: Tensor, truth: Tensor) -> Tensor:
    """Return the mean surprise in nats; the logarithm of 2 is that of who cannot tell at all."""
    return functional.binary_cross_entropy(believed, truth)
