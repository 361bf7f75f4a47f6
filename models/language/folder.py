"""A trained language model as a folder: weights, vocabulary, and what rebuilds it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.atomic import write
from models.language.gpt import GPT
from models.language.lstm import LSTM
from models.language.memory import LanguageModel
from models.language.vocabulary import Vocabulary, read_vocabulary
from record.errors import ConfigError

SETTINGS = "language.json"
"""The file that tells what a folder holds; it is written last."""

WEIGHTS, VOCABULARY = "weights.safetensors", "vocabulary.json"

_TIED = "scores.weight"  # the same weights as `embed.weight`, kept once
_FORMAT = 1
_REMEDY = "name a folder that `cryptonym synthesize train` wrote"


@dataclass(frozen=True)
class Trained:
    """Everything that writes text. `about` is what those who trained it say of it."""

    network: LanguageModel
    vocabulary: Vocabulary
    about: Mapping[str, Any]


def build(shape: Mapping[str, Any]) -> LanguageModel:
    """Make a network of a shape, with weights drawn by chance; raises KeyError, TypeError."""
    sizes = {name: value for name, value in shape.items() if name not in ("kind", "vocabulary")}
    kinds: dict[str, type[GPT] | type[LSTM]] = {"gpt": GPT, "lstm": LSTM}
    return kinds[shape["kind"]](shape["vocabulary"], **sizes)


def save(trained: Trained, folder: Path) -> None:
    """Write a model; `language.json` comes last, so that a folder with it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: value.detach().cpu().contiguous()
        for name, value in trained.network.state_dict().items()
        if name != _TIED
    }
    weights = dump_weights(state)
    write(folder / WEIGHTS, weights)
    trained.vocabulary.save(folder / VOCABULARY)
    settings = {
        "format": _FORMAT,
        "shape": trained.network.shape,
        "about": trained.about,
        "sha256": {
            WEIGHTS: hashlib.sha256(weights).hexdigest(),
            VOCABULARY: hashlib.sha256((folder / VOCABULARY).read_bytes()).hexdigest(),
        },
    }
    write(folder / SETTINGS, json.dumps(settings, indent=1).encode())


def load(folder: Path) -> Trained:
    """Read a model. Raises ConfigError that names the file which is missing or damaged."""
    settings = _settings(folder)
    try:
        sums: Mapping[str, str] = settings["sha256"]
        network = build(settings["shape"])
        state = load_weights(_checked(folder / WEIGHTS, sums))
        network.load_state_dict({**state, _TIED: state["embed.weight"]})
        _checked(folder / VOCABULARY, sums)
        vocabulary = read_vocabulary(folder / VOCABULARY)
        about: Mapping[str, Any] = settings["about"]
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise ConfigError(str(folder / SETTINGS), "does not fit its files", _REMEDY) from None
    network.eval()
    return Trained(network, vocabulary, about)


def shape_of(folder: Path) -> Mapping[str, Any]:
    """Give the shape of a model without its weights; raises ConfigError."""
    shape: Mapping[str, Any] = _settings(folder)["shape"]
    return shape


def digest(folder: Path) -> str:
    """Give what changes with the weights, the vocabulary and anything else; raises ConfigError."""
    _settings(folder)
    return hashlib.sha256((folder / SETTINGS).read_bytes()).hexdigest()


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / SETTINGS
    try:
        held = json.loads(path.read_text("utf-8"))
    except OSError:
        raise ConfigError(str(folder), f"holds no {SETTINGS}", _REMEDY) from None
    except ValueError:
        raise ConfigError(str(path), "is damaged", _REMEDY) from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        problem = "is of another version, or no language model"
        raise ConfigError(str(path), problem, "train it again with this version")
    return held


def _checked(path: Path, sums: Mapping[str, str]) -> bytes:
    try:
        held = path.read_bytes()
    except OSError:
        raise ConfigError(str(path), "cannot be read", _REMEDY) from None
    if hashlib.sha256(held).hexdigest() != sums[path.name]:
        raise ConfigError(str(path), "is damaged: its checksum is another", "copy it again")
    return held
