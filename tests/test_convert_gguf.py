"""A GGUF file becomes a folder of a causal model (scripts/convert_gguf.py), without its weights."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers

from models.language.networks.pretrained import load_pretrained, load_vocabulary
from scripts import convert_gguf
from scripts.convert_gguf import (
    NotConverted,
    check_tokenizer,
    convert,
    join_parts,
    main,
    make_plain,
)
from tests.models.pretrained import blank_marked, byte_level, save_causal
from tests.models.prose import MARKS

HEAD = b"GGUF\x03\x00\x00\x00"


def test_parts_are_joined_in_the_order_given(tmp_path: Path) -> None:
    parts = [tmp_path / f"model.gguf.part0{number}" for number in range(3)]
    for part, content in zip(parts, (HEAD, b"one", b"two"), strict=True):
        part.write_bytes(content)
    assert join_parts(parts, tmp_path / "whole").read_bytes() == HEAD + b"onetwo"
    assert join_parts(parts[:1], tmp_path / "link").read_bytes() == HEAD
    with pytest.raises(NotConverted, match="in order"):
        join_parts(parts[::-1], tmp_path / "wrong")
    with pytest.raises(NotConverted, match="no such file"):
        join_parts([parts[0], tmp_path / "none"], tmp_path / "lost")


@pytest.mark.parametrize("make", [byte_level, blank_marked])
def test_a_tokenizer_that_loses_text_is_refused(make: Any) -> None:
    whole = transformers.PreTrainedTokenizerFast(tokenizer_object=make())
    check_tokenizer(whole)
    with pytest.raises(NotConverted, match="as it was"):
        check_tokenizer(_Lossy(whole))


class _Lossy:
    """A tokenizer that gives small letters back."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def __call__(self, text: str, **options: Any) -> Any:
        return self._whole(text, **options)

    def decode(self, ids: list[int], **options: Any) -> str:
        return str(self._whole.decode(ids, **options)).lower()


@pytest.mark.parametrize("kind", ["llama", "gemma3_text"])
def test_the_folder_is_one_that_a_writer_begins_with(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_causal(tmp_path / "source", kind)
    auto: Any = transformers.AutoModelForCausalLM
    model = auto.from_pretrained(tmp_path / "source")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "source")
    model.config.quantization_config = {"quant_method": "gguf"}
    model.config._name_or_path = "/somewhere/model.gguf"
    monkeypatch.setattr(convert_gguf, "_load", lambda whole: (model, tokenizer))
    (tmp_path / "model.gguf").write_bytes(HEAD)
    assert main([str(tmp_path / "model.gguf"), str(tmp_path / "made")]) == 0

    told = (tmp_path / "made" / "config.json").read_text()
    assert "gguf" not in told and "quant" not in told
    vocabulary = load_vocabulary(tmp_path / "made", MARKS)
    network = load_pretrained(tmp_path / "made", vocabulary, context=48).eval()
    ids = torch.tensor([vocabulary.encode("the cough is gone")])
    with torch.inference_mode():
        expected = model.eval()(input_ids=ids - len(MARKS)).logits
        assert torch.allclose(network(ids)[..., len(MARKS) :], expected, atol=1e-5)
    assert main([str(tmp_path / "model.gguf"), str(tmp_path / "made")]) == 2


def test_the_ends_of_a_text_are_those_of_the_tokenizer(tmp_path: Path) -> None:
    save_causal(tmp_path, "llama")
    auto: Any = transformers.AutoModelForCausalLM
    model = auto.from_pretrained(tmp_path)
    plain = make_plain(model, SimpleNamespace(eos_token_id=7, bos_token_id=None))
    assert plain.config.eos_token_id == 7
    assert plain.config.bos_token_id == model.config.bos_token_id
    weights, others = model.state_dict(), plain.state_dict()
    assert all(torch.equal(weights[name], others[name]) for name in weights)


def test_what_is_no_gguf_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(NotConverted, match="GGUF"):
        convert([tmp_path / "model.bin"], tmp_path / "made")
    assert not (tmp_path / "made").exists()
