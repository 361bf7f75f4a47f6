"""Tokens are scored by those around them, a word's own end hidden with it."""

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from models.language.training.foundation_model import FoundationModel
from models.language.training.masked_reader import APART, EVERY, MaskedReader, load_scorer
from record.errors import ConfigError
from scripts.convert_bert import save_tokenizer
from tests.models.gpt2 import save_gpt2

WORDS = ("knee", "pain", "ward", "patient", "seen", "painful", "##ful", "##s", "##less", ".")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PLACES = 48
TEXT = "patient seen ward . painless knees painsful knee pain . " * 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("masked")
    torch.manual_seed(1)
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *WORDS]) + "\n")
    config = transformers.BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=64, max_position_embeddings=PLACES,
        initializer_range=0.5,
    )  # fmt: skip
    transformers.BertForMaskedLM(config).eval().save_pretrained(folder)
    save_tokenizer((folder / "vocab.txt").read_bytes(), folder)
    return folder


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.language.training.masked_reader.has_bfloat16", lambda _: False)


def _one_by_one(folder: Path, text: str) -> list[float]:
    """Score token by token, in a batch of one, by the whole output."""
    model = transformers.BertForMaskedLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pieces = tokenizer.tokenize(text)
    found = []
    for start in range(0, len(pieces), PLACES - 4):
        window = pieces[start : start + PLACES - 4]
        for at in range(0, len(window), EVERY):
            masked = list(window)
            for asked in range(at % APART, len(window), APART):
                masked[asked] = "[MASK]"
                behind = asked + 1
                while behind < len(window) and window[behind].startswith("##"):
                    masked[behind] = "[MASK]"
                    behind += 1
            ids = tokenizer.convert_tokens_to_ids(["[CLS]", *masked, "[SEP]"])
            with torch.inference_mode():
                scores = model(torch.tensor([ids])).logits[0, at + 1].log_softmax(-1)
            found.append(float(scores[tokenizer.convert_tokens_to_ids(window[at])]))
    return found


@pytest.mark.usefixtures("exact")
def test_scores_are_those_of_transformers_with_a_word_hidden_to_its_end(folder: Path) -> None:
    wanted = _one_by_one(folder, TEXT)
    assert len(wanted) > 2 * PLACES / EVERY, "three windows"
    told = list(load_scorer(folder).log_probabilities([TEXT, "", "knee"]))
    assert np.allclose(told[0], wanted, atol=1e-4)
    assert told[1].shape == (0,) and told[2].shape == (1,)


@pytest.mark.usefixtures("exact")
@settings(max_examples=25, deadline=None)
@given(words=st.lists(st.sampled_from(["knees", "painless", "ward", ".", "?"]), max_size=60))
def test_every_fourth_token_of_any_text_has_a_logarithm(folder: Path, words: list[str]) -> None:
    reader = MaskedReader.of_folder(folder)
    text = " ".join(words)
    (told,) = reader.log_probabilities([text])
    pieces = len(transformers.AutoTokenizer.from_pretrained(folder).tokenize(text))
    room = PLACES - 4
    parts = [min(room, pieces - at) for at in range(0, pieces, room)]
    assert len(told) == sum(math.ceil(part / EVERY) for part in parts)
    assert np.isfinite(told).all() and (told <= 0).all()


def test_it_is_near_in_half_precision(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    halved = next(iter(load_scorer(folder).log_probabilities([TEXT])))
    monkeypatch.setattr("models.language.training.masked_reader.has_bfloat16", lambda _: False)
    whole = next(iter(load_scorer(folder).log_probabilities([TEXT])))
    assert abs(halved.mean() - whole.mean()) < 0.05


def test_the_kind_of_model_is_told_by_its_configuration(folder: Path, tmp_path: Path) -> None:
    save_gpt2(tmp_path / "causal", [TEXT])
    assert isinstance(load_scorer(tmp_path / "causal"), FoundationModel)
    assert isinstance(load_scorer(folder), MaskedReader)
    with pytest.raises(ConfigError, match="a masked language model"):
        FoundationModel.of_folder(folder)
    with pytest.raises(ConfigError, match="not a causal language model"):
        load_scorer(tmp_path / "none")
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken/model.safetensors").write_bytes(b"?")
    with pytest.raises(ConfigError, match="not a masked language model"):
        load_scorer(tmp_path / "broken")


def test_a_tokenizer_without_a_mask_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "maskless")
    save_gpt2(tmp_path / "causal", [TEXT])
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tmp_path / "causal" / name, tmp_path / "maskless" / name)
    with pytest.raises(ConfigError, match=re.escape("no tokens for the mask")):
        load_scorer(tmp_path / "maskless")
