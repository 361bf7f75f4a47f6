"""Saving and loading a trained tagger: weights, vocabulary and settings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.tagger.encoders.encoder import build_encoder
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import WindowConfig
from models.tagger.folder import FOLDER_FORMAT, VOCABULARY, WEIGHTS, read_rule_labels
from models.tagger.network import Network, TaggerArchitecture
from models.tagger.shipped_model import QUANTIZED
from models.tagger.thresholds import SpanThresholds, read_thresholds
from record.atomic_write import write_atomically
from record.errors import ConfigError


@dataclass(frozen=True)
class TrainedTagger:
    """A trained network, its tokenizer, the window settings, and thresholds if it has any.

    `rule_labels` maps labels of rules to those of the network.
    """

    network: Network
    subwords: SubwordTokenizer
    cut: WindowConfig
    thresholds: SpanThresholds | None = None
    rule_labels: Mapping[str, str] = field(default_factory=dict)


def save(trained: TrainedTagger, folder: Path) -> None:
    """Write a tagger; `tagger.json` is written last, so that a folder with it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {name: value.contiguous() for name, value in trained.network.state_dict().items()}
    write_atomically(folder / WEIGHTS, dump_weights(state))
    trained.subwords.save(folder / VOCABULARY)
    said = {
        "encoder": trained.network.encoder.shape,
        "design": asdict(trained.network.design),
        "cut": asdict(trained.cut),
    }
    if trained.thresholds is not None:
        said["thresholds"] = dict(trained.thresholds.by_label)
    FOLDER_FORMAT.write_settings(folder, said, (WEIGHTS, VOCABULARY))


def load(folder: Path) -> TrainedTagger:
    """Read a tagger. Raises ConfigError that names the file which is missing or corrupt."""
    settings = FOLDER_FORMAT.read(folder)
    try:
        encoder = build_encoder(settings["encoder"])
        design = TaggerArchitecture(
            **{**settings["design"], "labels": tuple(settings["design"]["labels"])}
        )
        network = Network(encoder, design)
        cut = WindowConfig(**settings["cut"])
        thresholds, rule_labels = read_thresholds(settings), read_rule_labels(settings)
        FOLDER_FORMAT.read_verified(folder, settings, VOCABULARY)
        subwords = SubwordTokenizer.load(folder / VOCABULARY)
        network.load_state_dict(
            load_weights(FOLDER_FORMAT.read_verified(folder, settings, WEIGHTS))
        )
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise FOLDER_FORMAT.mismatch_error(folder) from None
    network.eval()
    return TrainedTagger(network, subwords, cut, thresholds, rule_labels)


def load_quantized(folder: Path) -> tuple[bytes, bytes]:
    """Read the int8 graph of the encoder, and its constants. Raises ConfigError."""
    settings = FOLDER_FORMAT.read(folder)
    if not set(QUANTIZED) <= set(settings.get("sha256", ())):
        problem = "contains no int8 encoder"
        raise ConfigError(str(folder), problem, "create one with `cryptonym quantize`")
    graph, constants = (FOLDER_FORMAT.read_verified(folder, settings, name) for name in QUANTIZED)
    return graph, constants


def save_quantized(source: Path, graph: bytes, constants: bytes, folder: Path) -> None:
    """Write a copy of a tagger with an int8 encoder; `tagger.json` is written last.

    The folder may be that of the tagger itself. Raises ConfigError.
    """
    settings = FOLDER_FORMAT.read(source)
    kept = {
        name: FOLDER_FORMAT.read_verified(source, settings, name) for name in (WEIGHTS, VOCABULARY)
    }
    folder.mkdir(parents=True, exist_ok=True)
    files = {**kept, **dict(zip(QUANTIZED, (graph, constants), strict=True))}
    for name, content in files.items():
        write_atomically(folder / name, content)
    said = {name: value for name, value in settings.items() if name not in ("format", "sha256")}
    FOLDER_FORMAT.write_settings(folder, said, files)
