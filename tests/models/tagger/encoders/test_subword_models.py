"""Word pieces and pairs of bytes, against the tokenizers of transformers that they come from."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from models.tagger.encoders.encoder import (
    EncoderConfig,
    load_pretrained,
    make_encoder,
    save_encoder,
)
from models.tagger.encoders.subword_models import (
    BYTE_PAIRS,
    END,
    SPECIAL_TOKENS,
    START,
    UNIGRAM,
    UNKNOWN,
    WORD_PIECES,
    TokenizerConfig,
    read_pieces,
    special_token_rows,
)
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer, trim_vocabulary
from record.errors import ConfigError
from tests.models.hub import hub_model

TEXTS = [
    "Dr Martin a vu la patiente, née le 12/03/1950, au CHU de Rennes.",
    "The patient was seen by Dr. O'Neill on 12 March; he isn't well.",
    "Paciente ingresada el 3 de marzo. Médico: Núñez, col. 28/1234.",
] * 20
BERT = ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")
ROBERTA = SPECIAL_TOKENS[:5]
WORDS = st.builds(
    str.__add__, st.sampled_from(["", "D", "M"]), st.text("abdeinrtéñü", min_size=1, max_size=12)
) | st.text("0123", min_size=1, max_size=8)


def word_pieces(folder: Path) -> Path:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=220, special_tokens=[*BERT])
    )
    made.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def byte_pairs(folder: Path) -> Path:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=420,
            special_tokens=[*ROBERTA],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    made.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


KINDS = {WORD_PIECES: (word_pieces, BERT), BYTE_PAIRS: (byte_pairs, ROBERTA)}


@pytest.fixture(scope="module", params=sorted(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def path(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS[kind][0](tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture(scope="module")
def theirs(path: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(tokenizer_file=str(path))


@pytest.fixture(scope="module")
def whole(path: Path) -> tuple[SubwordTokenizer, list[int]]:
    return trim_vocabulary(path, [], size=1 << 30)


def rows_of(ids: Sequence[int], rows: list[int], held: Any) -> list[int]:
    """The ids in the file of ids of ours."""
    marks = special_token_rows(held)
    return [
        marks[one] if one < len(SPECIAL_TOKENS) else rows[one - len(SPECIAL_TOKENS)] for one in ids
    ]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(word=WORDS, apart=st.booleans())
def test_a_word_is_cut_as_its_own_tokenizer_cuts_it(
    word: str,
    apart: bool,
    path: Path,
    theirs: PreTrainedTokenizerFast,
    whole: tuple[SubwordTokenizer, list[int]],
    kind: str,
) -> None:
    subwords, rows = whole
    # The tokenizer sees the word after a blank, or after a sign that it parts from every word.
    text = f"( {word}" if apart else f"({word}"
    held = json.loads(path.read_text())
    ours = [one for of in subwords.of(text)[1][1:] for one in of]
    parts = subwords.of(text)[0][1:]
    # Of words that our own tokens part, each is cut for itself.
    assume(len(parts) == 1)
    wanted = theirs.encode(text, add_special_tokens=False)
    first = len(theirs.encode("(", add_special_tokens=False))
    if kind == BYTE_PAIRS and not apart:
        # What goes on without a blank is cut like the word alone.
        found = Tokenizer.from_file(str(path))
        found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        wanted, first = found.encode(word).ids, 0
    assert rows_of(ours, rows, held) == wanted[first:][:16]


def test_texts_are_cut_the_same_by_the_pieces_they_need(
    path: Path, whole: tuple[SubwordTokenizer, list[int]]
) -> None:
    subwords, rows = whole
    fewer, kept = trim_vocabulary(path, TEXTS, size=0)
    assert len(fewer) < len(subwords)
    held = json.loads(path.read_text())
    for text in TEXTS[:3]:
        ours = [rows_of(ids, kept, held) for ids in fewer.of(text)[1]]
        assert ours == [rows_of(ids, rows, held) for ids in subwords.of(text)[1]]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40))
def test_every_word_has_a_piece_and_no_mark_can_be_written(text: str, path: Path) -> None:
    fewer, _ = trim_vocabulary(path, TEXTS[:1], size=0)
    cut, ids = fewer.of(text + " <s> [CLS] <mask> <newline>")
    assert len(cut) == len(ids)
    assert all(ids)
    marks = {one for of, (start, end) in zip(ids, cut, strict=True) for one in of if end > start}
    assert marks.isdisjoint(
        set(range(START, len(SPECIAL_TOKENS))) - {UNKNOWN, len(SPECIAL_TOKENS) - 1}
    )


def test_a_vocabulary_comes_back_from_its_file(path: Path, tmp_path: Path) -> None:
    fewer, _ = trim_vocabulary(path, TEXTS[:1], size=0)
    fewer.save(tmp_path / "vocabulary.json")
    again = SubwordTokenizer.load(tmp_path / "vocabulary.json")
    assert again.config == fewer.config
    assert again.of(TEXTS[1])[1] == fewer.of(TEXTS[1])[1]


def test_whole_words_are_told_from_parts(whole: tuple[SubwordTokenizer, list[int]]) -> None:
    subwords, _ = whole
    words = {subwords.config.whole_word(piece) for piece, _ in subwords.pieces} - {""}
    assert {"patient", "Dr"} <= words
    assert all(word.isalpha() for word in words)


def test_an_encoder_of_a_folder_gives_the_vectors_it_gave(
    kind: str, path: Path, tmp_path: Path
) -> None:
    held = json.loads(path.read_text())
    size = len(read_pieces(held)) + len(held["added_tokens"])
    family = "bert" if kind == WORD_PIECES else "roberta"
    source = hub_model(tmp_path, family, size)
    (tmp_path / "tokenizer.json").write_text(path.read_text())
    encoder, subwords = make_encoder(EncoderConfig(str(tmp_path), vocabulary=0), TEXTS)
    encoder.eval()
    kept = trim_vocabulary(path, TEXTS, size=0)[1]
    ids = [START, *(one for of in subwords.of(TEXTS[0])[1] for one in of), END]
    with torch.no_grad():
        found = encoder(torch.tensor([ids]), torch.tensor([len(ids)]))
        wanted = source(input_ids=torch.tensor([rows_of(ids, kept, held)])).last_hidden_state
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)
    # What is written by `pretrain` is read again to the same.
    written = tmp_path / "written"
    written.mkdir()
    whole_encoder, all_pieces = load_pretrained(str(tmp_path))
    save_encoder(whole_encoder, all_pieces, written)
    again, pieces = make_encoder(EncoderConfig(str(written), vocabulary=0), TEXTS)
    again.eval()
    with torch.no_grad():
        ids = [START, *(one for of in pieces.of(TEXTS[0])[1] for one in of), END]
        torch.testing.assert_close(again(torch.tensor([ids]), torch.tensor([len(ids)])), found)


@pytest.mark.parametrize(
    "model",
    [
        {"type": "BPE", "vocab": {"a": 0}, "merges": []},
        {"type": "WordLevel", "vocab": {"a": 0}},
        {"type": "WordPiece", "vocab": {"a": 0}},
    ],
)
def test_other_kinds_are_refused(
    model: dict[str, str | dict[str, int] | list[Any]], tmp_path: Path
) -> None:
    hub_model(tmp_path)
    held = json.loads((tmp_path / "tokenizer.json").read_text())
    held |= {"model": model, "pre_tokenizer": {"type": "Whitespace"}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(held))
    with pytest.raises(ConfigError, match="supported type"):
        make_encoder(EncoderConfig(str(tmp_path)), TEXTS)


def test_the_pairs_of_older_files_are_read_as_well(tmp_path: Path) -> None:
    path = byte_pairs(tmp_path)
    held = json.loads(path.read_text())
    older = json.loads(path.read_text())
    older["model"]["merges"] = [" ".join(pair) for pair in held["model"]["merges"]]
    assert TokenizerConfig.from_tokenizer_json(older) == TokenizerConfig.from_tokenizer_json(held)
    assert TokenizerConfig.from_tokenizer_json(held).kind != UNIGRAM
