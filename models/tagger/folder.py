"""The files of a tagger's folder, and their checksums; does not import torch."""

from models.serialization import FolderFormat
from models.tagger.shipped_model import SETTINGS

WEIGHTS = "weights.safetensors"
VOCABULARY = "vocabulary.json"

FOLDER_FORMAT = FolderFormat(SETTINGS, "tagger", "cryptonym train")
