"""A tagger without PyTorch: its spans are PyTorch's, and bad folders are refused."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.tagger import loading, onnx_tagger
from models.tagger.encoders.subword_models import SPECIAL_TOKENS
from models.tagger.folder import VOCABULARY, WEIGHTS
from models.tagger.loading import load_tagger_folder
from models.tagger.onnx_tagger import OnnxTagger, Unsupported
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import segment_text
from models.tagger.shipped_model import AUTO, ONNX, ONNX_INT8, SETTINGS, SHIPPED, TORCH
from models.tagger.thresholds import SpanThresholds
from record.document import Document
from record.errors import ConfigError, Unsafe
from record.span import Span
from tests.models.tagger.toy import toy_notes, toy_training


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "toy"
    assert toy_training(out).f1 == 1.0
    return out


def places(spans: list[Span]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in spans]


DOCUMENTS = [note.annotated.document for note in toy_notes(6, lines=12)] + [
    Document("long", "\n".join(note.annotated.document.text for note in toy_notes(60, lines=8))),
    Document("empty", ""),
    Document("blank", " \n\n "),
]


@pytest.fixture(autouse=True)
def whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch computes in 32 bits, as ONNX Runtime does."""
    monkeypatch.setattr("models.tagger.runtime.has_bfloat16", lambda device: False)


def test_spans_are_those_of_pytorch(folder: Path) -> None:
    right = Tagger.load(folder, TORCH).spans(DOCUMENTS)
    found = OnnxTagger.load(folder).spans(DOCUMENTS)
    assert sum(map(len, right)) > 1000
    for mine, theirs in zip(found, right, strict=True):
        assert places(mine) == places(theirs)
        scores = [span.score for span in theirs]
        assert [span.score for span in mine] == pytest.approx(scores, abs=1e-4)


def test_in_eight_bits_most_spans_are_the_same(folder: Path) -> None:
    whole, rough = (OnnxTagger.load(folder, name) for name in (ONNX, ONNX_INT8))
    assert (whole.runtime, rough.runtime) == (ONNX, ONNX_INT8)
    mine, theirs = ({*places(tagger.spans(DOCUMENTS[:6])[0])} for tagger in (rough, whole))
    assert len(mine & theirs) >= 0.9 * len(theirs)


def test_scores_of_words_are_those_of_pytorch_on_the_shipped_weights() -> None:
    text = "Mme Leocadia Mondragón, née le 12/03/1951,\nvue par le Dr Okwuosa à Sens.\n" * 12
    mine, theirs = OnnxTagger.load(SHIPPED), Tagger.load(SHIPPED, TORCH)
    assert mine.labels == theirs.labels
    found, right = (tagger.spans([Document("1", text, lang="fr")])[0] for tagger in (mine, theirs))
    assert places(found) == places(right)
    assert found


def test_pytorch_is_not_imported() -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from models.tagger.loading import load_tagger_folder\n"
        "from models.tagger.shipped_model import ONNX, SHIPPED\n"
        "from record.document import Document\n"
        "tagger = load_tagger_folder(SHIPPED, ONNX)\n"
        "assert tagger.spans([Document('1', 'Seen by Dr. Rosalind Thackeray')])[0]\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_auto_needs_no_pytorch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda _: None)
    assert loading.load_tagger_folder(folder, AUTO).runtime == ONNX
    assert isinstance(loading.load_tagger_folder(folder, ONNX_INT8), OnnxTagger)


@pytest.mark.parametrize(
    "design", [{"head": "softmax"}, {"head": "stacked"}, {"convolution": True}], ids=str
)
def test_other_networks_run_on_pytorch(
    design: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "other"
    toy_training(out, epochs=1, **design)
    with pytest.raises(Unsupported):
        OnnxTagger.load(out)
    assert isinstance(loading.load_tagger_folder(out, ONNX), Tagger)
    monkeypatch.setattr(loading, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="PyTorch"):
        loading.load_tagger_folder(out, AUTO)


@pytest.mark.parametrize("name", [SETTINGS, WEIGHTS, VOCABULARY])
@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_a_damaged_folder_is_refused_by_name(
    name: str, damage: str, folder: Path, tmp_path: Path
) -> None:
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    held = (tmp_path / name).read_bytes()
    if damage == "missing":
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(held[: len(held) // 2] if damage == "cut" else b"{}")
    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        OnnxTagger.load(tmp_path)


def test_settings_of_other_labels_are_refused(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    said = json.loads((tmp_path / SETTINGS).read_text())
    said["design"]["labels"].append("OTHER")
    (tmp_path / SETTINGS).write_text(json.dumps(said))
    with pytest.raises(ConfigError, match="does not match"):
        OnnxTagger.load(tmp_path)


def test_scores_that_are_no_numbers_hold_the_note_back(folder: Path) -> None:
    tagger = OnnxTagger.load(folder)
    tagger._bias[:] = np.nan
    with pytest.raises(Unsafe, match="scores-not-finite"):
        tagger.spans(DOCUMENTS[:1])


def test_embeddings_of_16_bits_are_widened_row_by_row() -> None:
    parts = onnx_tagger.read_parts(SHIPPED)
    assert parts.weights["encoder.pieces.weight"].dtype == np.float16
    embeddings = onnx_tagger._Embeddings(parts.weights, parts.layers_shape())
    ids = np.array([0, len(SPECIAL_TOKENS) + 3, 2])
    assert embeddings.of(ids).dtype == np.float32


def test_every_word_is_scored() -> None:
    parts = onnx_tagger.read_parts(SHIPPED)
    cutting = segment_text("Dr Quill " * 700, parts.subwords, parts.cut)
    assert OnnxTagger(parts).score_words(cutting).shape[0] == len(cutting.words) == 1400


def test_with_thresholds_too(folder: Path) -> None:
    thresholds = SpanThresholds(dict.fromkeys(OnnxTagger.load(folder).labels, 0.1), joins=False)
    right = load_tagger_folder(folder, TORCH, thresholds=thresholds).spans(DOCUMENTS)
    found = OnnxTagger.load(folder, thresholds=thresholds).spans(DOCUMENTS)
    plain = OnnxTagger.load(folder).spans(DOCUMENTS)
    assert sum(map(len, found)) > sum(map(len, plain))
    assert [places(each) for each in found] == [places(each) for each in right]
