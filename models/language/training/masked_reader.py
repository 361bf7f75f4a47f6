"""Token pseudo-log-probabilities under a pretrained masked language model."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForMaskedLM

from models.hardware import has_bfloat16
from models.language.training.foundation_model import (
    DEVICE,
    FoundationModel,
    is_masked,
    load_folder,
)
from record.errors import ConfigError

Floats = NDArray[np.float64]

APART = 16
"""Distance in tokens between two that are masked in the same pass."""

EVERY = 4
"""One in so many tokens is scored: a pass of the network for each would take minutes a note."""

_LONGEST = 512


class TextScorer(Protocol):
    """Gives the log probabilities of a text's tokens under a model."""

    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return natural logarithms for the tokens of each text that are scored: (tokens,)"""
        ...


def load_scorer(folder: Path) -> TextScorer:
    """Load a causal or a masked language model as Hugging Face saves it; raises ConfigError."""
    return (
        MaskedReader.of_folder(folder) if is_masked(folder) else FoundationModel.of_folder(folder)
    )


class MaskedReader:
    """Computes the log probability of tokens given those on both sides, without dropout.

    Pseudo-log-likelihood (Salazar et al., ACL 2020). The rest of a token's word is masked with it,
    since the end of a rare word gives away its beginning (Kauf and Ivanova, ACL 2023). One token in
    `EVERY` is scored, `APART` of them masked together. A text longer than the model sees is read in
    windows that follow one another.
    """

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network, tokenizer
        self._ends = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
        self._mask = tokenizer.mask_token_id
        longest = min(_LONGEST, int(getattr(network.config, "max_position_embeddings", _LONGEST)))
        # Position embeddings of RoBERTa begin behind the padding's: two of them are never used.
        self._room = longest - 4

    @classmethod
    def of_folder(cls, folder: Path) -> "MaskedReader":
        """Load a masked model as Hugging Face saves it; raises ConfigError. Nothing is fetched."""
        network, tokenizer = load_folder(folder, AutoModelForMaskedLM, "masked")
        asked = (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id)
        if None in asked or not tokenizer.is_fast:
            problem = "its tokenizer has no tokens for the mask and the ends of a text"
            raise ConfigError(str(folder), problem, "give the folder of a masked language model")
        return cls(network, tokenizer)

    @torch.inference_mode()
    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return natural logarithms for one in `EVERY` tokens of each text: (tokens,)"""
        for text in texts:
            told = self._tokenizer(text, add_special_tokens=False, verbose=False)
            ids, words = told["input_ids"], told.word_ids()
            starts = range(0, len(ids), self._room)
            parts = [
                self._score(ids[at : at + self._room], words[at : at + self._room]) for at in starts
            ]
            yield np.concatenate([np.zeros(0), *parts])

    def _score(self, ids: Sequence[int], words: Sequence[int | None]) -> Floats:
        """Score one token in `EVERY` of a window."""
        before, behind = self._ends
        rows, scored = [], []
        for offset in range(0, min(APART, len(ids)), EVERY):
            masked = list(ids)
            asked = range(offset, len(ids), APART)
            for at in asked:
                for other in range(at, min(at + APART, len(ids))):
                    if words[other] != words[at]:
                        break
                    masked[other] = self._mask
            rows.append([*before, *masked, *behind])
            scored += [(len(rows) - 1, at) for at in asked]
        row, at = torch.tensor(scored, device=DEVICE).T

        def narrow(_: Any, hidden: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            return (hidden[0][row, at + len(before)],)

        # The projection to a vocabulary of 100,000 costs as much as all layers: only where asked.
        hook = self._network.get_output_embeddings().register_forward_pre_hook(narrow)
        try:
            with torch.autocast(DEVICE.type, torch.bfloat16, enabled=has_bfloat16(DEVICE)):
                told = self._network(input_ids=torch.tensor(rows, device=DEVICE)).logits
        finally:
            hook.remove()
        right = torch.tensor(ids, device=DEVICE)[at]
        found = told.float().log_softmax(-1).gather(1, right[:, None])[at.argsort(), 0]
        scores: Floats = found.double().cpu().numpy()
        return scores
