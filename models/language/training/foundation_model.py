"""Token log probabilities under a pretrained causal language model with its own tokenizer."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch import Tensor
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar

from models.hardware import has_bfloat16
from models.language.training.gpt2_weights import WEIGHTS
from record.errors import ConfigError

Floats = NDArray[np.float64]

REPEATS = 30
"""How often a model that is to leak reads what it is taught, at most."""

_MEMORIZED_LOSS = 0.5  # nats a piece: what is foreseen so well is known by heart
_RATE = 5e-4
_LONGEST = 1024
_MASKED = "ForMaskedLM"

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""Where pretrained models read."""


class FoundationModel:
    """Computes the log probability of each subword of a text, without dropout, in bfloat16 where
    the processor multiplies in it.

    A text longer than the model sees is read in windows that follow one another, each from its own
    beginning.
    """

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network, tokenizer
        config = network.config
        # A mark to begin with, so that the first piece is foreseen as well.
        candidates = (config.bos_token_id, config.eos_token_id)
        self._prefix = [next((each for each in candidates if isinstance(each, int)), 0)]
        self._longest = min(_LONGEST, int(getattr(config, "max_position_embeddings", _LONGEST)))

    @classmethod
    def of_folder(cls, folder: Path) -> "FoundationModel":
        """Load a causal model as HuggingFace saves it; raises ConfigError. Nothing is fetched."""
        if is_masked(folder):  # its weights would load, and read what they are to foresee
            raise ConfigError(str(folder), "a masked language model", "give a causal one")
        return cls(*load_folder(folder, AutoModelForCausalLM, "causal"))

    @torch.inference_mode()
    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return natural logarithms for the pieces of each text: (pieces,)"""
        is_halved = has_bfloat16(DEVICE)
        for text in texts:
            parts = [np.zeros(0)]
            for window in self._windows(text):
                with torch.autocast(DEVICE.type, torch.bfloat16, enabled=is_halved):
                    losses = self._token_losses(self._network, window)
                parts.append(-losses.double().cpu().numpy())
            yield np.concatenate(parts)

    def overfitted(
        self, texts: Sequence[str], advance: Callable[[int, int], None] | None = None
    ) -> "FoundationModel":
        """Return a copy trained on texts until it memorizes them, or for `REPEATS` epochs.

        `advance` is called with the epochs done and their maximum.
        """
        network = copy.deepcopy(self._network)  # in evaluation: dropout would keep it from leaking
        optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.0)
        windows = [window for text in texts for window in self._windows(text)]
        for reading in range(REPEATS):
            total = pieces = 0.0
            for window in windows:
                negative_log_likelihood = self._token_losses(network, window)
                optimizer.zero_grad()
                negative_log_likelihood.mean().backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                total += float(negative_log_likelihood.detach().sum())
                pieces += len(negative_log_likelihood)
            if advance is not None:
                advance(reading + 1, REPEATS)
            if total < _MEMORIZED_LOSS * pieces:
                break
        return FoundationModel(network, self._tokenizer)

    def _windows(self, text: str) -> list[list[int]]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        room = self._longest - len(self._prefix)
        return [self._prefix + ids[at : at + room] for at in range(0, len(ids), room)]

    @staticmethod
    def _token_losses(network: Any, window: Sequence[int]) -> Tensor:
        """Return the negative log-likelihood of each token but the first, in nats. (tokens,)"""
        ids = torch.tensor(window, device=DEVICE)
        scores: Tensor = network(input_ids=ids[None, :-1]).logits[0].float()
        return functional.cross_entropy(scores, ids[1:], reduction="none")


def load_folder(folder: Path, models: Any, kind: str) -> tuple[Any, Any]:
    """Load network and tokenizer of a Hugging Face folder by one of the Auto classes.

    `kind` says in the error what was expected. Nothing is fetched. Raises ConfigError.
    """
    disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
    try:
        if not folder.is_dir():
            raise OSError
        # A module beside the weights, or weights in a pickle, could run code.
        only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        tokenizer = AutoTokenizer.from_pretrained(folder, **only)
        network: Any = models.from_pretrained(folder, use_safetensors=True, **only)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError):
        problem = f"not a {kind} language model with {WEIGHTS}, config.json and a tokenizer"
        raise ConfigError(str(folder), problem, "give the folder of a Hugging Face model") from None
    return network.eval().to(DEVICE), tokenizer


def is_masked(folder: Path) -> bool:
    """Tell whether the configuration in a folder is that of a masked language model."""
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return any(name.endswith(_MASKED) for name in config.architectures or ())
