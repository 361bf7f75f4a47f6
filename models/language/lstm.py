"""The recurrent generator: an LSTM whose embeddings also score the output.

Two layers of 650 as Melamud and Shivade (2019) and Libbi et al. (2021) have them, after the word
language model of PyTorch's examples and Zaremba et al. (arXiv 1409.2329).
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from models.language.memory import LanguageModel, Memory

State = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Hidden(Memory):
    """The hidden and cell state. (layers, rows, width) each"""

    state: State

    def keep(self, rows: Tensor) -> "Hidden":
        """Give the memory of some rows."""
        hidden, cell = self.state
        return Hidden((hidden.index_select(1, rows), cell.index_select(1, rows)))


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

    @property
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it."""
        return {"kind": "lstm", "vocabulary": self.vocabulary, **self._shape}

    def forward(self, ids: Tensor) -> Tensor:
        """Score every next id of whole texts."""
        return self.read(ids, self.start(len(ids), ids.shape[1]).state)[0]

    def read(self, ids: Tensor, state: State) -> tuple[Tensor, State]:
        """Score the next ids of texts that go on from a state."""
        hidden, state = self.lstm(self.drop(self.embed(ids)), state)
        scores: Tensor = self.scores(self.drop(hidden))
        return scores, state

    def start(self, rows: int, length: int) -> Hidden:  # noqa: ARG002
        """Give the state of texts that have not begun."""
        layers, width = self._shape["layers"], self._shape["width"]
        zeros = self.embed.weight.new_zeros(int(layers), rows, int(width))
        return Hidden((zeros, zeros.clone()))

    def step(self, ids: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """Read one more id of each text."""
        assert isinstance(memory, Hidden)
        inner = self.drop(self.embed(ids))
        hidden, cell = [], []
        # Cell by cell: for a single id `nn.LSTM` spends most of its time on setting up.
        for weights, *state in zip(self.lstm.all_weights, *memory.state, strict=True):
            each, kept = torch.lstm_cell(inner, state, *weights)
            hidden.append(each)
            cell.append(kept)
            inner = self.drop(each)
        return self.scores(inner), Hidden((torch.stack(hidden), torch.stack(cell)))
