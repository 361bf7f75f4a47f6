"""Initialization of a GPT with the weights of a GPT-2 in a Hugging Face folder."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from models.language.corpus.vocabulary import BytePairVocabulary, Vocabulary
from models.language.networks.gpt import GPT
from models.language.training.recipe import LanguageRecipe
from record.errors import ConfigError

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"

_KEY = "--pretrained"
_REMEDY = (
    "give a folder with config.json, model.safetensors and tokenizer.json of a GPT-2, or take any "
    "causal model by --recipe pretrained"
)
_CHUNK = 1 << 20

# The parts of a block here and in a `GPT2LMHeadModel`; its matrices lie the other way round.
_PARTS = {
    "norm_in": "ln_1",
    "joint": "attn.c_attn",
    "out": "attn.c_proj",
    "norm": "ln_2",
    "first": "mlp.c_fc",
    "last": "mlp.c_proj",
}


def load_gpt2(folder: Path, recipe: LanguageRecipe, vocabulary: Vocabulary) -> GPT:
    """Make a transformer with the blocks of a pretrained one and embeddings for a new vocabulary.

    Pieces that both vocabularies have keep their embeddings; all others, marks among them, get
    the mean of the old ones (Libbi et al., 2021). Raises ConfigError.
    """
    if not isinstance(vocabulary, BytePairVocabulary):
        raise ConfigError("--vocabulary", "must be `pieces` with --pretrained", "omit --vocabulary")
    config, state, old = _read(folder)
    shape: dict[str, Any] = {
        "width": config["n_embd"],
        "layers": config["n_layer"],
        "heads": config["n_head"],
        "context": config["n_positions"],
    }
    network = GPT(vocabulary.size, **shape, dropout=recipe.dropout)
    try:
        network.load_state_dict(rename_weights(state, shape["layers"], network), strict=True)
        with torch.no_grad():
            network.embed.weight.copy_(_embeddings(state["wte.weight"], old, vocabulary))
    except (KeyError, RuntimeError):
        raise ConfigError(_KEY, "not the weights of a GPT-2", _REMEDY) from None
    return network


def digest(folder: Path) -> str:
    """Return a digest of the weights of a pretrained model, in one file or several.

    Raises ConfigError.
    """
    whole = folder / WEIGHTS
    parts = [] if whole.is_file() else sorted(folder.glob("model-*.safetensors"))
    total = hashlib.sha256()
    try:
        for path in parts or [whole]:
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    total.update(chunk)
        return total.hexdigest()
    except OSError:
        remedy = "give the folder of a Hugging Face model"
        raise ConfigError(str(folder), f"missing or unreadable {WEIGHTS}", remedy) from None


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor], dict[str, int]]:
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
        state = load_file(folder / WEIGHTS)
        pieces = _read_pieces(folder)
        for name in ("n_embd", "n_layer", "n_head", "n_positions"):
            int(config[name])
    except (OSError, ValueError, KeyError, TypeError, SafetensorError):
        raise ConfigError(_KEY, "cannot read a GPT-2 from this folder", _REMEDY) from None
    return config, {name.removeprefix("transformer."): v for name, v in state.items()}, pieces


def _read_pieces(folder: Path) -> dict[str, int]:
    """Read the ids of pieces, which today's transformers saves in `tokenizer.json` alone."""
    path = folder / "vocab.json"
    if path.exists():
        pieces: dict[str, int] = json.loads(path.read_text("utf-8"))
        return pieces
    held: dict[str, int] = json.loads((folder / TOKENIZER).read_text("utf-8"))["model"]["vocab"]
    return held


def rename_weights(state: Mapping[str, Tensor], layers: int, network: GPT) -> dict[str, Tensor]:
    """Return the weights of a GPT-2 by their names here, but for the embeddings of pieces."""
    named = {
        "embed.weight": network.embed.weight,
        "scores.weight": network.embed.weight,
        "places.weight": state["wpe.weight"],
        "norm.weight": state["ln_f.weight"],
        "norm.bias": state["ln_f.bias"],
    }
    for layer in range(layers):
        for ours, theirs in _PARTS.items():
            weight = state[f"h.{layer}.{theirs}.weight"]
            named[f"blocks.{layer}.{ours}.weight"] = weight.t() if weight.ndim == 2 else weight
            named[f"blocks.{layer}.{ours}.bias"] = state[f"h.{layer}.{theirs}.bias"]
    return named


def _embeddings(old: Tensor, known: Mapping[str, int], vocabulary: BytePairVocabulary) -> Tensor:
    """Return the embeddings of the new ids. (ids, width)"""
    new = old.mean(0).repeat(vocabulary.size, 1)
    for piece, number in vocabulary.by_piece.items():
        if piece in known:
            new[number] = old[known[piece]]
    return new
