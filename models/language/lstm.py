"""The recurrent generator: an LSTM whose embeddings also score the output.

Two layers of 650 as Melamud and Shivade (2019) and Libbi et al. (2021) have them, after the word
language model of PyTorch's examples and Zaremba et al. (arXiv 1409.2329).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from models.language.memory import LanguageModel, Memory

State = tuple[Tensor, Tensor]
Cells = Sequence[tuple[Tensor, Tensor]]
Versions = list[tuple[int, int]]


@dataclass(frozen=True)
class Hidden(Memory):
    """The hidden and cell state, (layers, rows, width) each.

    On a processor, where nothing is learnt, with the weights as products of few rows are fastest:
    `cells` has those of input and state in one (2 * width, 4 * width) for each layer, with the sum
    of its biases, and `scores` (width, vocabulary).
    """

    state: State
    cells: Cells = ()
    scores: Tensor | None = None

    def keep(self, rows: Tensor) -> "Hidden":
        """Give the memory of some rows."""
        hidden, cell = self.state
        return replace(self, state=(hidden.index_select(1, rows), cell.index_select(1, rows)))


class LSTM(LanguageModel):
    """Embeddings, layers of LSTM, and scores by the same embeddings."""

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
        self._laid: tuple[Versions, Cells, Tensor] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again where it is needed."""
        return {**self.__dict__, "_laid": None}

    @property
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it."""
        return {"kind": "lstm", "vocabulary": self.vocabulary, **self._shape}

    def forward(self, ids: Tensor) -> Tensor:
        """Score every next id of whole texts."""
        return self.read(ids, self._zeros(len(ids)))[0]

    def read(self, ids: Tensor, state: State) -> tuple[Tensor, State]:
        """Score the next ids of texts that go on from a state."""
        hidden, state = self.lstm(self.drop(self.embed(ids)), state)
        scores: Tensor = self.scores(self.drop(hidden))
        return scores, state

    def start(self, rows: int, length: int) -> Hidden:  # noqa: ARG002
        """Give the state of texts that have not begun."""
        state = self._zeros(rows)
        if state[0].device.type != "cpu" or torch.is_grad_enabled():
            return Hidden(state)
        return Hidden(state, *self._for_few_rows())

    def _for_few_rows(self) -> tuple[Cells, Tensor]:
        """Lay out the weights for products of few rows, once as long as none of them changes."""
        if any(each.is_inference() for each in self.parameters()):  # these have no version
            return self._lay_out()
        versions = [(each.data_ptr(), each._version) for each in self.parameters()]
        if self._laid is None or self._laid[0] != versions:
            self._laid = (versions, *self._lay_out())
        return self._laid[1:]

    def _lay_out(self) -> tuple[Cells, Tensor]:
        cells = [
            (torch.cat((of_input, of_state), 1).t().contiguous(), bias + other)
            for of_input, of_state, bias, other in self.lstm.all_weights
        ]
        return cells, self.scores.weight.t().contiguous()

    def _zeros(self, rows: int) -> State:
        layers, width = self._shape["layers"], self._shape["width"]
        zeros = self.embed.weight.new_zeros(int(layers), rows, int(width))
        return zeros, zeros.clone()

    def step(self, ids: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """Read one more id of each text."""
        assert isinstance(memory, Hidden)
        inner = self.drop(self.embed(ids))
        hidden, cell = [], []
        # Cell by cell: for a single id `nn.LSTM` spends most of its time on setting up.
        for layer, state in enumerate(zip(*memory.state, strict=True)):
            if memory.cells:
                each, kept = _cell(inner, state, *memory.cells[layer])
            else:
                each, kept = torch.lstm_cell(inner, state, *self.lstm.all_weights[layer])
            hidden.append(each)
            cell.append(kept)
            inner = self.drop(each)
        kept_state = (torch.stack(hidden), torch.stack(cell))
        if memory.scores is None:
            return self.scores(inner), Hidden(kept_state)
        scores = torch.addmm(self.scores.bias, inner, memory.scores)
        return scores, replace(memory, state=kept_state)


def _cell(inner: Tensor, state: State, weights: Tensor, bias: Tensor) -> State:
    """Compute a cell as `torch.lstm_cell` does, by one product."""
    hidden, cell = state
    gates = torch.addmm(bias, torch.cat((inner, hidden), 1), weights)
    take, forget, new, give = gates.chunk(4, 1)
    cell = forget.sigmoid() * cell + take.sigmoid() * new.tanh()
    return give.sigmoid() * cell.tanh(), cell
