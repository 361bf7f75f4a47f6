"""Saving and loading a trained language model: weights, vocabulary and network shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.hardware import has_bfloat16
from models.language.corpus.vocabulary import Vocabulary, read_vocabulary
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.serialization import FolderFormat
from record.atomic_write import OWNER_FILE, make_folders, write_atomically

WEIGHTS, VOCABULARY = "weights.safetensors", "vocabulary.json"

_FOLDER_FORMAT = FolderFormat(
    "language.json", "language model", "cryptonym synthesize train", mode=OWNER_FILE
)


@dataclass(frozen=True)
class TrainedGenerator:
    """A trained network with its vocabulary; `about` is metadata given by whoever trained it."""

    network: LanguageModel
    vocabulary: Vocabulary
    about: Mapping[str, Any]


def build(shape: Mapping[str, Any]) -> LanguageModel:
    """Build a network of a shape with random weights; raises KeyError, TypeError, ValueError."""
    if shape["kind"] == "pretrained":
        from models.language.networks.pretrained import PretrainedNetwork  # noqa: PLC0415 # seconds

        return PretrainedNetwork.of_shape(shape["config"], shape["context"])
    sizes = {name: value for name, value in shape.items() if name not in ("kind", "vocabulary")}
    kinds: dict[str, type[GPT] | type[LSTM]] = {"gpt": GPT, "lstm": LSTM}
    return kinds[shape["kind"]](shape["vocabulary"], **sizes)


def save(trained: TrainedGenerator, folder: Path) -> None:
    """Write a model; `language.json` is written last, so that a folder with it is complete.

    Only their owner may read the files: a model may repeat what it was trained on.
    """
    make_folders(folder)
    tied = _tied(trained.network)
    state = {
        name: value.detach().cpu().contiguous()
        for name, value in trained.network.state_dict().items()
        if name not in tied
    }
    write_atomically(folder / WEIGHTS, dump_weights(state), OWNER_FILE)
    trained.vocabulary.save(folder / VOCABULARY)
    said = {"shape": trained.network.shape, "about": trained.about}
    _FOLDER_FORMAT.write_settings(folder, said, (WEIGHTS, VOCABULARY))


def load(folder: Path, device: torch.device | None = None) -> TrainedGenerator:
    """Read a model onto a device, the processor by default.

    On a GPU a transformer computes in bfloat16 where the GPU does, a pretrained one on a processor
    as well. Raises ConfigError that names the file which is missing or damaged.
    """
    settings = _FOLDER_FORMAT.read(folder)
    try:
        network = build(settings["shape"])
        state = load_weights(_FOLDER_FORMAT.read_verified(folder, settings, WEIGHTS))
        tied = {name: state[first] for name, first in _tied(network).items()}
        network.load_state_dict({**state, **tied})
        _FOLDER_FORMAT.read_verified(folder, settings, VOCABULARY)
        vocabulary = read_vocabulary(folder / VOCABULARY)
        about: Mapping[str, Any] = settings["about"]
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise _FOLDER_FORMAT.mismatch_error(folder) from None
    network.eval()
    if device is not None:
        is_large = network.computes_in_bfloat16
        if device.type == "cuda":
            is_large = not isinstance(network, LSTM)
        is_halved = is_large and has_bfloat16(device)
        network.to(device, torch.bfloat16 if is_halved else torch.float32)
    return TrainedGenerator(network, vocabulary, about)


def _tied(network: LanguageModel) -> dict[str, str]:
    """Return the names of weights that are also known by an earlier name, which is kept."""
    first: dict[int, str] = {}
    found: dict[str, str] = {}
    for name, weights in network.named_parameters(remove_duplicate=False):
        known = first.setdefault(id(weights), name)
        if known != name:
            found[name] = known
    return found


def shape_of(folder: Path) -> Mapping[str, Any]:
    """Return the shape of a model without its weights; raises ConfigError."""
    shape: Mapping[str, Any] = _FOLDER_FORMAT.read(folder)["shape"]
    return shape


def about(folder: Path) -> Mapping[str, Any]:
    """Return the metadata of a model; raises ConfigError."""
    metadata: Mapping[str, Any] = _FOLDER_FORMAT.read(folder)["about"]
    return metadata


def digest(folder: Path) -> str:
    """Return a digest of the weights, vocabulary and settings; raises ConfigError."""
    return _FOLDER_FORMAT.digest(folder)
