"""Embeddings from the subwords of a trained tagger, which every site has and no notes shaped.

The vocabulary of the shipped tagger is that of a public encoder; a tagger that a site trained of
its own tells which words its notes hold.
"""

from pathlib import Path

import numpy as np
import torch

from models.private.embeddings import Embeddings, Floats
from models.tagger.encoders.encoder import Encoder
from models.tagger.encoders.subword_models import SPECIAL_TOKENS
from models.tagger.serialization import load
from record.errors import ConfigError


def packaged(folder: Path, size: int = 100) -> Embeddings:
    """Make embeddings from a tagger's subwords, reduced to `size` principal components.

    Words are the pieces that are whole words; others are the mean of their pieces. Raises
    ConfigError.
    """
    trained = load(folder)
    names = [piece for piece, _ in trained.subwords.pieces]
    ids = torch.arange(len(SPECIAL_TOKENS), len(SPECIAL_TOKENS) + len(names))
    encoder = trained.network.encoder
    with torch.no_grad():
        rows = encoder.embedded(ids) if isinstance(encoder, Encoder) else encoder.pieces(ids)
    parts = _main_directions(rows.float().numpy(), size)
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        word = trained.subwords.config.whole_word(name)
        if word:
            places.setdefault(word.casefold(), place)
    if not places:
        problem = "the vocabulary contains no whole words"
        raise ConfigError(str(folder), problem, "give a tagger with a larger vocabulary")
    matrix = parts[list(places.values())]
    return Embeddings(list(places), matrix, parts, pieces=trained.subwords)


def _main_directions(rows: Floats, size: int) -> Floats:
    """Project vectors onto their first principal components."""
    centred = rows - rows.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    turned: Floats = centred @ directions[:, ::-1][:, :size]
    return np.ascontiguousarray(turned, np.float32)
