"""Taggers in 8 bits: what the command writes, what it finds, and what it must not."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from models.hardware import has_vnni
from models.tagger import serialization, shipped_model
from models.tagger.runtime import Tagger
from models.tagger.shipped_model import OPENVINO_INT8, TORCH
from pipeline.cli import main
from record.document import Document
from record.errors import ConfigError
from tests.models.tagger.toy import NAMES, toy_notes
from tests.models.tagger.training.test_training_command import QUICK, toys

pytest.importorskip("nncf", reason="an extra")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `tagger`, the notes it learnt from, and `small`, which is it in 8 bits."""
    at = tmp_path_factory.mktemp("quantized")
    train, dev = toys(at / "train.jsonl", 20, 1), toys(at / "dev.jsonl", 10, 2)
    learning = ["train", "--train", str(train), "--dev", str(dev), "-o", str(at / "tagger")]
    assert main([*learning, *QUICK]) == 0
    told = ["quantize", str(at / "tagger"), str(train), "-o", str(at / "small"), "--plain"]
    assert main(told) == 0
    return at


def documents() -> list[Document]:
    return [note.annotated.document for note in toy_notes(10, seed=3)]


def test_it_finds_what_the_tagger_finds(place: Path) -> None:
    if not has_vnni():
        with pytest.raises(ConfigError, match="VNNI"):
            Tagger.load(place / "small", OPENVINO_INT8)
        return
    whole = Tagger.load(place / "tagger", TORCH).spans(documents())
    tagger = Tagger.load(place / "small", OPENVINO_INT8)
    assert tagger.runtime == OPENVINO_INT8
    found = tagger.spans(documents())
    places = [{(s.start, s.end, s.label) for each in runs for s in each} for runs in (whole, found)]
    assert len(places[0]) > 20
    assert len(places[0] & places[1]) > 0.9 * len(places[0] | places[1])


def test_a_processor_whose_products_may_overflow_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.tagger.encoders.openvino_encoder.has_vnni", lambda: False)
    with pytest.raises(ConfigError, match="VNNI"):
        Tagger.load(place / "small", OPENVINO_INT8)


def test_it_is_the_same_tagger_elsewhere_and_another_version(place: Path) -> None:
    spans = [Tagger.load(place / name, TORCH).spans(documents()) for name in ("tagger", "small")]
    assert spans[0] == spans[1]
    assert shipped_model.digest(place / "tagger") != shipped_model.digest(place / "small")


def test_a_tagger_that_was_not_quantized_says_what_to_do(place: Path) -> None:
    with pytest.raises(ConfigError, match="cryptonym quantize"):
        Tagger.load(place / "tagger", OPENVINO_INT8)


@pytest.mark.parametrize("name", shipped_model.QUANTIZED)
def test_a_damaged_file_is_refused(place: Path, tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    shutil.copytree(place / "small", other)
    held = bytearray((other / name).read_bytes())
    held[len(held) // 2] ^= 1
    (other / name).write_bytes(held)
    with pytest.raises(ConfigError, match="checksum"):
        Tagger.load(other, OPENVINO_INT8)
    assert Tagger.load(other, TORCH).labels


def test_the_encoder_of_another_tagger_is_refused(place: Path, tmp_path: Path) -> None:
    if not has_vnni():
        pytest.skip("nothing in 8 bits runs here")
    other = [*map(str, ("train", "--train", place / "train.jsonl", "--dev", place / "dev.jsonl"))]
    assert main([*other, "-o", str(tmp_path / "tagger"), *QUICK, "--seed", "9"]) == 0
    serialization.save_quantized(
        tmp_path / "tagger", *serialization.load_quantized(place / "small"), tmp_path / "mixed"
    )
    with pytest.raises(ConfigError, match="differs too much"):
        Tagger.load(tmp_path / "mixed", OPENVINO_INT8)


def test_no_file_holds_text(place: Path) -> None:
    for path in (place / "small").iterdir():
        held = path.read_bytes()
        assert not [name for name in NAMES if name.encode() in held], path.name
        assert str(place).encode() not in held


def test_what_came_of_it_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = place / "told"
    asked = ["quantize", str(place / "tagger"), str(place / "train.jsonl"), "-o", str(out)]
    capsys.readouterr()
    assert main([*asked, "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = json.loads(lines[-1])
    assert len(lines) == 1
    assert told["notes"] == 16
    if has_vnni():
        assert told["compared"] == 4
        assert told["same"] <= min(told["spans"], told["spans_in_eight_bits"])
        assert told["agreement"] > 0.9
    assert main([*asked, "--plain"]) == 2
    assert "not empty" in capsys.readouterr().err


def test_notes_without_text_and_recurrent_encoders_are_refused(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jsonl").write_text('{"note_id": "1", "text": " "}\n')
    asked = ["quantize", str(place / "tagger"), str(tmp_path / "empty.jsonl")]
    assert main([*asked, "-o", str(tmp_path / "a"), "--plain"]) == 2
    assert "contain no text" in capsys.readouterr().err
    learning = ["train", "--train", str(place / "train.jsonl"), "--dev", str(place / "dev.jsonl")]
    recurrent = tmp_path / "recurrent"
    assert main([*learning, "-o", str(recurrent), "--encoder", "bilstm", *QUICK[2:]]) == 0
    asked = ["quantize", str(recurrent), str(place / "train.jsonl"), "-o", str(tmp_path / "b")]
    assert main([*asked, "--plain"]) == 2
    assert "recurrent" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_nothing_is_told_to_the_makers_of_nncf() -> None:
    # Under pytest NNCF never tells anything: ask in a process of its own.
    code = "import models.tagger.quantization, nncf.telemetry as told; print(type(told.telemetry))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MagicMock" in run.stdout
