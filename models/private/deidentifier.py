"""The de-identifier on vectors: a BiLSTM-CRF that sees embeddings and letter case, but no text.

After Friedrich et al. (ACL 2019): two layers of LSTM in both directions below a chain of tags, and
dropout as they have it. It learns from embeddings and from private representations alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from models.private.bilstm import BidirectionalLSTM
from models.private.embeddings import Floats, Integers
from models.private.sentences import PHI, Sentence
from models.tagger.encoders.bilstm import CASES
from models.tagger.sequences.crf import LinearChainCRF
from models.tagger.sequences.tags import TagScheme, WordSpan

BINARY = (PHI,)
"""The labels of a de-identifier that does not distinguish kinds of identifiers."""

_DROPPED_IN = 0.1
_DROPPED_STATES = 0.25
_DROPPED_OUT = 0.5


@dataclass(frozen=True, slots=True)
class EncodedSentence:
    """A sentence without its text: vectors (tokens, numbers), classes of case, spans in tokens."""

    vectors: Floats = field(repr=False)
    casing: Integers = field(repr=False)
    spans: tuple[WordSpan, ...] = ()

    def __len__(self) -> int:
        return len(self.casing)


def examples(sentences: Iterable[Sentence], vectors: Iterable[Floats]) -> list[EncodedSentence]:
    """Leave the text of sentences away."""
    return [
        EncodedSentence(rows, np.array(sentence.casing, np.int64), sentence.spans)
        for sentence, rows in zip(sentences, vectors, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Padded sentences; tags (sentences, tokens) are 0 where unknown."""

    vectors: Tensor
    casing: Tensor
    lengths: Tensor
    tags: Tensor

    def with_vectors(self, vectors: Tensor) -> "VectorBatch":
        """Return the same sentences with other vectors."""
        return VectorBatch(vectors, self.casing, self.lengths, self.tags)


class Deidentifier(nn.Module):
    """A BiLSTM-CRF over vectors and letter case."""

    def __init__(self, inputs: int, labels: Sequence[str], units: int = 128) -> None:
        super().__init__()
        self.shape = {"inputs": inputs, "labels": list(labels), "units": units}
        self.units = units
        self.scheme = TagScheme(tuple(labels))
        widths = (inputs + len(CASES), 2 * units)
        self.layers = nn.ModuleList(
            BidirectionalLSTM(width, units, _DROPPED_STATES) for width in widths
        )
        self.scores = nn.Linear(2 * units, len(self.scheme))
        self.chain = LinearChainCRF(self.scheme, learned=True)

    def collate(self, held: Sequence[EncodedSentence]) -> VectorBatch:
        """Put sentences side by side; raises ValueError for a label that was not named."""
        tags = [torch.tensor(self.scheme.encode(one.spans, len(one))) for one in held]
        return VectorBatch(
            pad_sequence([torch.from_numpy(one.vectors) for one in held], batch_first=True),
            pad_sequence([torch.from_numpy(one.casing) for one in held], batch_first=True),
            torch.tensor([len(one) for one in held]),
            pad_sequence(tags, batch_first=True),
        )

    def forward(self, batch: VectorBatch) -> Tensor:
        """Score tags. (sentences, tokens, tags)"""
        cased = functional.one_hot(batch.casing, len(CASES)).to(batch.vectors.dtype)
        seen = torch.cat([batch.vectors, cased], -1)
        hidden = functional.dropout(seen, _DROPPED_IN, self.training)
        for layer in self.layers:
            hidden = layer(hidden, batch.lengths)
        hidden = functional.dropout(hidden, _DROPPED_OUT, self.training)
        scored: Tensor = self.scores(hidden)
        return scored

    def loss(self, batch: VectorBatch) -> Tensor:
        """Return the negative log-likelihood of the tags, in nats per token. ()"""
        allowed = functional.one_hot(batch.tags, len(self.scheme)).bool()
        lost = self.chain.negative_log_likelihood(self(batch), batch.lengths, allowed)
        return lost.sum() / batch.lengths.sum()

    @torch.no_grad()
    def predict(self, batch: VectorBatch) -> list[list[WordSpan]]:
        """Return the spans of each sentence, in tokens."""
        tags = self.chain.viterbi(self(batch), batch.lengths)
        return [
            list(self.scheme.decode(row[:length].tolist()))
            for row, length in zip(tags, batch.lengths.tolist(), strict=True)
        ]
