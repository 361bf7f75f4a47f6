"""Location and identity of the shipped tagger, and names of runtimes; does not import torch."""

import hashlib
from pathlib import Path

from record.errors import ConfigError

SHIPPED = Path(__file__).with_name("weights")
"""The folder of the tagger that is part of the distribution."""

DEFAULT = "default"
"""What stands for that folder in options and settings."""

NO_MODEL = "none"
"""What switches the tagger off there."""

AUTO, TORCH = "auto", "torch"
ONNX, ONNX_INT8 = "onnx", "onnx-int8"
OPENVINO, OPENVINO_INT8 = "openvino", "openvino-int8"
RUNTIMES = (AUTO, ONNX, ONNX_INT8, OPENVINO, OPENVINO_INT8, TORCH)
"""What a tagger's encoder can run on; OpenVINO is an extra."""

QUANTIZED = ("encoder-int8.xml", "encoder-int8.bin")
"""The encoder in 8 bits, where `cryptonym quantize` made one: a graph, and its constants."""

SETTINGS = "tagger.json"
"""The settings file of a tagger's folder; it is written last."""


def folder_of(name: str, base: Path = Path()) -> Path:
    """Return the folder that a name denotes; relative ones start at `base`."""
    return SHIPPED if name == DEFAULT else base / name


def is_quantized(folder: Path) -> bool:
    """Return whether a tagger's folder contains an int8 encoder."""
    return all((folder / name).is_file() for name in QUANTIZED)


def digest(folder: Path) -> str:
    """Return a digest of a tagger's weights, vocabulary and settings.

    `tagger.json` holds the checksums of the other files. Raises ConfigError.
    """
    try:
        return hashlib.sha256((folder / SETTINGS).read_bytes()).hexdigest()
    except OSError:
        remedy = "give a folder written by `cryptonym train`"
        raise ConfigError(str(folder), f"contains no {SETTINGS}", remedy) from None
