"""The files of a tagger's folder, and their checksums; does not import torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.serialization import FolderFormat
from models.tagger.shipped_model import SETTINGS

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"

FOLDER_FORMAT = FolderFormat(SETTINGS, "tagger", "cryptonym train")


_RULE_LABELS = "rule_labels"


def read_rule_labels(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the label of the tagger for each label of rules that its settings map to one.

    Raises KeyError, TypeError or ValueError where that is no such map.
    """
    found = {str(rule): str(label) for rule, label in dict(settings.get(_RULE_LABELS, {})).items()}
    if not set(found.values()) <= set(settings["design"]["labels"]):
        raise ValueError("labels differ")
    return found


def write_rule_labels(folder: Path, found: Mapping[str, str]) -> None:
    """Add a map from labels of rules to those of a tagger to its folder. Raises ConfigError."""
    settings = FOLDER_FORMAT.read(folder)
    said = {name: value for name, value in settings.items() if name not in ("format", "sha256")}
    FOLDER_FORMAT.write_settings(folder, said | {_RULE_LABELS: dict(found)}, settings["sha256"])
