"""Where the shipped tagger is, and what tells one tagger from another, without torch."""

import hashlib
from pathlib import Path

from record.errors import ConfigError

SHIPPED = Path(__file__).with_name("weights")
"""The folder of the tagger that is part of the distribution."""

DEFAULT = "default"
"""What stands for that folder in options and settings."""

AUTO, ONNX, ONNX_INT8, OPENVINO, TORCH = "auto", "onnx", "onnx-int8", "openvino", "torch"
"""What a tagger's encoder can run on, with ONNX Runtime in 32 or 8 bits; OpenVINO is an extra."""

RUNTIMES = (AUTO, ONNX, ONNX_INT8, OPENVINO, TORCH)

SETTINGS = "tagger.json"
"""The file that tells what a folder holds; it is written last."""


def folder_of(name: str, base: Path = Path()) -> Path:
    """Give the folder that a name stands for; relative ones start at `base`."""
    return SHIPPED if name == DEFAULT else base / name


def digest(folder: Path) -> str:
    """Give what changes with the weights, the vocabulary and anything else of a tagger.

    `tagger.json` holds the checksums of the other files. Raises ConfigError.
    """
    try:
        return hashlib.sha256((folder / SETTINGS).read_bytes()).hexdigest()
    except OSError:
        remedy = "name a folder that `cryptonym train` wrote"
        raise ConfigError(str(folder), f"holds no {SETTINGS}", remedy) from None
