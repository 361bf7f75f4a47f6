import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.encoders.subword_models import NEWLINE, SPECIAL_TOKENS, UNKNOWN, TokenizerConfig
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer, trim_vocabulary
from record.errors import ConfigError

NORMALIZER = json.dumps({"type": "Sequence", "normalizers": [{"type": "NFKC"}]})
WORDS = ("▁Dr", "▁Mar", "tin", "▁pati", "ente", "▁12", "20", "24", ".", "▁", ",", "/", ")")
PIECES = [(piece, -float(at)) for at, piece in enumerate((*WORDS, *"abcdefimnprtDM012345é"), 1)]


@pytest.fixture(scope="module")
def subwords() -> SubwordTokenizer:
    return SubwordTokenizer(PIECES, TokenizerConfig(NORMALIZER))


def _written(subwords: SubwordTokenizer, ids: tuple[int, ...]) -> list[str]:
    return [([*SPECIAL_TOKENS] + [piece for piece, _ in subwords.pieces])[number] for number in ids]


def test_pieces_stay_within_their_word(subwords: SubwordTokenizer) -> None:
    text = "Dr Martin 12.03, 2024).\npatiente"
    cut, ids = subwords.of(text)
    assert [text[start:end] for start, end in cut] == [
        "Dr", "Martin", "12", ".", "03", ",", "2024", ")", ".", "\n", "patiente"
    ]  # fmt: skip
    assert [_written(subwords, of) for of in ids] == [
        ["▁Dr"], ["▁Mar", "tin"], ["▁12"], ["."], ["0", "3"], [","], ["▁", "20", "24"], [")"],
        ["."], ["<newline>"], ["▁pati", "ente"],
    ]  # fmt: skip


def test_a_title_and_its_dot_are_two_words(subwords: SubwordTokenizer) -> None:
    text = "M. D"
    assert [text[start:end] for start, end in subwords.of(text)[0]] == ["M", ".", "D"]


def test_other_ways_to_write_a_letter_are_the_same_piece(subwords: SubwordTokenizer) -> None:
    assert subwords.of("ＭＡ ﬁ")[1][1] == subwords.of("x fi")[1][1]


def test_a_word_of_unknown_letters_is_unknown_and_a_long_one_is_cut(
    subwords: SubwordTokenizer,
) -> None:
    assert subwords.of("Ж")[1][0][-1] == UNKNOWN
    assert len(subwords.of("a" * 500)[1][0]) == 16


@given(st.text(max_size=60))
def test_every_word_has_a_piece(text: str) -> None:
    made = SubwordTokenizer(PIECES, TokenizerConfig(NORMALIZER))
    cut, ids = made.of(text)
    assert len(cut) == len(ids)
    assert all(ids)
    assert all(0 <= number < len(made) for of in ids for number in of)


def test_line_breaks_are_seen(subwords: SubwordTokenizer) -> None:
    assert subwords.of("a\n\n b")[1][1] == (NEWLINE,)


def test_save_and_load(subwords: SubwordTokenizer, tmp_path: Path) -> None:
    subwords.save(tmp_path / "vocabulary.json")
    loaded = SubwordTokenizer.load(tmp_path / "vocabulary.json")
    assert loaded.of("Dr Martin")[1] == subwords.of("Dr Martin")[1]
    assert "Martin" not in repr(loaded)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pieces": [[1]], "normalizer": "{}"}'])
def test_what_is_no_vocabulary_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "vocabulary.json").write_text(content)
    with pytest.raises(ConfigError, match="vocabulary"):
        SubwordTokenizer.load(tmp_path / "vocabulary.json")
    with pytest.raises(ConfigError, match="cannot be read"):
        SubwordTokenizer.load(tmp_path / "nothing.json")


def test_trimming_keeps_what_texts_need_and_cuts_them_the_same(tmp_path: Path) -> None:
    marks = [
        {"id": at, "content": mark} for at, mark in enumerate(("<s>", "<pad>", "</s>", "<unk>"))
    ]
    vocabulary = [[mark["content"], 0.0] for mark in marks] + [[*piece] for piece in PIECES]
    path = tmp_path / "tokenizer.json"
    path.write_text(
        json.dumps(
            {
                "added_tokens": marks,
                "normalizer": json.loads(NORMALIZER),
                "model": {"type": "Unigram", "vocab": vocabulary},
            }
        )
    )
    whole = SubwordTokenizer(PIECES, TokenizerConfig(NORMALIZER))
    small, rows = trim_vocabulary(path, ["Martin"], size=0)
    kept = [piece for piece, _ in small.pieces]
    assert {"▁Mar", "tin"} <= set(kept)
    assert "▁pati" not in kept
    assert [vocabulary[row][0] for row in rows] == kept
    assert _written(small, small.of("Martin")[1][0]) == _written(whole, whole.of("Martin")[1][0])
    assert len(trim_vocabulary(path, [], size=10**6)[0]) == len(whole)


def test_pieces_in_letters_of_the_texts_stay_before_likelier_ones_of_other_scripts(
    tmp_path: Path,
) -> None:
    likely = [
        ("\u2581он", -1.0),
        ("\u2581na", -2.0),
        ("\u2581на", -3.0),
        ("ne", -4.0),
        ("an", -5.0),
    ]
    pieces = [*likely, ("a", -9.0), ("n", -9.0), ("e", -9.0)]
    held = {"added_tokens": [], "normalizer": {"type": "NFKC"}, "model": {"vocab": pieces}}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(held))
    kept = [piece for piece, _ in trim_vocabulary(path, ["n e a"], size=5)[0].pieces]
    assert kept == ["\u2581na", "ne", "a", "n", "e"]
    kept = [piece for piece, _ in trim_vocabulary(path, ["n e a"], size=7)[0].pieces]
    assert kept == ["\u2581он", "\u2581na", "ne", "an", "a", "n", "e"]
