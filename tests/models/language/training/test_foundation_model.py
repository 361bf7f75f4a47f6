"""A pretrained model is asked in its own pieces, and learns by heart what it is taught."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from models.language.training.foundation_model import FoundationModel
from models.language.training.gpt2_weights import digest
from record.errors import ConfigError
from tests.models.gpt2 import save_gpt2

TEXTS = [f"Patient {number} came with pain in the left knee. " * 12 for number in range(6)]
PLACES = 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    save_gpt2(folder, TEXTS, places=PLACES)
    return folder


def test_log_probabilities_are_those_of_transformers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halved = next(iter(FoundationModel.of_folder(folder).log_probabilities([TEXTS[0]])))
    monkeypatch.setattr("models.language.training.foundation_model.has_bfloat16", lambda _: False)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(TEXTS[0])["input_ids"]
    assert len(ids) > PLACES  # two windows and more
    short, long, empty = FoundationModel.of_folder(folder).log_probabilities(
        [TEXTS[1][:40], TEXTS[0], ""]
    )
    assert len(long) == len(ids) and len(empty) == 0 and len(short) < 40
    assert np.allclose(halved, long, atol=0.05), "in bfloat16 where a processor multiplies in it"
    with torch.inference_mode():
        for start in range(0, len(ids), PLACES - 1):
            window = torch.tensor([[0, *ids[start : start + PLACES - 1]]])
            told = model(window).logits[0, :-1].log_softmax(1).gather(1, window[0, 1:, None])
            assert np.allclose(long[start : start + PLACES - 1], told[:, 0].numpy(), atol=1e-4)


def test_what_it_is_taught_it_knows_and_stays_as_it_was(folder: Path) -> None:
    base = FoundationModel.of_folder(folder)
    before = [told.mean() for told in base.log_probabilities(TEXTS)]
    readings: list[tuple[int, int]] = []
    overfitted = base.overfitted(TEXTS[:2], lambda done, planned: readings.append((done, planned)))
    after = [told.mean() for told in overfitted.log_probabilities(TEXTS)]
    assert min(after[:2]) > max(before) + 2
    assert [told.mean() for told in base.log_probabilities(TEXTS)] == before
    assert readings[0] == (1, 30) and 1 < len(readings) <= 30
    assert all(map(math.isfinite, after))


def test_code_beside_the_weights_never_runs(folder: Path, tmp_path: Path) -> None:
    for each in folder.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"model_type": "ours", "auto_map": {"AutoConfig": "ours.C", "AutoModel": "ours.M"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "ours.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(ConfigError, match="not a causal language model"):
        FoundationModel.of_folder(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_nothing_but_a_whole_model_is_read(folder: Path, tmp_path: Path) -> None:
    for other in (tmp_path, tmp_path / "none", Path("gpt2")):
        with pytest.raises(ConfigError, match=r"not a causal language model"):
            FoundationModel.of_folder(other)
        with pytest.raises(ConfigError, match=r"unreadable model\.safetensors"):
            digest(other)
    assert len(digest(folder)) == 64
