"""Encoders as ONNX graphs against the encoders themselves."""

import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import numpy_helper
from transformers import BertConfig, XLMRobertaConfig

from models.hardware import has_bfloat16
from models.tagger.encoders.encoder import Encoder, EncoderConfig, make_encoder
from models.tagger.encoders.onnx_encoder import ExportFailed, OnnxEncoder, write_body
from models.tagger.encoders.onnx_graph import INPUT, OUTPUT
from models.tagger.encoders.subword_models import END, PADDING, SPECIAL_TOKENS, START
from models.tagger.encoders.windows import WindowConfig
from models.tagger.network import Network, TaggerArchitecture
from models.tagger.runtime import Tagger
from models.tagger.serialization import TrainedTagger
from models.tagger.shipped_model import AUTO, ONNX, ONNX_INT8, OPENVINO, TORCH
from record.errors import ConfigError, Unsafe
from tests.models.tagger.toy import toy_notes

PIECES = 50
LAST_BIAS = "body.encoder.layer.1.output.dense.bias"


def made(family: str = "bert", **changes: Any) -> Encoder:
    shape: dict[str, Any] = {
        "vocab_size": len(SPECIAL_TOKENS),
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 128,
        "max_position_embeddings": 66,
        "pad_token_id": PADDING,
        **changes,
    }
    config = BertConfig(**shape) if family == "bert" else XLMRobertaConfig(**shape)
    torch.manual_seed(1)
    held = {**config.to_dict(), "model_type": config.model_type}
    encoder = Encoder({"config": held, "pieces": PIECES, "frozen": True}).eval()
    for name, value in encoder.named_parameters():
        if "LayerNorm" not in name:
            torch.nn.init.normal_(value, std=0.2)
    return encoder


def windows() -> tuple[torch.Tensor, torch.Tensor]:
    """Windows of several lengths, padded."""
    lengths = torch.tensor([40, 23, 3])
    ids = torch.randint(
        len(SPECIAL_TOKENS),
        len(SPECIAL_TOKENS) + PIECES,
        (3, 40),
        generator=torch.Generator().manual_seed(1),
    )
    ids[:, 0] = START
    for row, length in enumerate(lengths.tolist()):
        ids[row, length - 1], ids[row, length:] = END, PADDING
    return ids, lengths


def trained() -> TrainedTagger:
    """A tagger that learnt nothing, and so finds all kinds of spans."""
    notes = toy_notes(6, lines=12)
    torch.manual_seed(2)
    encoder, subwords = make_encoder(
        EncoderConfig("tiny-2x64"), [note.annotated.document.text for note in notes]
    )
    network = Network(encoder, TaggerArchitecture(("A", "B"))).eval()
    for name, value in network.named_parameters():
        if "LayerNorm" not in name:
            torch.nn.init.normal_(value, std=0.2)
    return TrainedTagger(network, subwords, WindowConfig(48, 8))


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
def test_vectors_are_those_of_the_encoder(family: str) -> None:
    encoder, (ids, lengths) = made(family), windows()
    with torch.no_grad():
        right = encoder(ids, lengths)
    inside = torch.arange(ids.shape[1]) < lengths[:, None]
    whole = OnnxEncoder(encoder, eight_bits=False)(ids, lengths)
    assert torch.allclose(whole[inside], right[inside], atol=1e-5)
    assert not whole[~inside].any()
    rough = OnnxEncoder(encoder, eight_bits=True)(ids, lengths)
    assert 0 < (rough - right)[inside].abs().mean() < 0.05 * right[inside].abs().mean()
    alone = OnnxEncoder(encoder, eight_bits=True)(ids[1:2, :23], lengths[1:2])
    assert torch.equal(rough[1:2, :23], alone)


def test_weights_in_eight_bits_cannot_overflow_where_pairs_are_added_in_sixteen() -> None:
    graph = onnx.load_from_string(write_body(made().body, eight_bits=True)).graph
    weights = [numpy_helper.to_array(each) for each in graph.initializer]
    weights = [each for each in weights if each.dtype == np.int8]
    assert len(weights) == 2 * 4
    assert all(2 * 255 * int(np.abs(each).max()) < 2**15 for each in weights)


def test_one_piece_of_another_size_leaves_the_others_exact() -> None:
    body = made(num_hidden_layers=1).body
    rough, whole = (
        onnxruntime.InferenceSession(write_body(body, eight_bits=eight), providers=None)
        for eight in (True, False)
    )
    rows = np.random.default_rng(1).normal(size=(1, 20, 64)).astype(np.float32)

    def fault(rows: np.ndarray) -> float:
        given, right = (
            session.run([OUTPUT], {INPUT: rows})[0][0, 1:] for session in (rough, whole)
        )
        return float(np.abs(given - right).mean())

    large = rows.copy()
    large[:, 0] *= 1000
    assert fault(large) < 2 * fault(rows)


@pytest.mark.parametrize(
    "changes", [{"hidden_act": "relu"}, {"hidden_act": "gelu_new"}, {"is_decoder": True}]
)
def test_other_layers_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ExportFailed, match="not a BERT encoder"):
        OnnxEncoder(made(**changes), eight_bits=False)


def test_spans_are_those_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device: False)
    documents = [note.annotated.document for note in toy_notes(6, lines=12)]
    plain = Tagger(trained(), TORCH)
    right = plain.spans(documents)
    assert plain.runtime == TORCH
    assert sum(map(len, right)) > 50
    whole = Tagger(trained(), ONNX)
    assert whole.runtime == ONNX
    for spans, others in zip(whole.spans(documents), right, strict=True):
        places = [[(one.start, one.end, one.label) for one in each] for each in (spans, others)]
        assert places[0] == places[1]
        scores = [one.score for one in others]
        assert [one.score for one in spans] == pytest.approx(scores, abs=1e-4)
    rough = Tagger(trained(), ONNX_INT8)
    assert rough.runtime == ONNX_INT8
    count = sum(map(len, rough.spans(documents)))
    assert count == pytest.approx(sum(map(len, right)), rel=0.1)


@pytest.mark.parametrize("has_half", [False, True])
def test_spans_by_openvino_are_those_of_pytorch(
    has_half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openvino", reason="OpenVINO is an extra")
    if has_half and not has_bfloat16(torch.device("cpu")):
        pytest.skip("the processor does not multiply in bfloat16")

    def refused(*_: object) -> None:
        raise AssertionError("nothing may be told to anybody")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr(
        "models.tagger.encoders.openvino_encoder.has_bfloat16", lambda device: has_half
    )
    monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device: False)
    documents = [note.annotated.document for note in toy_notes(6, lines=12)]
    right = Tagger(trained(), TORCH).spans(documents)
    tagger = Tagger(trained(), OPENVINO)
    assert tagger.runtime == OPENVINO
    found = tagger.spans(documents)
    if has_half:
        assert sum(map(len, found)) == pytest.approx(sum(map(len, right)), rel=0.1)
        return
    for spans, others in zip(found, right, strict=True):
        assert [(one.start, one.end, one.label) for one in spans] == [
            (one.start, one.end, one.label) for one in others
        ]
        scores = [one.score for one in others]
        assert [one.score for one in spans] == pytest.approx(scores, abs=1e-4)


def test_openvino_that_is_not_there_or_cannot_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openvino", reason="OpenVINO is an extra")
    broken = trained()
    with torch.no_grad():
        broken.network.encoder.get_parameter(LAST_BIAS)[3] = float("nan")
    with pytest.raises(ConfigError, match="differs too much from PyTorch"):
        Tagger(broken, OPENVINO)
    monkeypatch.setitem(sys.modules, "openvino", None)
    monkeypatch.delitem(sys.modules, "models.tagger.encoders.openvino_encoder", raising=False)
    with pytest.raises(ConfigError, match="openvino is not installed"):
        Tagger(trained(), OPENVINO)


def test_auto_is_onnx_runtime_where_pytorch_has_nothing_quicker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for fast, runtime in ((False, ONNX), (True, TORCH)):
        monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device, fast=fast: fast)
        assert Tagger(trained(), AUTO).runtime == runtime


def test_where_onnx_runtime_is_not_installed_pytorch_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "models.tagger.encoders.onnx_encoder", None)
    monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device: False)
    assert Tagger(trained(), AUTO).runtime == TORCH
    assert "is not installed; falling back to PyTorch" in caplog.text
    with pytest.raises(ConfigError, match="is not installed"):
        Tagger(trained(), ONNX)


def test_an_encoder_without_a_graph_stays_in_pytorch(caplog: pytest.LogCaptureFixture) -> None:
    recurrent = trained()
    recurrent.network.encoder = make_encoder(EncoderConfig("bilstm"), ["Dr Martin"] * 3)[0]
    assert Tagger(recurrent, AUTO).runtime == TORCH
    assert not caplog.text
    with pytest.raises(ConfigError, match="recurrent"):
        Tagger(recurrent, ONNX)


def test_weights_that_are_no_numbers_find_nothing_and_say_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device: False)
    broken = trained()
    with torch.no_grad():
        broken.network.encoder.get_parameter(LAST_BIAS)[3] = float("nan")
    tagger = Tagger(broken, AUTO)
    assert tagger.runtime == TORCH
    assert "differs too much from PyTorch" in caplog.text
    with pytest.raises(Unsafe, match="scores-not-finite"):
        tagger.spans([note.annotated.document for note in toy_notes(1)])
