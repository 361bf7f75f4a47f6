"""A trained tagger as a folder: weights, vocabulary, and what rebuilds the network around them."""

from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.serialization import FolderFormat
from models.tagger.encoders.encoder import rebuild
from models.tagger.encoders.subword_tokenizer import SubWords
from models.tagger.encoders.windows import Cut
from models.tagger.network import Design, Network
from models.tagger.shipped_model import QUANTIZED, SETTINGS
from record.atomic_write import write_atomically
from record.errors import ConfigError

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"

_FORM = FolderFormat(SETTINGS, "tagger", "cryptonym train")


@dataclass(frozen=True)
class TrainedTagger:
    """Everything that finds spans: the network, its vocabulary, and how texts are cut for it."""

    network: Network
    subwords: SubWords
    cut: Cut


def save(trained: TrainedTagger, folder: Path) -> None:
    """Write a tagger; `tagger.json` comes last, so that a folder with it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {name: value.contiguous() for name, value in trained.network.state_dict().items()}
    write_atomically(folder / WEIGHTS, dump_weights(state))
    trained.subwords.save(folder / VOCABULARY)
    said = {
        "encoder": trained.network.encoder.shape,
        "design": asdict(trained.network.design),
        "cut": asdict(trained.cut),
    }
    _FORM.seal(folder, said, (WEIGHTS, VOCABULARY))


def load(folder: Path) -> TrainedTagger:
    """Read a tagger. Raises ConfigError that names the file which is missing or damaged."""
    settings = _FORM.read(folder)
    try:
        encoder = rebuild(settings["encoder"])
        design = Design(**{**settings["design"], "labels": tuple(settings["design"]["labels"])})
        network = Network(encoder, design)
        cut = Cut(**settings["cut"])
        _FORM.checked(folder, settings, VOCABULARY)
        subwords = SubWords.load(folder / VOCABULARY)
        network.load_state_dict(load_weights(_FORM.checked(folder, settings, WEIGHTS)))
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError):
        raise _FORM.unfit(folder) from None
    network.eval()
    return TrainedTagger(network, subwords, cut)


def load_quantized(folder: Path) -> tuple[bytes, bytes]:
    """Read the graph of the encoder in 8 bits, and its constants. Raises ConfigError."""
    settings = _FORM.read(folder)
    if not set(QUANTIZED) <= set(settings.get("sha256", ())):
        problem = "holds no encoder in 8 bits"
        raise ConfigError(str(folder), problem, "make one: `cryptonym quantize`")
    graph, constants = (_FORM.checked(folder, settings, name) for name in QUANTIZED)
    return graph, constants


def save_quantized(source: Path, graph: bytes, constants: bytes, folder: Path) -> None:
    """Write a copy of a tagger with its encoder in 8 bits; `tagger.json` comes last, anew.

    The folder may be that of the tagger itself. Raises ConfigError.
    """
    settings = _FORM.read(source)
    kept = {name: _FORM.checked(source, settings, name) for name in (WEIGHTS, VOCABULARY)}
    folder.mkdir(parents=True, exist_ok=True)
    files = {**kept, **dict(zip(QUANTIZED, (graph, constants), strict=True))}
    for name, content in files.items():
        write_atomically(folder / name, content)
    said = {name: value for name, value in settings.items() if name not in ("format", "sha256")}
    _FORM.seal(folder, said, files)
