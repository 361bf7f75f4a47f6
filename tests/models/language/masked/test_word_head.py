"""A filler that goes on with a pretrained masked model scores words as that model does."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast

from models.language.masked.masked_model import MaskedFiller
from models.language.masked.training import (
    MaskedCorpora,
    MaskedLetter,
    MaskedRecipe,
    train_masked,
)
from models.language.networks.masked_network import MASK, SPECIAL_TOKENS, EncoderLM
from models.language.networks.word_head import read_word_head, whole_words

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = ("fever", "cough", "pain", "the", "has", "Ana", "of", "night", "para", "##ceta", "##mol",
          "a", "b", "##a", "##b", "n", "nacht")  # fmt: skip


def save_bert(folder: Path, *, has_head: bool = True) -> BertForMaskedLM:
    """Write a BERT of a few thousand weights, drawn wide enough for its scores to differ."""
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(MARKS) + len(PIECES), hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=32, max_position_embeddings=64, pad_token_id=0,
        initializer_range=0.5,
    )  # fmt: skip
    network = BertForMaskedLM(config).eval()
    with torch.no_grad():
        network.cls.predictions.bias.normal_()
    (network if has_head else network.bert).save_pretrained(folder)
    vocabulary = {piece: number for number, piece in enumerate((*MARKS, *PIECES))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    named = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    named |= {"pad_token": "[PAD]", "mask_token": "[MASK]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    return network


def test_words_of_one_piece_score_as_the_model_scores_them(tmp_path: Path) -> None:
    bert = save_bert(tmp_path)
    words = (*SPECIAL_TOKENS, "the", "pain", "of", "fever", "night", "paracetamol")
    network = EncoderLM.of(str(tmp_path), words, 8).eval()
    known = {piece: number for number, piece in enumerate((*MARKS, *PIECES))}
    window = ["the", "[MASK]", "of", "night"]
    ids = torch.tensor([[known[each] for each in ("[CLS]", *window, "[SEP]")]])
    with torch.no_grad():
        expected = bert(ids).logits[0, 2, [known[word] for word in words[3:8]]]
        numbers = [[MASK if each == "[MASK]" else words.index(each) for each in window]]
        found = network.score(network.hidden(torch.tensor(numbers)))[0, 1]
    assert torch.allclose(found[3:8], expected, atol=1e-3)
    pieces = [known[piece] for piece in ("para", "##ceta", "##mol")]
    with torch.no_grad():
        mean = bert(ids).logits[0, 2, pieces].mean()
    assert float(found[8]) == pytest.approx(float(mean), abs=1e-3)


def test_an_encoder_alone_has_no_head(tmp_path: Path) -> None:
    save_bert(tmp_path, has_head=False)
    assert BertModel.from_pretrained(tmp_path) is not None
    assert read_word_head(tmp_path) is None


def test_words_that_are_one_piece_are_known_but_for_names(tmp_path: Path) -> None:
    save_bert(tmp_path)
    seen = {"fever", "Ana", "paracetamol", "a", "nacht", "unheard"}
    assert whole_words(tmp_path, seen) == ["fever", "nacht"]


def test_a_rare_word_that_the_model_knows_is_written_and_others_are_not(tmp_path: Path) -> None:
    save_bert(tmp_path / "bert")
    usual = ["Ana", "has", "the", "pain", "of", "night"]
    rare = [*usual, "fever", "paracetamol"]
    notes = [
        MaskedLetter(words, [True, *[False] * (len(words) - 1)]) for words in [usual] * 5 + [rare]
    ]
    recipe = replace(
        MaskedRecipe(), encoder=str(tmp_path / "bert"), length=8, epochs=1, rate=1e-4, batch=2
    )
    train_masked(MaskedCorpora(notes, notes[:2]), recipe, tmp_path / "filler")
    writable = MaskedFiller.load(tmp_path / "filler").writable
    assert set(writable) == {"has", "the", "pain", "of", "night", "fever"}
