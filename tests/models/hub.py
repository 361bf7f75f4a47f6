"""The folder of a small HuggingFace model with a unigram vocabulary."""

import json
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertModel,
    RobertaConfig,
    RobertaModel,
    XLMRobertaConfig,
    XLMRobertaModel,
)

PIECES = ["▁", "▁Dr", "▁Mar", "tin", ".", *"abcdeilnptuvE"]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


FAMILIES = {
    "bert": (BertConfig, BertModel),
    "roberta": (RobertaConfig, RobertaModel),
    "xlm-roberta": (XLMRobertaConfig, XLMRobertaModel),
}


def tokenizer(folder: Path, kind: str = "Unigram") -> Path:
    vocabulary = [[piece, -float(at)] for at, piece in enumerate([*SPECIAL, *PIECES, "<mask>"])]
    marks = [*enumerate(SPECIAL), (len(vocabulary) - 1, "<mask>")]
    held = {
        "added_tokens": [{"id": at, "content": mark} for at, mark in marks],
        "normalizer": {"type": "NFKC"},
        "model": {"type": kind, "vocab": vocabulary},
    }
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(held))
    return path


def hub_model(folder: Path, family: str = "bert", size: int = 0) -> BertModel | XLMRobertaModel:
    shape: dict[str, Any] = {
        "vocab_size": size or len(SPECIAL) + len(PIECES) + 1,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 66,
        "pad_token_id": 1,
        "initializer_range": 0.2,
    }
    torch.manual_seed(1)
    config, model = FAMILIES[family]
    made = model(config(**shape), add_pooling_layer=False)
    made.save_pretrained(folder)
    tokenizer(folder)
    return made.eval()
