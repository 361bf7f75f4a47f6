"""Notes as sentences of small tokens: where they are cut, and what class of case a token has."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.private.sentences import LONGEST, PHI, Sentence, fine_tokens, sentences
from models.tagger.encoders.bilstm import CASES, case_class
from record.span import Span

MEDDOCAN = Path(__file__).parents[4] / "shared/corpora/meddocan"

CUTS = [
    ("25yo", "25|yo"),
    ("25 yo.", "25|yo|."),
    ("12nov2021", "12|nov|2021"),
    ("12.5 mg", "12|.|5|mg"),
    ("12.03.2021", "12|.|03|.|2021"),
    ("1,500", "1|,|500"),
    ("12/03/46", "12|/|03|/|46"),
    ("2021-03-12", "2021|-|03|-|12"),
    ("tom/smith", "tom|/|smith"),
    ("O'Brien", "O|'|Brien"),
    ("Jean-Luc", "Jean|-|Luc"),
    ("J.R.Smith", "J|.|R|.|Smith"),
    ("Dr. Smith", "Dr|.|Smith"),
    ("Mme. Dupont", "Mme|.|Dupont"),
    ("smithSURGEON", "smith|SURGEON"),
    ("JamesSmith", "James|Smith"),
    ("McDonald", "McDonald"),
    ("DUPONTJean", "DUPONT|Jean"),
    ("a.b@c-d.es", "a|.|b|@|c|-|d|.|es"),
    ("+34 91 555", "+|34|91|555"),
    ("(91)555-12", "(|91|)|555|-|12"),
    ("NºCol:28", "Nº|Col|:|28"),
    ("CP:28016.", "CP|:|28016|."),
    ("5mL", "5|mL"),
    ("120mmHg", "120|mmHg"),
    ("ACR5", "ACR|5"),
    ("user_name", "user|_|name"),
    ("50%", "50|%"),
    ("¿Edad?", "¿|Edad|?"),
    ("José García", "José|García"),
    ("«Œuvre»", "«|Œuvre|»"),
    ("a\nb", "a|b"),
]

CASED = [
    ("28016", "numeric"),
    ("28º", "mainly numeric"),
    ("2b", "has digit"),
    ("paciente", "lower"),
    ("MADRID", "upper"),
    ("J", "upper"),
    ("Madrid", "initial upper"),
    ("Œuvre", "initial upper"),
    ("McDonald", "initial upper"),
    ("2", "numeric"),
    ("mmHg", "other"),
    (".", "other"),
]

SPLITS = [
    ("He came. She left.", ["He came .", "She left ."]),
    ("Vu le 11 oct. 2024 ici.", ["Vu le 11 oct . 2024 ici ."]),
    ("He has a cat. 2 dogs.", ["He has a cat .", "2 dogs ."]),
    ("Seen by Dr. Smith. Home.", ["Seen by Dr . Smith .", "Home ."]),
    ("J. Smith came. x", ["J . Smith came . x"]),
    ("Name: X\nAge: 5", ["Name : X Age : 5"]),
    ("Name: X.\nage: 5", ["Name : X . age : 5"]),
    ("One\n\ntwo", ["One two"]),
    ("One\n\n\ntwo", ["One", "two"]),
    ("Plan\n- rest\n- tea", ["Plan", "- rest", "- tea"]),
    ("Plan\n1. rest\n2) tea", ["Plan", "1 . rest", "2 ) tea"]),
    ("Plan:\n  • rest", ["Plan :", "• rest"]),
    ("Fever 38.5 today", ["Fever 38 . 5 today"]),
    ("Ok? Yes! No…", ["Ok ?", "Yes !", "No …"]),
    ("", []),
    (" \n\n ", []),
]


@pytest.mark.parametrize(("text", "expected"), CUTS)
def test_tokens_are_small(text: str, expected: str) -> None:
    assert "|".join(text[start:end] for start, end in fine_tokens(text)) == expected


@pytest.mark.parametrize(("token", "case"), CASED)
def test_case_has_seven_classes(token: str, case: str) -> None:
    assert case_class(token) == case


def test_sentences_know_the_case_of_tokens() -> None:
    (found,) = sentences("Edad: 70 AÑOS")
    assert [CASES[place] for place in found.casing] == [
        "initial upper",
        "other",
        "numeric",
        "upper",
    ]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_sentences_end(text: str, expected: list[str]) -> None:
    assert [" ".join(sentence.tokens) for sentence in sentences(text)] == expected


@settings(max_examples=60)
@given(st.text(alphabet="aB1é. ,\n\r-/_'²\u0301", max_size=60))
def test_everything_but_white_space_is_in_one_token(text: str) -> None:
    found = sentences(text)
    assert all(len(sentence) for sentence in found)
    offsets = [pair for sentence in found for pair in sentence.offsets]
    assert offsets == sorted(offsets)
    assert all(end <= start for (_, end), (start, _) in pairwise(offsets))
    inside = {place for start, end in offsets for place in range(start, end)}
    assert {at for at, char in enumerate(text) if not char.isspace()} == inside
    tokens = [token for sentence in found for token in sentence.tokens]
    assert tokens == [text[start:end] for start, end in offsets]


def test_spans_become_tokens() -> None:
    text = "Dr. Ana Ruiz. Madrid."
    found = sentences(text, [Span(4, 12, "NAME"), Span(14, 20, "CITY"), Span(8, 12, "OTHER")])
    assert [sentence.spans for sentence in found] == [((2, 4, "NAME"),), ((0, 1, "CITY"),)]
    assert found[0].labels == ("", "", "NAME", "NAME", "")
    assert found[0].phi == (False, False, True, True, False)
    assert found[0].binary().spans == ((2, 4, PHI),)


def test_a_span_over_the_end_of_a_sentence_is_in_both() -> None:
    found = sentences("Calle Mayor. 3 izq", [Span(0, 14, "STREET")])
    assert [sentence.spans for sentence in found] == [((0, 3, "STREET"),), ((0, 1, "STREET"),)]


def test_no_sentence_is_endless() -> None:
    found = sentences("word " * (2 * LONGEST + 1))
    assert [len(sentence) for sentence in found] == [LONGEST, LONGEST, 1]


def test_a_sentence_shows_no_text() -> None:
    found = sentences("Zorblax 19", [Span(0, 7, "NAME")])
    assert "Zorblax" not in repr(found)
    assert "offsets" not in repr(found)
    assert isinstance(found[0], Sentence)


@pytest.mark.skipif(not MEDDOCAN.exists(), reason="the public corpus is not here")
def test_spans_of_a_public_corpus_are_on_boundaries() -> None:
    known: set[str] = set()
    words: set[str] = set()
    right = spans = new_tokens = new_words = tokens = pieces = 0
    with (MEDDOCAN / "dev.jsonl").open() as lines:
        for number, line in zip(range(80), lines, strict=False):
            note = json.loads(line)
            held = sentences(note["text"])
            edges = {place for one in held for pair in one.offsets for place in pair}
            spans += len(note["spans"])
            right += sum(span["start"] in edges and span["end"] in edges for span in note["spans"])
            small = [token for one in held for token in one.tokens]
            plain = note["text"].split()
            if number >= 60:
                new_tokens += sum(token not in known for token in small)
                new_words += sum(word not in words for word in plain)
                tokens, pieces = tokens + len(small), pieces + len(plain)
            known.update(small)
            words.update(plain)
    assert right >= 0.995 * spans
    assert new_tokens / tokens < 0.7 * new_words / pieces
