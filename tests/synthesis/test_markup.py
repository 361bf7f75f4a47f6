import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.language.corpus.vocabulary import BytePairVocabulary
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.span import Span
from synthesis.markup import decode, encode, end_tag, start_tag, tags_of
from synthesis.note_requests import marks_of
from synthesis.tag_repair import parse_tags
from tests.synthesis.letters import letters

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "meddocan" / "train.jsonl"
LABELS = ("NAME", "DATE", "x.y-z", "A_START")
PIECES = st.sampled_from(
    [
        "a",
        "Ana ",
        "<",
        ">",
        "\n",
        "<PAR>",
        "<LT>",
        "<NAME_START>",
        "<NAME_END>",
        "\r\n",
        "é",
        " ",
        "5<6",
    ]
)


@st.composite
def notes(draw: st.DrawFn) -> Annotated:
    """Notes made of what looks like marks, with spans that may touch each other and breaks."""
    parts = draw(st.lists(PIECES, min_size=1, max_size=12))
    text, spans = "", []
    for part in parts:
        if draw(st.booleans()):
            spans.append(Span(len(text), len(text) + len(part), draw(st.sampled_from(LABELS))))
        text += part
    return Annotated(Document("1", text), tuple(spans))


@settings(max_examples=300)
@given(notes())
def test_a_note_comes_back_as_it_was(note: Annotated) -> None:
    marked = encode(note)
    assert decode(marked) == (
        note.document.text,
        tuple(sorted(Span(s.start, s.end, s.label) for s in note.spans)),
    )
    text, spans = decode(marked)
    assert encode(Annotated(Document("1", text), spans)) == marked
    assert "\n" not in marked


@pytest.mark.parametrize("spans", [[(0, 5), (2, 3)], [(0, 3), (2, 5)], [(0, 3), (0, 3)]])
def test_nested_and_crossing_spans_raise(spans: list[tuple[int, int]]) -> None:
    note = Annotated(Document("1", "abcdef"), tuple(Span(a, b, "NAME") for a, b in spans))
    with pytest.raises(Unreadable, match="nested-spans"):
        encode(note)


@pytest.mark.parametrize(
    "marked",
    [
        "<NAME_START>a", "a<NAME_END>", "<NAME_START><NAME_END>", "<NAME_START>a<DATE_END>",
        "<NAME_START>a<DATE_START>b<DATE_END><NAME_END>",
    ],
)  # fmt: skip
def test_malformed_tags_raise(marked: str) -> None:
    with pytest.raises(Unreadable, match="malformed-tags"):
        decode(marked)


def test_a_label_that_cannot_be_a_tag_is_refused() -> None:
    with pytest.raises(ConfigError, match="labels"):
        tags_of(["A LABEL"])
    assert tags_of(["B", "A", "A"]) == [start_tag("A"), end_tag("A"), start_tag("B"), end_tag("B")]


def test_no_tag_is_ever_split() -> None:
    found = letters(30)
    marks = marks_of(["NAME", "DATE", "CITY"], [])
    texts = [encode(note) for note in found]
    vocabulary = BytePairVocabulary.learn(marks, texts, size=500)
    for text in texts:
        ids = vocabulary.encode(text)
        tags = [vocabulary.marks[n] for n in ids if n < len(marks)]
        assert sum(tag.endswith("_START>") for tag in tags) == text.count("_START>")
        assert vocabulary.decode(ids) == text


@pytest.mark.skipif(
    not CORPUS.is_file(), reason="MEDDOCAN is not there: it lies beside the checkout"
)
def test_a_real_corpus_comes_back() -> None:
    for line in CORPUS.read_text().splitlines()[::10]:
        record = json.loads(line)
        spans = tuple(sorted(Span(s["start"], s["end"], s["label"]) for s in record["spans"]))
        note = Annotated(Document("1", record["text"]), spans)
        assert decode(encode(note)) == (record["text"], spans)


# Clean-up


@pytest.mark.parametrize(
    ("marked", "text", "spans"),
    [
        ("a <NAME_START>Ana<NAME_END>", "a Ana", [(2, 5, "NAME")]),
        ("a <NAME_START>Ana", "a Ana", []),
        ("Ana<NAME_END> b", "Ana b", []),
        ("a<NAME_START><NAME_END>b", "ab", []),
        ("<NAME_START>...<NAME_END>", "...", []),
        ("<NAME_START>a<DATE_END>b", "ab", []),
        ("<NAME_START>a<DATE_START>b<NAME_END>c<DATE_END>", "abc", []),
        ("<NAME_START>a<DATE_START>b<DATE_END>c<NAME_END>", "abc", [(1, 2, "DATE")]),
        ("<NAME_START>a<PAR>b<NAME_END><PAR>c", "a b\nc", [(0, 3, "NAME")]),
        ("5 <LT>6> <UNK>", "5 <6> \ufffd", []),
    ],
)
def test_what_a_model_wrote_is_read(
    marked: str, text: str, spans: list[tuple[int, int, str]]
) -> None:
    found = parse_tags(marked)
    assert found.text == text
    assert [(s.start, s.end, s.label) for s in found.spans] == spans


def test_random_tags_always_give_valid_spans() -> None:
    chance = Random(1)
    parts = [*tags_of(["A", "B", "C"]), "x", "y z", ",", "<PAR>", " "]
    well_formed = 0
    for _ in range(100_000):
        marked = "".join(chance.choices(parts, k=chance.randint(0, 7)))
        found = parse_tags(marked)
        plain = marked
        for tag in parts[:6]:
            plain = plain.replace(tag, "")
        assert found.text.replace("\n", " ") == plain.replace("<PAR>", " ")
        end = 0
        for span in found.spans:
            assert end <= span.start < span.end <= len(found.text)
            end = span.end
        well_formed += bool(found.spans)
        if found.spans:  # idempotent: what was read is written and read the same
            again = parse_tags(encode(Annotated(Document("1", found.text), found.spans)))
            assert (again.text, again.spans, again.well_formed) == (found.text, found.spans, 1.0)
    assert 1_000 < well_formed < 90_000
