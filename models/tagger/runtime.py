"""A trained tagger as a detector."""

from collections.abc import Sequence
from pathlib import Path

import torch

from models.precision import has_bfloat16
from models.tagger import folder
from models.tagger.predict import predict
from record.document import Document
from record.span import Span


class Tagger:
    """Finds spans by a trained network, on the GPU where there is one.

    Notes given together share batches of windows of like length.
    """

    def __init__(self, trained: folder.Trained) -> None:
        self._trained = trained
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        trained.network.to(self._device).eval()
        trained.network.in_bfloat16 = has_bfloat16(self._device)

    @classmethod
    def load(cls, path: Path) -> "Tagger":
        """Read a folder that `cryptonym train` wrote. Raises ConfigError."""
        return cls(folder.load(path))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that spans may have, in alphabetical order."""
        return self._trained.network.design.labels

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find spans; those of one document are in order of place. `score` is in [0, 1]."""
        trained = self._trained
        return predict(trained.network, trained.subwords, trained.cut, documents)
