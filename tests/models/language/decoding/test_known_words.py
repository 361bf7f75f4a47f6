"""Words that a generator may write: what an id allows is what the decoded text tells."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from models.language.corpus.vocabulary import END, PretrainedVocabulary
from models.language.decoding.generation import (
    Decoding,
    DecodingTask,
    beam_search,
    generate_texts,
)
from models.language.decoding.known_words import SHORT, KnownWords
from models.language.decoding.tag_grammar import Grammar, TagTokens
from models.language.training.serialization import build
from record.errors import ConfigError
from synthesis.tag_repair import parse_tags
from tests.models.pretrained import blank_marked, byte_level
from tests.models.prose import HIDDEN, MARKS, PAIRS, vocabulary

WORDS = ("Fever", "fevers", "cough", "here", "hereby", "gone", "seen", "pain", "été", "naïf")
KNOWN = {word.casefold() for word in WORDS}
LETTERS = re.compile(r"[^\W\d_]+")
ASKED = "<ASK><BODY>"


def pieces(make: Callable[[], Tokenizer]) -> PretrainedVocabulary:
    tokenizer = make()
    return PretrainedVocabulary.of(MARKS, tokenizer, tokenizer.get_vocab_size())


VOCABULARIES = {"bytes": pieces(byte_level), "blanks": pieces(blank_marked)}
AUTOMATA = {name: KnownWords(each, WORDS) for name, each in VOCABULARIES.items()}


def may_go_on(text: str) -> bool:
    """Whether all words of a text are known, and the last may become one."""
    *whole, last = LETTERS.findall(text) or [""]
    if not text.endswith(last) or not last:
        whole, last = [*whole, last], ""
    last = last.casefold()
    is_begun = len(last) <= SHORT or any(word.startswith(last) for word in KNOWN)
    return is_begun and all(len(word) <= SHORT or word.casefold() in KNOWN for word in whole)


@pytest.mark.parametrize("name", ["bytes", "blanks"])
@given(data=st.data())
def test_ids_are_allowed_as_the_decoded_text_tells(name: str, data: st.DataObject) -> None:
    held, known = VOCABULARIES[name], AUTOMATA[name]
    text, part = "", ""
    ids: list[int] = []
    for _ in range(data.draw(st.integers(1, 12))):
        allowed = known.allowed(part)
        for number in range(len(MARKS), held.size):
            after = held.decode([*ids, number])
            if "\ufffd" not in after:
                assert allowed[number] == may_go_on(after), (text, after)
        assert bool(allowed[: len(MARKS)].all()) == may_go_on(text + ".")
        number = data.draw(st.sampled_from(allowed.nonzero().flatten().tolist()))
        part = known.advance(part, number)
        ids = [] if number < len(MARKS) else [*ids, number]
        text = held.decode(ids)


@pytest.mark.parametrize("name", ["bytes", "blanks"])
def test_every_known_word_can_be_written(name: str) -> None:
    held, known = VOCABULARIES[name], AUTOMATA[name]
    for text in (
        "Fever and cough, gone here.",
        " the PAIN (été) is a naïf b-c",
        "hereby no fevers",
    ):
        part = ""
        for number in held.encode(text):
            if "\ufffd" not in held.decode([number]):
                assert known.allowed(part)[number], (text, held.decode([number]))
            part = known.advance(part, number)


@pytest.mark.parametrize("method", ["nucleus", "sample", "top-k", "greedy", "beam"])
def test_no_other_word_is_written_outside_of_entities(method: str) -> None:
    held, known = VOCABULARIES["bytes"], AUTOMATA["bytes"]
    grammar = Grammar(held, TagTokens(PAIRS, (6, 5), ("<PAR>",), HIDDEN))
    torch.manual_seed(3)
    shape = {"kind": "lstm", "vocabulary": held.size, "width": 16, "layers": 1, "dropout": 0.0}
    wild = build(shape).eval()
    plain = Decoding(method=method, min_length=0, max_length=60, enforced=False, rounded=False)
    count = 4 if method == "beam" else 40
    asked = held.encode(ASKED)
    tasks = [DecodingTask(asked, held.encode("Fever seen"), seed=(n,)) for n in range(count)]

    def write(known: KnownWords | None) -> list[str]:
        if method == "beam":
            made = [beam_search(wild, grammar, task, plain, known) for task in tasks]
        else:
            made = generate_texts(wild, grammar, tasks, plain, known)
        return [held.decode(text.ids) for text in made if not text.is_cut]

    def unknown(texts: list[str]) -> list[str]:
        found = []
        for text in texts:
            outside = re.sub("<([AB])_START>.*?<\\1_END>|<[A-Z_]+>", "|", text)
            words = LETTERS.findall(outside)
            found += [word for word in words if not may_go_on(f"{word}.")]
        return found

    limited = write(known)
    assert unknown(limited) == []
    if method == "sample":
        assert unknown(write(None))
        assert limited
        # Within entities every word may stand.
        spans = [(parse_tags(text), text) for text in limited]
        inside = [found.text[s.start : s.end] for found, _ in spans for s in found.spans]
        assert any(not may_go_on(f"{value}.") for value in inside)
        alone = generate_texts(wild, grammar, tasks[:1], plain, known)
        assert alone == generate_texts(wild, grammar, tasks, plain, known)[:1]
        enforced = replace(plain, enforced=True)
        wanted = [replace(task, wanted=[1, 1]) for task in tasks]
        for text in generate_texts(wild, grammar, wanted, enforced, known):
            assert parse_tags(held.decode(text.ids)).well_formed == 1.0


def test_a_text_that_must_end_ends_within_a_word() -> None:
    """Nothing is left but the end of the text: it comes, whatever the word is."""
    held = VOCABULARIES["bytes"]
    grammar = Grammar(held, TagTokens(PAIRS, (6, 5), ("<PAR>",), HIDDEN))
    known = KnownWords(held, ["abcdefghijklmnopqrstuvwxyz" * 3])
    shape = {"kind": "lstm", "vocabulary": held.size, "width": 16, "layers": 1, "dropout": 0.0}
    torch.manual_seed(3)
    wild = build(shape).eval()
    decoding = Decoding(min_length=0, max_length=20, enforced=False, rounded=False)
    opening = held.encode("abcdefgh")
    made = generate_texts(
        wild, grammar, [DecodingTask(held.encode(ASKED), opening)], decoding, known
    )
    assert held.decode(made[0].ids).startswith("abcdefghij")
    assert len(made[0].ids) == 20
    assert held.mark(END) not in made[0].ids


def test_a_vocabulary_of_whole_words_is_refused() -> None:
    with pytest.raises(ConfigError, match="--known-words"):
        KnownWords(vocabulary(), WORDS)
