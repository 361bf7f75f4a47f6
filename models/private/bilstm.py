"""A bidirectional LSTM over padded batches of sentences."""

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional


class BidirectionalLSTM(nn.Module):
    """Reads padded sentences in both directions, each from its own end.

    Padding stands behind a sentence in both directions, where nothing that counts comes after it;
    packing does the same on CPUs in twice the time.
    """

    def __init__(self, inputs: int, units: int, dropped: float = 0.0) -> None:
        super().__init__()
        self.dropped = dropped
        self.forth = nn.LSTM(inputs, units, batch_first=True)
        self.back = nn.LSTM(inputs, units, batch_first=True)

    def forward(self, seen: Tensor, lengths: Tensor) -> Tensor:
        """(sentences, tokens, inputs) -> (sentences, tokens, 2 x units)

        What is given beyond a length means nothing.
        """
        places = torch.arange(seen.shape[1], device=seen.device)
        ends = lengths.to(seen.device)[:, None]
        reversed_order = torch.where(places < ends, ends - 1 - places, places)
        rows = torch.arange(len(seen), device=seen.device)[:, None]
        back = self._run(self.back, seen[rows, reversed_order])
        return torch.cat([self._run(self.forth, seen), back[rows, reversed_order]], -1)

    def _run(self, layer: nn.LSTM, seen: Tensor) -> Tensor:
        """Run a layer, in training with the same units of its state left out at every token.

        A unit that is left out is a column of the recurrent weights that is 0, for all sentences
        of a batch; so the layer itself runs as fast as ever (Gal and Ghahramani, NeurIPS 2016).
        """
        if not (self.training and self.dropped):
            return layer(seen)[0]  # type: ignore[no-any-return]
        weights = layer.get_parameter("weight_hh_l0")
        kept = functional.dropout(weights.new_ones(weights.shape[1]), self.dropped)
        given: Tensor = functional_call(layer, {"weight_hh_l0": weights * kept}, (seen,))[0]
        return given


def inside(lengths: Tensor, most: int) -> Tensor:
    """Return which positions lie within the lengths. (sentences, most)"""
    return torch.arange(most, device=lengths.device) < lengths[:, None]
