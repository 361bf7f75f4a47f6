"""A trained tagger as a folder: weights, vocabulary, and what rebuilds the network around them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.atomic import write
from models.tagger.encoder import rebuild
from models.tagger.network import Design, Network
from models.tagger.shipped import SETTINGS
from models.tagger.subwords import SubWords
from models.tagger.windows import Cut
from record.errors import ConfigError

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"

_FORMAT = 1
_REMEDY = "name a folder that `cryptonym train` wrote"


@dataclass(frozen=True)
class Trained:
    """Everything that finds spans: the network, its vocabulary, and how texts are cut for it."""

    network: Network
    subwords: SubWords
    cut: Cut


def save(trained: Trained, folder: Path) -> None:
    """Write a tagger; `tagger.json` comes last, so that a folder with it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {name: value.contiguous() for name, value in trained.network.state_dict().items()}
    weights = dump_weights(state)
    write(folder / WEIGHTS, weights)
    trained.subwords.save(folder / VOCABULARY)
    settings = {
        "format": _FORMAT,
        "encoder": trained.network.encoder.shape,
        "design": asdict(trained.network.design),
        "cut": asdict(trained.cut),
        "sha256": {
            WEIGHTS: hashlib.sha256(weights).hexdigest(),
            VOCABULARY: hashlib.sha256((folder / VOCABULARY).read_bytes()).hexdigest(),
        },
    }
    write(folder / SETTINGS, json.dumps(settings, indent=1).encode())


def load(folder: Path) -> Trained:
    """Read a tagger. Raises ConfigError that names the file which is missing or damaged."""
    settings = _settings(folder)
    try:
        encoder = rebuild(settings["encoder"])
        design = Design(**{**settings["design"], "labels": tuple(settings["design"]["labels"])})
        network = Network(encoder, design)
        cut = Cut(**settings["cut"])
        sums: Mapping[str, str] = settings["sha256"]
        subwords = SubWords.load(_checked(folder / VOCABULARY, sums)[0])
        network.load_state_dict(load_weights(_checked(folder / WEIGHTS, sums)[1]))
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise ConfigError(str(folder / SETTINGS), "does not fit its files", _REMEDY) from None
    network.eval()
    return Trained(network, subwords, cut)


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / SETTINGS
    try:
        held = json.loads(path.read_text("utf-8"))
    except OSError:
        raise ConfigError(str(folder), f"holds no {SETTINGS}", _REMEDY) from None
    except ValueError:
        raise ConfigError(str(path), "is damaged", _REMEDY) from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        problem = "is of another version, or no tagger"
        raise ConfigError(str(path), problem, "train it again with this version")
    return held


def _checked(path: Path, sums: Mapping[str, str]) -> tuple[Path, bytes]:
    try:
        held = path.read_bytes()
    except OSError:
        raise ConfigError(str(path), "cannot be read", _REMEDY) from None
    if hashlib.sha256(held).hexdigest() != sums[path.name]:
        raise ConfigError(str(path), "is damaged: its checksum is another", "copy it again")
    return path, held
