"""A trained tagger as a folder: weights, vocabulary, and what rebuilds the network around them."""

from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load as load_weights
from safetensors.torch import save as dump_weights

from models.atomic import write
from models.folder import Form
from models.tagger.encoder import rebuild
from models.tagger.network import Design, Network
from models.tagger.shipped import SETTINGS
from models.tagger.subwords import SubWords
from models.tagger.windows import Cut

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"

_FORM = Form(SETTINGS, "tagger", "cryptonym train")


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
    write(folder / WEIGHTS, dump_weights(state))
    trained.subwords.save(folder / VOCABULARY)
    said = {
        "encoder": trained.network.encoder.shape,
        "design": asdict(trained.network.design),
        "cut": asdict(trained.cut),
    }
    _FORM.seal(folder, said, (WEIGHTS, VOCABULARY))


def load(folder: Path) -> Trained:
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
    return Trained(network, subwords, cut)
