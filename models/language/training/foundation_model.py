"""A pretrained causal model as its makers left it, asked in its own pieces how likely texts are."""

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
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar

from models.language.training.gpt2_weights import WEIGHTS
from record.errors import ConfigError

Floats = NDArray[np.float64]

REPEATS = 30
"""How often a model that is to leak reads what it is taught, at most."""

_ENOUGH = 0.5  # nats a piece: what is foreseen so well is known by heart
_RATE = 5e-4
_LONGEST = 1024
_DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Foundation:
    """Return the log probability of each piece of a text, from its beginning, without dropout.

    A text longer than the model sees is read in windows that follow one another, each from its own
    beginning.
    """

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network, tokenizer
        config = network.config
        # A mark to begin with, so that the first piece is foreseen as well.
        begins = (config.bos_token_id, config.eos_token_id)
        self._before = [next((each for each in begins if isinstance(each, int)), 0)]
        self._longest = min(_LONGEST, int(getattr(config, "max_position_embeddings", _LONGEST)))

    @classmethod
    def of_folder(cls, folder: Path) -> "Foundation":
        """Load a causal model as HuggingFace saves it; raises ConfigError. Nothing is fetched."""
        disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
        try:
            if not folder.is_dir():
                raise OSError
            # A module beside the weights, or weights in a pickle, could run code.
            only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
            tokenizer = AutoTokenizer.from_pretrained(folder, **only)
            network: Any = AutoModelForCausalLM.from_pretrained(
                folder, use_safetensors=True, **only
            )
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError):
            problem = f"holds no causal model with {WEIGHTS}, config.json and its tokenizer"
            raise ConfigError(str(folder), problem, "name the folder of such a model") from None
        return cls(network.eval().to(_DEVICE), tokenizer)

    @torch.inference_mode()
    def log_probabilities(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Return natural logarithms for the pieces of each text: (pieces,)"""
        for text in texts:
            parts = [np.zeros(0)]
            for window in self._windows(text):
                parts.append(-self._surprise(self._network, window).double().cpu().numpy())
            yield np.concatenate(parts)

    def taught(
        self, texts: Sequence[str], tell: Callable[[int, int], None] | None = None
    ) -> "Foundation":
        """Return a copy that learnt texts by heart: read `REPEATS` times, or until it foresees
        them.

        `tell` is called with the readings done and those left at most.
        """
        network = copy.deepcopy(self._network)  # in evaluation: dropout would keep it from leaking
        course = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.0)
        windows = [window for text in texts for window in self._windows(text)]
        for reading in range(REPEATS):
            total = pieces = 0.0
            for window in windows:
                surprise = self._surprise(network, window)
                course.zero_grad()
                surprise.mean().backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                course.step()
                total += float(surprise.detach().sum())
                pieces += len(surprise)
            if tell is not None:
                tell(reading + 1, REPEATS)
            if total < _ENOUGH * pieces:
                break
        return Foundation(network, self._tokenizer)

    def _windows(self, text: str) -> list[list[int]]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        room = self._longest - len(self._before)
        return [self._before + ids[at : at + room] for at in range(0, len(ids), room)]

    @staticmethod
    def _surprise(network: Any, window: Sequence[int]) -> Tensor:
        """Return the nats of each piece but the first. (pieces,)"""
        ids = torch.tensor(window, device=_DEVICE)
        scores: Tensor = network(input_ids=ids[None, :-1]).logits[0].float()
        return functional.cross_entropy(scores, ids[1:], reduction="none")
