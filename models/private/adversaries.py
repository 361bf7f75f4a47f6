"""The adversaries: two networks that predict whether vectors come from the same sentence.

After Friedrich et al. (ACL 2019): one sees embeddings and their private representation, the other
two representations and how alike they are token by token.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.private.bilstm import BidirectionalLSTM, inside


class Adversaries(nn.Module):
    """Averages the predictions of both networks. Shapes: see `forward`."""

    def __init__(self, embedded: int, size: int, units: int = 300) -> None:
        super().__init__()
        self.shape = {"embedded": embedded, "size": size, "units": units}
        self.looks_up = Discriminator(embedded + size, units)
        self.links = Discriminator(2 * size + 1, units)

    def forward(self, vectors: Tensor, first: Tensor, second: Tensor, lengths: Tensor) -> Tensor:
        """Return how probable it is that all are of one sentence. (sentences,)

        `vectors` (sentences, tokens, embedded) are embeddings of the one, `first` and `second`
        (sentences, tokens, size) representations: the embeddings are held against the first, and
        the second against the first as well.
        """
        alike = functional.cosine_similarity(first, second, dim=-1)[..., None]
        lookup_logits = self.looks_up(torch.cat([vectors, first], -1), lengths)
        link_logits = self.links(torch.cat([first, second, alike], -1), lengths)
        probabilities: Tensor = (lookup_logits.sigmoid() + link_logits.sigmoid()) / 2
        return probabilities


class Discriminator(nn.Module):
    """A bidirectional LSTM with one logit, max-pooled over its states.

    It is scored by the highest value of each unit over all tokens, for one token that does not fit
    is enough; the last states alone, of the same network, took several times as long to see it.
    """

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.recurrent = BidirectionalLSTM(inputs, units)
        self.score = nn.Linear(2 * units, 1)

    def forward(self, seen: Tensor, lengths: Tensor) -> Tensor:
        """Score sequences. (sentences, tokens, inputs) -> (sentences,)"""
        beyond = ~inside(lengths, seen.shape[1])[..., None]
        # States lie between -1 and 1: what is beyond a length is never the highest.
        highest = self.recurrent(seen, lengths).masked_fill(beyond, -1.0).amax(1)
        scored: Tensor = self.score(highest)
        return scored[:, 0]


def adversaries_loss(probabilities: Tensor, truth: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats; log 2 is that of random guessing."""
    return functional.binary_cross_entropy(probabilities, truth)
