"""What a language model is to those who train it and write with it."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class Memory(ABC):
    """What a model remembers of the texts it is in the middle of, one row each."""

    crowded: ClassVar[float] = 1.0
    """Rows are worth dropping when the share of those that go on is not above this."""

    @abstractmethod
    def keep(self, rows: Tensor) -> "Memory":
        """Return the memory of some of the rows, or of the same row several times. (kept,)"""


class LanguageModel(nn.Module, ABC):
    """Tells how probable each id is as the next one."""

    vocabulary: int
    """How many ids there are."""
    longest: int | None
    """How many ids a text may have; None where there is no bound."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    @abstractmethod
    def forward(self, ids: Tensor) -> Tensor:
        """Score every next id of whole texts. (texts, ids) -> (texts, ids, vocabulary)"""

    @abstractmethod
    def start(self, rows: int, length: int) -> Memory:
        """Return the memory of so many texts that have not begun, of at most `length` ids each."""

    @abstractmethod
    def step(self, ids: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        """Read one more id of each text: (rows,) -> scores of the next (rows, vocabulary).

        The memory that was given must not be used again.
        """

    @property
    @abstractmethod
    def shape(self) -> dict[str, Any]:
        """All that rebuilds it but for its weights."""
