"""Saving and loading a private representation: embeddings, representer, and its evaluators."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights
from torch import nn

from models.private.adversaries import Adversaries
from models.private.deidentifier import Deidentifier
from models.private.embeddings import Embeddings, Floats
from models.private.representer import Representer
from models.private.sentences import Sentence
from models.serialization import FolderFormat
from record.atomic_write import write_atomically

WEIGHTS, EMBEDDINGS = "weights.safetensors", "embeddings"

SETTINGS = "private.json"
"""The file that is written last, so that a folder with it is whole."""

_FOLDER_FORMAT = FolderFormat(SETTINGS, "private representation", "cryptonym share encode --train")


@dataclass(frozen=True)
class RepresenterBundle:
    """The result of training a private representation.

    `representer` encodes with `embeddings`; `deidentifier` read its representations and
    `adversaries` judged them when training ended. `about` is plain JSON: recipe, history, scores.
    """

    embeddings: Embeddings
    representer: Representer
    deidentifier: Deidentifier
    adversaries: Adversaries
    about: Mapping[str, Any]

    def encode(
        self, sentences: Sequence[Sentence], generator: torch.Generator, noise: float = 1.0
    ) -> list[Floats]:
        """Encode sentences of any lengths, in order. (tokens, numbers) each, of unit length"""
        vectors = [self.embeddings.vectors(sentence.tokens) for sentence in sentences]
        return self.representer.encode(vectors, generator, noise)


class RepresenterNetworks(nn.Module):
    """The three networks of a training as one module, so that they share a checkpoint."""

    def __init__(
        self, representer: Representer, deidentifier: Deidentifier, adversaries: Adversaries
    ) -> None:
        super().__init__()
        self.representer = representer
        self.deidentifier = deidentifier
        self.adversaries = adversaries

    @property
    def shapes(self) -> dict[str, Any]:
        """All that rebuilds them."""
        return {
            "representer": self.representer.shape,
            "deidentifier": self.deidentifier.shape,
            "adversaries": self.adversaries.shape,
        }


def save(kit: RepresenterBundle, folder: Path) -> None:
    """Write a bundle; `private.json` is written last, so that a folder with it is complete."""
    kit.embeddings.save(folder / EMBEDDINGS)
    parts = RepresenterNetworks(kit.representer, kit.deidentifier, kit.adversaries)
    state = {name: value.detach().cpu().contiguous() for name, value in parts.state_dict().items()}
    write_atomically(folder / WEIGHTS, dump_weights(state))
    said = {"shapes": parts.shapes, "embeddings": kit.embeddings.digest, "about": kit.about}
    _FOLDER_FORMAT.write_settings(folder, json.loads(json.dumps(said)), (WEIGHTS,))


def load(folder: Path) -> RepresenterBundle:
    """Read a bundle. Raises ConfigError that names the file which is missing or corrupt."""
    settings = _FOLDER_FORMAT.read(folder)
    embeddings = Embeddings.load(folder / EMBEDDINGS)
    try:
        shapes = settings["shapes"]
        parts = RepresenterNetworks(
            Representer(**shapes["representer"]),
            Deidentifier(**shapes["deidentifier"]),
            Adversaries(**shapes["adversaries"]),
        )
        parts.load_state_dict(load_weights(_FOLDER_FORMAT.read_verified(folder, settings, WEIGHTS)))
        if settings["embeddings"] != embeddings.digest:
            raise ValueError
        about: Mapping[str, Any] = settings["about"]
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise _FOLDER_FORMAT.mismatch_error(folder) from None
    parts.eval()
    return RepresenterBundle(
        embeddings, parts.representer, parts.deidentifier, parts.adversaries, about
    )


def digest(folder: Path) -> str:
    """Return a digest of all weights, words and settings; raises ConfigError."""
    return _FOLDER_FORMAT.digest(folder)
