"""Annotated files of other formats: read as written, refused with the place and without text."""

from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.files.annotation_parsing import MAX_BYTES
from pipeline.files.gold import read_annotated
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

TEXT = "Dr. Zoé Quill\n  le 3 mai 😀 à Évry."
SPANS = [(4, 7, "FIRST_NAME"), (8, 13, "LAST_NAME"), (19, 24, "DATE"), (29, 33, "CITY")]


def read(path: Path) -> tuple[list[Annotated], list[str]]:
    warnings: list[str] = []
    notes = list(read_annotated(path, warnings))
    return notes, warnings


def found(note: Annotated) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in note.spans]


def only(path: Path) -> Annotated:
    (note,), warnings = read(path)
    assert not warnings
    return note


def written(tmp_path: Path, **files: Any) -> Path:
    """Write files, dots in names as two underscores; returns their folder."""
    for name, content in files.items():
        path = tmp_path / name.replace("__", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path


def refused(path: Path, *secrets: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(path)
    said = str(caught.value)
    assert not [word for word in ("Zoé", "Quill", *secrets) if word in said]
    return said


# BRAT

MARKS = """\
T1\tFIRST_NAME 4 7\tZoé
T2\tLAST_NAME 8 13\tQuill
#1\tAnnotatorNotes T2\ta remark
T3\tDATE 19 24\t3 mai
R1\tRel Arg1:T1 Arg2:T2
A1\tUncertain T3
E1\tEvent:T3
*\tEquiv T1 T2
T4\tCITY 29 33\tÉvry
"""


def test_brat_by_hand(tmp_path: Path) -> None:
    folder = written(tmp_path, note__txt=TEXT, note__ann=MARKS)
    for path in (folder, folder / "note.ann", folder / "note.txt"):
        note = only(path)
        assert (note.document.note_id, note.document.text) == ("note", TEXT)
        assert found(note) == SPANS


def test_pieces_of_a_discontinuous_mark_become_spans(tmp_path: Path) -> None:
    marks = "T1\tNAME 0 3;4 7;8 13\tDr. Zoé Quill\r\n"
    note = only(written(tmp_path, n__txt=TEXT, n__ann=marks))
    assert found(note) == [(0, 3, "NAME"), (4, 7, "NAME"), (8, 13, "NAME")]


def test_a_mark_over_a_line_break_is_the_text_with_a_blank(tmp_path: Path) -> None:
    note = only(written(tmp_path, n__txt="rue\r\nNoire", n__ann="T1\tSTREET 0 10\true  Noire\n"))
    assert found(note) == [(0, 10, "STREET")]


def test_a_folder_of_brat_holds_folders(tmp_path: Path) -> None:
    (tmp_path / "ward").mkdir()
    written(tmp_path, b__txt="b", b__ann="", lone__txt="x")
    written(tmp_path / "ward", a__txt=TEXT, a__ann=MARKS)
    (tmp_path / "._b.ann").write_bytes(b"\x00\x05\x16\x07\xff")
    notes, warnings = read(tmp_path)
    assert [note.document.note_id for note in notes] == ["b", "ward/a"]
    assert ["1 texts without an .ann file" in warning for warning in warnings] == [True]


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("T1\tNAME 4\tZoé", "line 2: invalid text-bound annotation"),
        ("T1 NAME 4 7 Zoé", "line 2: invalid text-bound annotation"),
        ("T1\tNAME 4 7", "line 2: invalid text-bound annotation"),
        ("T1\tNAME 7 4\tZoé", "line 2: offsets 7 to 4 are outside"),
        ("T1\tNAME 4 400\tZoé", "line 2: offsets 4 to 400 are outside the text of 34 characters"),
        ("T1\tNAME 5 8\tZoé", "line 2: the text at the offsets differs"),
    ],
)
def test_broken_marks_are_named_by_line(tmp_path: Path, mark: str, said: str) -> None:
    folder = written(tmp_path, n__txt=TEXT, n__ann=f"#1\tNote\n{mark}\n")
    assert f"n.ann, {said}" in refused(folder)


def test_a_mark_without_its_text_and_other_bytes(tmp_path: Path) -> None:
    folder = written(tmp_path, n__ann=MARKS)
    assert "n.txt: no such file" in refused(folder)
    written(tmp_path, n__txt="a\nZo\xe9".encode("latin-1"))
    assert "n.txt, line 2: not valid UTF-8" in refused(folder)


# i2b2

XML = """<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[{text}]]></TEXT>
<TAGS>
{tags}
</TAGS>
</deIdi2b2>
"""


def tag(start: int | str, end: int, text: str, label: str = "PATIENT") -> str:
    return (
        f'<NAME id="P0" start="{start}" end="{end}" text={quoteattr(text)} TYPE="{label}" '
        'comment="" />'
    )


def test_i2b2_by_hand(tmp_path: Path) -> None:
    tags = [
        tag(4, 7, "Zoé"),
        '<DATE id="P1" start="19" end="24" text="3 mai" comment=""/>',
        '<LOCATION id="P2" start="29" end="33" TYPE="CITY"/>',
    ]
    folder = written(tmp_path, a__xml=XML.format(text=TEXT, tags="\n".join(tags)))
    for path in (folder, folder / "a.xml"):
        note = only(path)
        assert (note.document.note_id, note.document.text) == ("a", TEXT)
        assert found(note) == [(4, 7, "PATIENT"), (19, 24, "DATE"), (29, 33, "CITY")]


def test_leading_lines_of_the_text_count(tmp_path: Path) -> None:
    content = XML.format(text="\n\n" + TEXT, tags=tag(6, 9, "Zoé"))
    assert found(only(written(tmp_path, a__xml=content) / "a.xml")) == [(6, 9, "PATIENT")]


BOMB = '<!DOCTYPE a [<!ENTITY b "Expanded"><!ENTITY c "&b;&b;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (XML.format(text=TEXT, tags=tag(5, 8, "Zoé")), "tag 1: the text at the offsets"),
        (XML.format(text=TEXT, tags=tag(4, 99, "Zoé")), "tag 1: offsets 4 to 99"),
        (XML.format(text=TEXT, tags=tag("x", 7, "Zoé")), "tag 1: start and end must be integers"),
        (
            XML.format(text=TEXT, tags=tag("9" * 5000, 7, "Zoé")),
            "tag 1: start and end must be integers",
        ),
        (XML.format(text=TEXT, tags="<NAME/>"), "tag 1: start and end must be integers"),
        (XML.format(text=TEXT, tags="<NAME"), "not valid XML"),
        ("<root><RECORD>Quill</RECORD></root>", "must have a TEXT element"),
        ('<root><TEXT>Dr <PHI TYPE="D">Quill</PHI></TEXT></root>', "must have a TEXT element"),
        (BOMB + "<a><TEXT>&c;</TEXT></a>", "without a document type"),
        ('<!DOCTYPE a SYSTEM "http://example.org/x.dtd"><a/>', "without a document type"),
        ("<a>" * 5000, "not valid XML"),
    ],
)
def test_broken_xml_is_refused(tmp_path: Path, content: str, said: str) -> None:
    assert said in refused(written(tmp_path, a__xml=content) / "a.xml", "Expanded")


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # a hole: no disk is written
    assert "a.xml: larger than" in refused(path)


# CoNLL

COLUMNS = """\
-DOCSTART- -X- O O

Dr. NN O
Zoé NNP B-FIRST_NAME
Quill NNP B-LAST_NAME

# a remark
le DT O
3 CD B-DATE
mai NN I-DATE

"""


def test_conll_by_hand(tmp_path: Path) -> None:
    note = only(written(tmp_path, a__conll=COLUMNS) / "a.conll")
    assert (note.document.note_id, note.document.text) == ("a", "Dr. Zoé Quill\nle 3 mai")
    assert found(note) == [(4, 7, "FIRST_NAME"), (8, 13, "LAST_NAME"), (17, 22, "DATE")]


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-A I-A O B-A", [(0, 3), (6, 7)]),
        ("B-A B-A I-A O", [(0, 1), (2, 5)]),  # IOB2
        ("I-A I-A B-A O", [(0, 3), (4, 5)]),  # IOB1
        ("B-A I-A E-A S-A", [(0, 5), (6, 7)]),
        ("B-A I-A L-A U-A", [(0, 5), (6, 7)]),
        ("S-A I-A O E-A", [(0, 1), (2, 3), (6, 7)]),  # not well-formed: nothing gets lost
        ("B-A E-A E-A I-A", [(0, 3), (4, 5), (6, 7)]),
    ],
)
def test_every_scheme(tmp_path: Path, tags: str, spans: list[tuple[int, int]]) -> None:
    lines = "".join(f"{token}\t{tag}\n" for token, tag in zip("wxyz", tags.split(), strict=True))
    note = only(written(tmp_path, a__bio=lines) / "a.bio")
    assert note.document.text == "w x y z"
    assert [(span.start, span.end) for span in note.spans] == spans


def test_a_change_of_label_or_of_sentence_begins_a_span(tmp_path: Path) -> None:
    note = only(written(tmp_path, a__tsv="a\tB-X-Y\nb\tI-Z\n\nc\tI-Z\n") / "a.tsv")
    assert found(note) == [(0, 1, "X-Y"), (2, 3, "Z"), (4, 5, "Z")]


def test_notes_are_named_or_numbered(tmp_path: Path) -> None:
    named = "\ufeff# note_id = n 1\na\tO\n# newdoc id = n2\r\nb\tO\r\n#\tO\n"
    notes, _ = read(written(tmp_path, a__conll=named) / "a.conll")
    assert [(n.document.note_id, n.document.text) for n in notes] == [("n 1", "a"), ("n2", "b #")]
    numbered = "-DOCSTART- O\n\na O\n\n-DOCSTART- O\n\nb O\n"
    notes, _ = read(written(tmp_path, b__conll=numbered) / "b.conll")
    assert [note.document.note_id for note in notes] == ["b-1", "b-2"]


@pytest.mark.parametrize("line", ["Quill", "Quill\tNNP", "Quill\tB-", "\tO", "Quill\tX-NAME"])
def test_lines_without_a_tag_are_named(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, a__conll=f"a\tO\n{line}\n") / "a.conll"
    assert "a.conll, line 2: not a token with a tag" in refused(path)


# Which format


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"note_id": "1", "text": "a b"}\n', "a b"),
        (XML.format(text="a b", tags=""), "a b"),
        ("a\tO\nb\tB-X\n", "a b"),
    ],
)
def test_content_tells_the_format_where_the_ending_does_not(
    tmp_path: Path, content: str, text: str
) -> None:
    (tmp_path / "gold").write_text(content)
    assert only(tmp_path / "gold").document.text == text


def test_a_folder_holds_one_format(tmp_path: Path) -> None:
    assert "contains no .ann or .xml" in refused(tmp_path)
    written(tmp_path, a__ann="", a__xml="<a/>")
    assert "contains both" in refused(tmp_path)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for name in ("a.xml", "a.ann", "a.conll", "a.jsonl", "a"):
        assert "no such file" in refused(tmp_path / name)


# Written and read again

LABELS = st.sampled_from(["LAST_NAME", "DATE", "X-Y"])
# What no file in UTF-8 or XML can hold is left out, and the line ends that XML joins.
CHARS = st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn"])
TEXTS = st.text(st.one_of(CHARS, st.sampled_from(" \n.aé😀")), min_size=1, max_size=40)


@st.composite
def annotated(draw: st.DrawFn) -> Annotated:
    text = draw(TEXTS)
    spans = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text) - 1))
        spans.append(Span(start, draw(st.integers(start + 1, len(text))), draw(LABELS)))
    return Annotated(Document("n", text), tuple(dict.fromkeys(spans)))


def as_brat(note: Annotated) -> str:
    lines = []
    for number, span in enumerate(note.spans):
        words = " ".join(note.document.text[span.start : span.end].split())
        lines.append(f"T{number}\t{span.label} {span.start} {span.end}\t{words}\n")
    return "".join(lines)


def as_xml(note: Annotated) -> str:
    text = note.document.text
    tags = [tag(s.start, s.end, text[s.start : s.end], s.label) for s in note.spans]
    return XML.format(text=text.replace("]]>", "]]]]><![CDATA[>"), tags="\n".join(tags))


several = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@several
@given(annotated())
def test_brat_gives_back_what_was_written(tmp_path: Path, note: Annotated) -> None:
    folder = written(tmp_path, n__txt=note.document.text, n__ann=as_brat(note))
    assert only(folder) == note


@several
@given(annotated())
def test_i2b2_gives_back_what_was_written(tmp_path: Path, note: Annotated) -> None:
    path = written(tmp_path, n__xml=as_xml(note)) / "n.xml"
    assert only(path) == note


WORDS = st.text("ab.é#", min_size=1, max_size=4)


@st.composite
def tagged(draw: st.DrawFn) -> list[list[tuple[list[str], str | None]]]:
    """Sentences of runs: words under one label, or under none."""
    runs = st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.one_of(st.none(), LABELS))
    return draw(st.lists(st.lists(runs, min_size=1, max_size=4), min_size=1, max_size=3))


def tags(size: int, label: str | None, scheme: str) -> list[str]:
    if label is None:
        return ["O"] * size
    single, last = {"BIO": ("B", "I"), "BIOES": ("S", "E"), "BILOU": ("U", "L")}[scheme]
    if size == 1:
        return [f"{single}-{label}"]
    return [f"B-{label}", *[f"I-{label}"] * (size - 2), f"{last}-{label}"]


@several
@given(tagged(), st.sampled_from(["BIO", "BIOES", "BILOU"]), st.sampled_from("\t "))
def test_conll_gives_back_what_was_written(
    tmp_path: Path, sentences: list[list[tuple[list[str], str | None]]], scheme: str, blank: str
) -> None:
    lines, texts, spans, at = ["# note_id = n"], [], [], 0
    for sentence in sentences:
        words: list[str] = []
        for run, label in sentence:
            if label:
                start = at + len(" ".join(words)) + bool(words)
                spans.append((start, start + len(" ".join(run)), label))
            words += run
            lines += map(blank.join, zip(run, tags(len(run), label, scheme), strict=True))
        texts.append(" ".join(words))
        at += len(texts[-1]) + 1
        lines.append("")
    note = only(written(tmp_path, n__conll="\n".join(lines)) / "n.conll")
    assert note.document.text == "\n".join(texts)
    assert found(note) == spans
