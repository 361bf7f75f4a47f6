"""Whether sampling really happens: greedy decoding says a few words over and over."""

from typing import Any

import pytest
import torch

from models.language.corpus.vocabulary import END, UNKNOWN, WordVocabulary
from models.language.decoding.generation import Decoding, DecodingTask, generate_texts
from models.language.decoding.tag_grammar import Grammar, TagTokens
from models.language.training.serialization import build

WORDS = WordVocabulary(
    (END, UNKNOWN, "<PAR>", "<A_START>", "<A_END>"), [f"w{n}" for n in range(600)]
)


@pytest.mark.parametrize("kind", ["lstm", "gpt"])
def test_samples_have_many_more_different_words_than_greedy_texts(kind: str) -> None:
    torch.manual_seed(2)
    shape = {"kind": kind, "vocabulary": WORDS.size, "width": 24, "layers": 1, "dropout": 0.0}
    network = build(shape | ({"heads": 2, "context": 64} if kind == "gpt" else {})).eval()
    grammar = Grammar(WORDS, TagTokens([("<A_START>", "<A_END>")], [6], ["<PAR>"], [UNKNOWN]))
    # Texts begin with words of their own, so that greedy ones need not be the same throughout.
    tasks = [DecodingTask([], [20 + n], None, (1, n)) for n in range(16)]

    def variety(method: str) -> float:
        """Different ids in all ids."""
        lengths: dict[str, Any] = {
            "min_length": 0,
            "max_length": 40,
            "enforced": False,
            "rounded": False,
        }
        texts = generate_texts(network, grammar, tasks, Decoding(method=method, **lengths))
        ids = [number for text in texts for number in text.ids]
        return len(set(ids)) / len(ids)

    assert min(variety("sample"), variety("nucleus")) > 3 * variety("greedy")
