"""Vectors in context: an encoder from a folder, long texts in windows, nothing from the network."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from evaluation.utility.resemblance import bert_score
from models.language.networks.evaluation_networks import ContextualEmbeddings
from record.errors import ConfigError

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *(f"w{number}" for number in range(40))]
WIDTH = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small encoder with weights drawn by chance, which sees 96 pieces together."""
    folder = tmp_path_factory.mktemp("encoder")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=WIDTH, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=96,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    ids = {word: number for number, word in enumerate(WORDS)}
    marks = [
        {
            "id": ids[word], "content": word, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": True,
        }
        for word in WORDS[:4]
    ]  # fmt: skip
    around = {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
    model = {"type": "WordLevel", "vocab": ids, "unk_token": "[UNK]"}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": marks,
        "normalizer": None, "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": model,
        "post_processor": around, "decoder": None,
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


def text(*numbers: int) -> str:
    return " ".join(f"w{number}" for number in numbers)


def test_vectors_are_those_of_the_encoder(folder: Path) -> None:
    found = ContextualEmbeddings.of_folder(folder)(text(1, 2, 3))
    model = BertModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        hidden = model(torch.tensor([[1, 5, 6, 7, 2]])).last_hidden_state[0, 1:4]
    expected = torch.nn.functional.normalize(hidden, dim=-1).numpy()
    assert found == pytest.approx(expected, abs=1e-5)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def test_every_piece_of_a_long_text_has_a_vector(folder: Path) -> None:
    vectors = ContextualEmbeddings.of_folder(folder)
    numbers = [number * 7 % 40 for number in range(500)]
    found = vectors(text(*numbers))
    assert found.shape == (500, WIDTH)
    assert found[:30] == pytest.approx(vectors(text(*numbers[:90]))[:30], abs=0.1)
    assert bert_score(found, found).f1 == pytest.approx(1, abs=1e-5)
    assert bert_score(vectors(text(39, 38)), found).f1 < 0.999
    assert vectors("").shape == (0, WIDTH)


def test_a_folder_without_an_encoder_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not an encoder"):
        ContextualEmbeddings.of_folder(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigError, match="not an encoder"):
        ContextualEmbeddings.of_folder(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    with pytest.raises(ConfigError, match="not an encoder"):
        ContextualEmbeddings.of_folder(tmp_path)


def test_an_encoder_of_ours_knows_the_pieces_of_the_texts() -> None:
    torch.manual_seed(1)
    long = text(*(number % 40 for number in range(900)))
    vectors = ContextualEmbeddings.packaged("tiny-1x32", [long, "fièvre"])
    found = vectors(long)
    assert len(found) >= 900
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(found)), abs=1e-5)
    assert bert_score(vectors("fièvre"), found).f1 < bert_score(found, found).f1
