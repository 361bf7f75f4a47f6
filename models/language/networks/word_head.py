"""The head of a pretrained masked language model, which scores its own pieces at a masked place."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from models.tagger.encoders.subword_models import Piece, TokenizerConfig, read_pieces

_WEIGHTS, _TOKENIZER = "model.safetensors", "tokenizer.json"
_NAMES = (
    ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions"),
    ("lm_head.dense", "lm_head.layer_norm", "lm_head"),
    ("vocab_transform", "vocab_layer_norm", "vocab_projector"),
)
"""The layers of a head by family (BERT, RoBERTa, DistilBERT): dense, norm, what has the bias."""


@dataclass(frozen=True)
class WordHead:
    """A dense layer and a norm as weight and bias, and the bias of each piece by its name.

    The vectors of pieces are those that the encoder reads them as.
    """

    dense: tuple[Tensor, Tensor] = field(repr=False)
    norm: tuple[Tensor, Tensor] = field(repr=False)
    bias: Mapping[str, float] = field(repr=False)


def read_word_head(folder: Path) -> WordHead | None:
    """Read the head from a folder of transformers; None where it has none, as an encoder alone."""
    try:
        with safe_open(folder / _WEIGHTS, framework="pt") as held:
            names = set(held.keys())
            for dense, norm, rest in _NAMES:
                wanted = [f"{layer}.{part}" for layer in (dense, norm) for part in _PARTS]
                if names.issuperset([*wanted, f"{rest}.bias"]):
                    weights = [held.get_tensor(name).float() for name in wanted]
                    bias = held.get_tensor(f"{rest}.bias").float().tolist()
                    break
            else:
                return None
    except (OSError, SafetensorError):
        return None
    pieces, _ = _read_tokenizer(folder)
    return WordHead(
        (weights[0], weights[1]),
        (weights[2], weights[3]),
        {name: bias[number] for number, (name, _) in pieces if number < len(bias)},
    )


_PARTS = ("weight", "bias")


def whole_words(folder: Path, seen: Collection[str]) -> list[str]:
    """Return those of the words seen that are one piece of the model, in small letters.

    Words with a capital are left out: most of them are names. Pieces that nobody has seen as a word
    may be the beginning of one.
    """
    pieces, config = _read_tokenizer(folder)
    words = (config.whole_word(name) for _, (name, _) in pieces)
    return [
        word
        for word in dict.fromkeys(words)
        if len(word) > 1 and word == word.lower() and word in seen
    ]


def _read_tokenizer(folder: Path) -> tuple[Sequence[tuple[int, Piece]], TokenizerConfig]:
    held = json.loads((folder / _TOKENIZER).read_text("utf-8"))
    return read_pieces(held), TokenizerConfig.from_tokenizer_json(held)
