"""The representer: makes sentence vectors private by noise, a BiLSTM, and noise again.

After Friedrich et al. (ACL 2019): R = N_out + LSTM(E + N_in). How much noise each dimension takes
is learnt; as in the authors' code the result is projected to few numbers and of unit length.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from models.private.bilstm import BidirectionalLSTM, inside
from models.private.embeddings import Floats

_FIRST_IN = 1.0  # where learning starts from; embeddings have a deviation of 1
_FIRST_OUT = 1.0
_BATCH = 64  # sentences


class Representer(nn.Module):
    """Encodes token vectors (embedded) as noisy vectors (size), sampled anew each time.

    `noise` multiplies all standard deviations; 0 disables the noise, and with it any protection.
    """

    def __init__(self, embedded: int, size: int, units: int = 128) -> None:
        super().__init__()
        self.shape = {"embedded": embedded, "size": size, "units": units}
        # Deviations of any sign: only their product with noise matters, which has none.
        self.noise_in = nn.Parameter(torch.full((embedded,), _FIRST_IN))
        self.noise_out = nn.Parameter(torch.full((size,), _FIRST_OUT))
        self.recurrent = BidirectionalLSTM(embedded, units)
        self.projection = nn.Linear(2 * units, size)

    def forward(
        self,
        vectors: Tensor,
        lengths: Tensor,
        *,
        noise: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Encode sentences. (sentences, tokens, embedded) -> (sentences, tokens, size)

        Each token's numbers have unit length; beyond a length all are 0.
        """
        plain = self._encode_without_noise(
            vectors + noise * self.noise_in * _normal(vectors, generator), lengths
        )
        noisy = plain + noise * self._noise_scale * _normal(plain, generator)
        return functional.normalize(noisy, dim=-1) * inside(lengths, vectors.shape[1])[..., None]

    def squared_distance(
        self, own: Tensor, other: Tensor, lengths: Tensor, *, noise: float = 1.0
    ) -> Tensor:
        """Return the squared distance of sentences from their copies, in noise standard deviations.

        Own and other are (sentences, tokens, embedded), what is given is (sentences,). The noise
        taken in is drawn anew, and the same for both; that put out is what the distance is
        measured in. To tell two normal distributions so far apart is right with a chance of
        Phi(sqrt(distance) / 2) at most; squares of several encodings add up. Scaling to unit
        length, after that, tells nothing more.
        """
        disturbance = noise * self.noise_in * torch.randn_like(own)
        both = torch.cat([own + disturbance, other + disturbance])
        plain = self._encode_without_noise(both, lengths.repeat(2)) / (noise * self._noise_scale)
        squares = (torch.sub(*plain.chunk(2)) ** 2).sum(-1)
        return (squares * inside(lengths, own.shape[1])).sum(1)

    @property
    def _noise_scale(self) -> Tensor:
        """The standard deviations of the output noise, for vectors of unit length."""
        spread: Tensor = self.noise_out * self.noise_out.shape[-1] ** -0.5
        return spread

    def _encode_without_noise(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Encode without noise. Of unit length, so that growing cannot drown the noise."""
        return functional.normalize(self.projection(self.recurrent(vectors, lengths)), dim=-1)

    @torch.no_grad()
    def encode(
        self, vectors: Sequence[Floats], generator: torch.Generator, noise: float = 1.0
    ) -> list[Floats]:
        """Encode sentences of any lengths, in order, with fresh noise for each.

        The seed of `generator` allows the noise to be removed: data to be shared must be encoded
        with a seed that is not kept.
        """
        device = self.noise_in.device
        # Those of like length together: padding would be most of what is encoded.
        order = sorted(range(len(vectors)), key=lambda at: len(vectors[at]))
        found = list(vectors)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            lengths = torch.tensor([len(vectors[at]) for at in places], device=device)
            padded = pad_sequence([torch.from_numpy(vectors[at]) for at in places], True).to(device)
            made = self(padded, lengths, noise=noise, generator=generator)
            for at, one, length in zip(places, made, lengths.tolist(), strict=True):
                found[at] = one[:length].cpu().numpy().copy()
        return found


class IdentityRepresenter(nn.Module):
    """Returns vectors unchanged: a control that attacks must succeed against."""

    def forward(self, vectors: Tensor, lengths: Tensor, *, noise: float = 1.0) -> Tensor:  # noqa: ARG002
        """Return the same vectors."""
        return vectors


def _normal(like: Tensor, generator: torch.Generator | None) -> Tensor:
    """Draw as much noise as a tensor has numbers, each with a deviation of 1."""
    if generator is None:
        return torch.randn_like(like)
    drawn = torch.randn(like.shape, generator=generator, device=generator.device, dtype=like.dtype)
    return drawn.to(like.device)
