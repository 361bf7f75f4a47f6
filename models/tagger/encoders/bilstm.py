"""A BiLSTM encoder over subwords and their letter case, for CPUs and training from scratch.

After the de-identifier of Friedrich et al. (ACL 2019), which reads words; this reads pieces, so
that it stands where any other encoder does. Trained from nothing, it is small and fast.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from models.tagger.encoders.subword_models import SPECIAL_TOKENS
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer

CASES = ("numeric", "mainly numeric", "lower", "upper", "initial upper", "has digit", "other")
"""The classes of a piece by its signs."""

_EMBEDDED = 100
_CASED = 16
_LAYERS = 2
_DROPOUT = 0.1
_BETWEEN = 0.25
_BLANK = "\u2581"
_LONGEST = 100_000


class BiLSTM(nn.Module):
    """Encodes every subword of a window. (windows, pieces) -> (windows, pieces, width)"""

    cases: Tensor

    def __init__(self, shape: Mapping[str, Any]) -> None:
        super().__init__()
        self.shape = dict(shape)
        units = shape["units"]
        self.pieces = nn.Embedding(len(SPECIAL_TOKENS) + shape["pieces"], _EMBEDDED)
        # Kept with the weights: a vocabulary alone does not change.
        self.register_buffer("cases", torch.zeros(len(self.pieces.weight), dtype=torch.long))
        self.cased = nn.Embedding(len(CASES), _CASED)
        self.dropout = nn.Dropout(_DROPOUT)
        self.recurrent = nn.LSTM(
            _EMBEDDED + _CASED,
            units,
            _LAYERS,
            batch_first=True,
            dropout=_BETWEEN,
            bidirectional=True,
        )
        self.width: int = 2 * units
        self.layers = 0
        self.longest: int = _LONGEST

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Encode windows that start with START; ids beyond a length count for nothing."""
        embedded = torch.cat([self.pieces(ids), self.cased(self.cases[ids])], -1)
        packed = pack_padded_sequence(
            self.dropout(embedded), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        hidden, _ = self.recurrent(packed)
        padded: Tensor = pad_packed_sequence(hidden, batch_first=True, total_length=ids.shape[1])[0]
        return padded


def make_bilstm(subwords: SubwordTokenizer, units: int) -> BiLSTM:
    """Make an encoder for a vocabulary, with so many units per direction."""
    made = BiLSTM({"kind": "bilstm", "units": units, "pieces": len(subwords.pieces)})
    cases = [CASES.index(case_class(piece.lstrip(_BLANK))) for piece, _ in subwords.pieces]
    made.cases[len(SPECIAL_TOKENS) :] = torch.tensor(cases)
    made.cases[: len(SPECIAL_TOKENS)] = CASES.index("other")
    return made


def case_class(piece: str) -> str:
    """Return the letter-case class of a subword."""
    digits = sum(char.isdigit() for char in piece)
    if digits:
        if digits == len(piece):
            return "numeric"
        return "mainly numeric" if 2 * digits > len(piece) else "has digit"
    if piece.islower():
        return "lower"
    if piece.isupper():
        return "upper"
    return "initial upper" if piece[:1].isupper() else "other"
