"""The interface of language models: next-token scores for training, and stepwise decoding."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class DecoderState(ABC):
    """The state of a model in the middle of generating texts, one row each."""

    compaction_threshold: ClassVar[float] = 1.0
    """Rows are worth dropping when the share of those that go on is not above this."""

    @abstractmethod
    def keep(self, rows: Tensor) -> "DecoderState":
        """Return the memory of some of the rows, or of the same row several times. (kept,)"""


class LanguageModel(nn.Module, ABC):
    """Scores the next token of a text."""

    vocabulary: int
    """How many ids there are."""
    longest: int | None
    """The maximum number of tokens of a text; None if unlimited."""
    learning_rows: Mapping[str, int] = {}
    """Of weights by these names only so many rows learn, the first ones."""
    computes_in_bfloat16: ClassVar[bool] = False
    """Whether texts are scored and written in bfloat16 where a processor is faster in it: minutes
    less, where single precision is worth little."""
    marks: int = 0
    """How many of the first ids learn as marks of a pretrained model do; 0: none."""

    def tables(self) -> list[nn.Parameter]:
        """Return the embeddings and the weights of the output, where marks are learnt apart."""
        return []

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    @abstractmethod
    def forward(self, ids: Tensor) -> Tensor:
        """Compute next-token scores of full texts. (texts, ids) -> (texts, ids, vocabulary)"""

    @abstractmethod
    def start(self, rows: int, length: int) -> DecoderState:
        """Return the state of so many empty texts of at most `length` tokens each."""

    @abstractmethod
    def step(self, ids: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """Read one more id of each text: (rows,) -> scores of the next (rows, vocabulary).

        The memory that was given must not be used again.
        """

    @abstractmethod
    def prefill(self, ids: Tensor, memory: DecoderState) -> DecoderState:
        """Read the first ids of each text in one pass: (rows, ids), at least one id.

        The memory is one of texts that have not begun, and must not be used again.
        """

    @property
    @abstractmethod
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it but for its weights."""
