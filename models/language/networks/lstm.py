"""The LSTM language model, with output weights tied to the embeddings.

Two layers of 650 as Melamud and Shivade (2019) and Libbi et al. (2021) have them, after the word
language model of PyTorch's examples and Zaremba et al. (arXiv 1409.2329).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from models.language.networks.language_model import DecoderState, LanguageModel

State = tuple[Tensor, Tensor]
Product = Callable[[Tensor], Tensor]
Products = Sequence[Product]
Versions = list[tuple[int, int]]

_PACKING_ROWS = 64  # rows that weights are laid out for
_ONEDNN_MIN_ROWS = (
    2  # rows from which oneDNN is faster than the library that PyTorch multiplies by itself
)


@dataclass(frozen=True)
class LSTMState(DecoderState):
    """The hidden and cell state, (layers, rows, width) each.

    On a processor, where nothing is learnt, with the products of a step, whose weights lie as is
    fastest for few rows: for each layer that of input and state in one, (rows, 2 * width) to
    (rows, 4 * width), and at last that of scores.
    """

    state: State
    products: Products = ()

    def keep(self, rows: Tensor) -> "LSTMState":
        """Return the memory of some rows."""
        hidden, cell = self.state
        return replace(self, state=(hidden.index_select(1, rows), cell.index_select(1, rows)))


class LSTM(LanguageModel):
    """Token embeddings, LSTM layers, and an output layer tied to the embeddings."""

    longest = None

    def __init__(self, vocabulary: int, *, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self._shape = {"width": width, "layers": layers, "dropout": dropout}
        self.drop = nn.Dropout(dropout)
        self.embed = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(
            width, width, layers, dropout=dropout if layers > 1 else 0.0, batch_first=True
        )
        self.scores = nn.Linear(width, vocabulary)
        self.scores.weight = self.embed.weight
        nn.init.uniform_(self.embed.weight, -0.1, 0.1)
        nn.init.zeros_(self.scores.bias)
        self._weight_cache: tuple[Versions, dict[bool, Products]] = ([], {})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again where it is needed."""
        return {**self.__dict__, "_weight_cache": ([], {})}

    @property
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it."""
        return {"kind": "lstm", "vocabulary": self.vocabulary, **self._shape}

    def forward(self, ids: Tensor) -> Tensor:
        """Compute next-token scores of full texts."""
        return self.forward_from(ids, self._zeros(len(ids)))[0]

    def forward_from(self, ids: Tensor, state: State) -> tuple[Tensor, State]:
        """Score the next ids of texts that go on from a state."""
        hidden, state = self.lstm(self.drop(self.embed(ids)), state)
        scores: Tensor = self.scores(self.drop(hidden))
        return scores, state

    def start(self, rows: int, length: int) -> LSTMState:  # noqa: ARG002
        """Return the state of texts that have not begun."""
        state = self._zeros(rows)
        if state[0].device.type != "cpu" or torch.is_grad_enabled():
            return LSTMState(state)
        # Lay out the weights for products of so many rows: once, as long as none changes
        with_onednn = rows >= _ONEDNN_MIN_ROWS and has_onednn()
        if any(each.is_inference() for each in self.parameters()):
            products = self._prepare_weights(with_onednn=with_onednn)
        else:
            versions = [(each.data_ptr(), each._version) for each in self.parameters()]
            if self._weight_cache[0] != versions:
                self._weight_cache = (versions, {})
            kept = self._weight_cache[1]
            if with_onednn not in kept:
                kept[with_onednn] = self._prepare_weights(with_onednn=with_onednn)
            products = kept[with_onednn]
        return LSTMState(state, products)

    def _prepare_weights(self, *, with_onednn: bool) -> Products:
        make = _matmul_by_onednn if with_onednn else _matmul_by_columns
        cells = [
            make(torch.cat((of_input, of_state), 1), bias + other)
            for of_input, of_state, bias, other in self.lstm.all_weights
        ]
        return [*cells, make(self.scores.weight, self.scores.bias)]

    def _zeros(self, rows: int) -> State:
        layers, width = self._shape["layers"], self._shape["width"]
        zeros = self.embed.weight.new_zeros(int(layers), rows, int(width))
        return zeros, zeros.clone()

    def step(self, ids: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """Read one more id of each text."""
        assert isinstance(memory, LSTMState)
        inner = self.drop(self.embed(ids))
        hidden, cell = [], []
        # Cell by cell: for a single id `nn.LSTM` spends most of its time on setting up.
        for layer, state in enumerate(zip(*memory.state, strict=True)):
            if memory.products:
                each, kept = _lstm_cell(inner, state, memory.products[layer])
            else:
                each, kept = torch.lstm_cell(inner, state, *self.lstm.all_weights[layer])
            hidden.append(each)
            cell.append(kept)
            inner = self.drop(each)
        kept_state = (torch.stack(hidden), torch.stack(cell))
        scores = memory.products[-1] if memory.products else self.scores
        return scores(inner), replace(memory, state=kept_state)

    def prefill(self, ids: Tensor, memory: DecoderState) -> LSTMState:
        """Read the first ids of each text in one pass, without scores."""
        assert isinstance(memory, LSTMState)
        _, state = self.lstm(self.drop(self.embed(ids)), memory.state)
        return replace(memory, state=state)


def has_onednn() -> bool:
    """Return whether oneDNN multiplies faster here: it uses AVX-512 on processors of any maker.

    Its products are those that PyTorch's own compiler calls; no other way keeps weights laid out.
    """
    has_avx512 = bool(torch.cpu.get_capabilities().get("avx512_f"))
    return has_avx512 and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _matmul_by_columns(weight: Tensor, bias: Tensor) -> Product:
    columns = weight.t().contiguous()
    return lambda rows: torch.addmm(bias, rows, columns)


def _matmul_by_onednn(weight: Tensor, bias: Tensor) -> Product:
    calls: Any = torch.ops.mkldnn
    packed = calls._reorder_linear_weight(weight.detach().contiguous(), _PACKING_ROWS)
    return partial(_onednn_linear, calls._linear_pointwise, packed, bias.detach())


def _onednn_linear(
    call: Callable[..., Tensor], packed: Tensor, bias: Tensor, rows: Tensor
) -> Tensor:
    return call(rows, packed, bias, "none", [], "")


def _lstm_cell(inner: Tensor, state: State, product: Product) -> State:
    """Compute a cell as `torch.lstm_cell` does, by one product."""
    hidden, cell = state
    gates = product(torch.cat((inner, hidden), 1))
    input_gate, forget_gate, candidate, output_gate = gates.chunk(4, 1)
    cell = forget_gate.sigmoid() * cell + input_gate.sigmoid() * candidate.tanh()
    return output_gate.sigmoid() * cell.tanh(), cell
