"""A masked language model over whole words: saving, loading and predicting masked words.

It knows whole words alone, so that it never writes half of one; `models.language.masked.training`
trains it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights
from torch import Tensor

from models.hardware import choose_device, has_bfloat16
from models.language.networks.masked_network import (
    MASK,
    PAD,
    SPECIAL_TOKENS,
    UNKNOWN,
    Network,
    build,
)
from models.serialization import FolderFormat
from record.atomic_write import OWNER_FILE, make_folders, write_atomically

T = TypeVar("T")

Floats = NDArray[np.float64]

WEIGHTS = "weights.safetensors"
FOLDER_FORMAT = FolderFormat(
    "masked.json",
    "masked language model",
    "cryptonym synthesize train --recipe masked",
    mode=OWNER_FILE,
)


@dataclass(frozen=True)
class TrainedMasked:
    """A network and its words in the order of their ids, special tokens first."""

    network: Network
    words: tuple[str, ...] = field(repr=False)
    about: dict[str, Any]


class MaskedFiller:
    """Predicts masked words with a trained network, on the GPU if there is one."""

    def __init__(self, trained: TrainedMasked) -> None:
        self._known = {word: number for number, word in enumerate(trained.words)}
        self._device = choose_device()
        self._network = trained.network.to(self._device).eval()
        self._in_bfloat16 = has_bfloat16(self._device)
        # Special tokens, punctuation and numbers are never filled in.
        is_word = [word[:1].isalpha() for word in trained.words]
        is_word[: len(SPECIAL_TOKENS)] = [False] * len(SPECIAL_TOKENS)
        self._writable = [word for word, may in zip(trained.words, is_word, strict=True) if may]
        self._allowed = torch.tensor(is_word, device=self._device).nonzero()[:, 0]

    @classmethod
    def load(cls, folder: Path) -> "MaskedFiller":
        """Read a folder that a model was trained into; raises ConfigError."""
        return cls(load_masked(folder))

    @property
    def length(self) -> int:
        """The most words that a window may have."""
        return self._network.length

    @property
    def writable(self) -> Sequence[str]:
        """The words that may be written, the same ones for every place."""
        return self._writable

    @torch.inference_mode()
    def candidates(
        self, windows: Sequence[Sequence[str | None]], top: int
    ) -> list[list[list[tuple[str, float]]]]:
        """Return the `top` likeliest words for each place (None) of every window, likeliest first.

        Raises ValueError where a window has more words than the model sees together.
        """
        shares = self._scores(windows).softmax(-1)
        chosen = shares.topk(min(top, shares.shape[-1]))
        writable = self._writable
        found = [
            [(writable[word], share) for word, share in zip(words, each, strict=True)]
            for words, each in zip(chosen.indices.tolist(), chosen.values.tolist(), strict=True)
        ]
        # Part what was found for all places by window
        places = iter(found)
        return [[next(places) for word in window if word is None] for window in windows]

    @torch.inference_mode()
    def scores(self, windows: Sequence[Sequence[str | None]]) -> list[Floats]:
        """Return the logarithms of the odds of the writable words: [places, words] a window."""
        scores = self._scores(windows).log_softmax(-1).double().cpu().numpy()
        ends = np.cumsum([window.count(None) for window in windows])
        return np.split(scores, ends[:-1]) if windows else []

    def _scores(self, windows: Sequence[Sequence[str | None]]) -> Tensor:
        """Score the writable words at all places of all windows: [places, words]."""
        rows = [
            [MASK if w is None else self._known.get(w, UNKNOWN) for w in win] for win in windows
        ]
        if max(map(len, rows), default=0) > self.length:
            raise ValueError(f"a window must have at most {self.length} words")
        ids = padded(rows).to(self._device)
        places = ids == MASK
        if not places.any():
            return torch.zeros(0, max(1, len(self._writable)))
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._in_bfloat16):
            scores = self._network.score(self._network.hidden(ids)[places])
        return scores.float()[:, self._allowed]


def padded(rows: Sequence[Sequence[int]], filler: int = PAD) -> Tensor:
    """Put rows of ids side by side: [rows, most ids of one]."""
    most = max(map(len, rows), default=0)
    held = torch.full((len(rows), most), filler)
    for number, row in enumerate(rows):
        held[number, : len(row)] = torch.tensor(row)
    return held


def save_masked(trained: TrainedMasked, folder: Path) -> None:
    """Write a model; `masked.json` is written last, so that a folder with it is complete.

    Only their owner may read the files: the words of a model are those of the notes.
    """
    make_folders(folder)
    state = {name: value.contiguous() for name, value in trained.network.state_dict().items()}
    write_atomically(folder / WEIGHTS, dump_weights(state), OWNER_FILE)
    said = {"shape": trained.network.shape, "words": trained.words, "about": trained.about}
    FOLDER_FORMAT.write_settings(folder, said, (WEIGHTS,))


def load_masked(folder: Path) -> TrainedMasked:
    """Read a model; raises ConfigError where it is missing or damaged."""
    held = FOLDER_FORMAT.read(folder)
    try:
        network = build(len(held["words"]), held["shape"])
        network.load_state_dict(load_weights(FOLDER_FORMAT.read_verified(folder, held, WEIGHTS)))
        return TrainedMasked(network, tuple(held["words"]), held["about"])
    except (ValueError, KeyError, TypeError, RuntimeError, SafetensorError):
        raise FOLDER_FORMAT.mismatch_error(folder) from None
