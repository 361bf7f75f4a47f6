"""Vectors of a sentence made private: noise, an LSTM in both directions, and noise again.

After Friedrich et al. (ACL 2019): R = N_out + LSTM(E + N_in). How much noise each dimension takes
is learnt; as in the authors' code the result is projected to few numbers and of unit length.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from models.private.both_ways import BothWays, inside
from models.private.embeddings import Floats

_FIRST_IN = 1.0  # where learning starts from; embeddings have a deviation of 1
_FIRST_OUT = 1.0
_AT_ONCE = 64  # sentences


class Representer(nn.Module):
    """Encodes vectors of tokens (embedded numbers) as others (size) that are drawn anew each time.

    `noise` multiplies all deviations: 0 takes the noise away, which protects nobody.
    """

    def __init__(self, embedded: int, size: int, units: int = 128) -> None:
        super().__init__()
        self.shape = {"embedded": embedded, "size": size, "units": units}
        # Deviations of any sign: only their product with noise matters, which has none.
        self.noise_in = nn.Parameter(torch.full((embedded,), _FIRST_IN))
        self.noise_out = nn.Parameter(torch.full((size,), _FIRST_OUT))
        self.recurrent = BothWays(embedded, units)
        self.projection = nn.Linear(2 * units, size)

    def forward(
        self,
        vectors: Tensor,
        lengths: Tensor,
        *,
        noise: float = 1.0,
        draw: torch.Generator | None = None,
    ) -> Tensor:
        """Encode sentences. (sentences, tokens, embedded) -> (sentences, tokens, size)

        Each token's numbers have unit length; beyond a length all are 0.
        """
        disturbed = vectors + noise * self.noise_in * _normal(vectors, draw)
        hidden = self.recurrent(disturbed, lengths)
        plain = functional.normalize(self.projection(hidden), dim=-1)
        # Of unit length before noise as well, so that growing cannot drown it.
        scale = plain.shape[-1] ** -0.5
        noisy = plain + scale * noise * self.noise_out * _normal(plain, draw)
        return functional.normalize(noisy, dim=-1) * inside(lengths, vectors.shape[1])[..., None]

    @torch.no_grad()
    def encode(
        self, vectors: Sequence[Floats], draw: torch.Generator, noise: float = 1.0
    ) -> list[Floats]:
        """Encode sentences of any lengths, in order; noise is drawn for each.

        Who knows the seed of `draw` can take the noise away: what others shall see is drawn from
        a seed that nobody keeps.
        """
        device = self.noise_in.device
        found: list[Floats] = []
        for start in range(0, len(vectors), _AT_ONCE):
            rows = [torch.from_numpy(row) for row in vectors[start : start + _AT_ONCE]]
            lengths = torch.tensor([len(row) for row in rows], device=device)
            padded = pad_sequence(rows, batch_first=True).to(device)
            made = self(padded, lengths, noise=noise, draw=draw)
            found += [
                one[:length].cpu().numpy().copy()
                for one, length in zip(made, lengths.tolist(), strict=True)
            ]
        return found


class Unprotected(nn.Module):
    """Gives vectors as they are: what attacks must see through, as a control."""

    def forward(self, vectors: Tensor, lengths: Tensor, *, noise: float = 1.0) -> Tensor:  # noqa: ARG002
        """Give the same vectors."""
        return vectors


def _normal(like: Tensor, draw: torch.Generator | None) -> Tensor:
    """Draw as much noise as a tensor has numbers, each with a deviation of 1."""
    if draw is None:
        return torch.randn_like(like)
    drawn = torch.randn(like.shape, generator=draw, device=draw.device, dtype=like.dtype)
    return drawn.to(like.device)
