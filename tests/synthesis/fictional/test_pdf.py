"""Printed notes: what is drawn, what the truth says of it, what a PDF reader finds."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Annotated, Document
from record.span import Span
from synthesis.fictional.pdf_letters.drawing import draw_pdf, to_transcript
from synthesis.fictional.pdf_letters.layouts import LAYOUTS, LetterLayout, choose
from synthesis.fictional.pdf_letters.letterhead import LetterDirectory
from synthesis.fictional.pdf_letters.marked_lines import (
    Mark,
    MarkedLine,
    Transcript,
    drawable,
    line,
    paragraphs,
    wrap,
)
from synthesis.fictional.pdf_letters.rendering import Composer, render
from synthesis.fictional.people.records import FictionalNote, Hospital

Build = Callable[..., Hospital]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _extracted(data: bytes) -> str:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return "".join(page.get_text() for page in document)


def _values(annotated: Annotated) -> list[tuple[str, str]]:
    text = annotated.document.text
    return [(str(span.label), text[span.start : span.end]) for span in annotated.spans]


def _first(hospital: Hospital) -> FictionalNote:
    return next(iter(hospital.notes()))


def _drawn(
    note: FictionalNote, hospital: Hospital, layout: LetterLayout
) -> tuple[bytes, Annotated]:
    composer = Composer(LetterDirectory(hospital).letter(note, seed=1), layout, Random(1))
    sheets = composer.sheets()
    data = draw_pdf(sheets, composer.size, about={})
    return data, to_transcript(sheets).annotated(note.annotated.document)


# Every layout -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["fr", "en", "es", "de", "nl"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("repeats", [1, 14], ids=["short", "long"])
def test_a_reader_finds_exactly_what_the_truth_says(
    small_hospital: Build, lang: str, layout: LetterLayout, repeats: int
) -> None:
    hospital = small_hospital(lang, repeats=repeats)
    data, annotated = _drawn(_first(hospital), hospital, layout)
    assert _squeezed(annotated.document.text) == _squeezed(_extracted(data))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_nothing_is_drawn_outside_the_page(small_hospital: Build, layout: LetterLayout) -> None:
    hospital = small_hospital(repeats=14)
    data, _ = _drawn(_first(hospital), hospital, layout)
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            for x0, y0, x1, y1, *_ in page.get_text("words"):
                assert 0 <= x0 < x1 <= page.rect.width
                assert 0 <= y0 < y1 <= page.rect.height


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("repeats", [1, 14], ids=["short", "long"])
def test_the_body_keeps_every_identifier(
    small_hospital: Build, layout: LetterLayout, repeats: int
) -> None:
    """Joined again, what is labelled in the body is labelled, in order, on the pages."""
    hospital = small_hospital(repeats=repeats)
    note = _first(hospital)
    printed = [
        (label, _squeezed(value)) for label, value in _values(_drawn(note, hospital, layout)[1])
    ]
    position = 0
    for label, value in _values(note.annotated):
        rest = _squeezed(drawable(value))
        while rest:
            here = printed[position]
            position += 1
            if here[0] == label and rest.startswith(here[1]):
                rest = rest[len(here[1]) :]  # runs out of what is printed where one is missing


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_known_value_is_left_unlabelled(small_hospital: Build, layout: LetterLayout) -> None:
    hospital = small_hospital(repeats=3)
    note = _first(hospital)
    text = _drawn(note, hospital, layout)[1]
    covered = bytearray(len(text.document.text))
    for span in text.spans:
        covered[span.start : span.end] = b"x" * (span.end - span.start)
    patient, site = hospital.patients[note.person_id], hospital.care_sites[0]
    known = [i.value for i in patient.identifiers] + list(patient.family_names)
    known += [site.name, site.phone, site.fax, site.url, site.address.street, "03/02/1950"]
    known += [c.email for c in hospital.clinicians] + [c.phone for c in hospital.clinicians]
    known += [c.provider_number for c in hospital.clinicians] + ["Hélène", "BŒUF", "MÜLLER"]
    for value in known:
        start = text.document.text.find(value)
        while start >= 0:
            assert all(covered[start : start + len(value)]), value
            start = text.document.text.find(value, start + 1)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_spans_are_sorted_disjoint_and_without_blank_ends(
    small_hospital: Build, layout: LetterLayout
) -> None:
    hospital = small_hospital(repeats=14)
    annotated = _drawn(_first(hospital), hospital, layout)[1]
    end = 0
    for span, (_, value) in zip(annotated.spans, _values(annotated), strict=True):
        assert span.start >= end
        assert value == value.strip()
        end = span.end


def test_a_patient_of_whom_little_is_known(small_hospital: Build) -> None:
    hospital = small_hospital(notes=2, renderings=("pdf",))
    _, note = hospital.notes()
    assert note.person_id == 102
    for layout in LAYOUTS:
        data, annotated = _drawn(note, hospital, layout)
        assert _squeezed(annotated.document.text) == _squeezed(_extracted(data))
        assert ("LAST_NAME", "ÑUÑEZ") in [(label, v.upper()) for label, v in _values(annotated)]


def test_a_title_with_figures_is_not_printed(small_hospital: Build) -> None:
    hospital = small_hospital()
    note = replace(_first(hospital), title="Séjour du 28 au 2 mars")
    assert "Séjour du" not in _drawn(note, hospital, LAYOUTS[0])[1].document.text


# Rendering --------------------------------------------------------------------------------------


def test_render_is_a_function_of_note_and_seed(small_hospital: Build) -> None:
    for rendering in ("pdf", "scan"):
        hospital = small_hospital(renderings=(rendering,))
        note = _first(hospital)
        assert render(note, hospital, seed=7) == render(note, hospital, seed=7)
        assert render(note, hospital, seed=7)[0] != render(note, hospital, seed=8)[0]


def test_all_layouts_are_used() -> None:
    assert len(LAYOUTS) >= 6
    assert len({layout.name for layout in LAYOUTS}) == len(LAYOUTS)
    assert {choose(3, note_id).name for note_id in range(200)} == {lay.name for lay in LAYOUTS}


def test_the_document_keeps_what_is_known_of_the_note(small_hospital: Build) -> None:
    hospital = small_hospital(renderings=("pdf",))
    note = _first(hospital)
    document = render(note, hospital, seed=1)[1].document
    assert document == replace(note.annotated.document, text=document.text, origin="pdf")


def test_some_document_information_names_people(small_hospital: Build) -> None:
    hospital = small_hospital(renderings=("pdf",))
    about = []
    for number in range(12):
        note = replace(_first(hospital), note_id=number)
        with pymupdf.open(stream=render(note, hospital, seed=1)[0], filetype="pdf") as document:
            about.append(document.metadata)
    assert all("BŒUF" in entry["author"] for entry in about)
    named = sum("LEFÈVRE-DUPONT" in entry["title"] for entry in about)
    assert 0 < named < len(about)


def test_a_scan_is_pictures_of_the_same_pages(small_hospital: Build) -> None:
    hospital = small_hospital(renderings=("scan",), repeats=9)
    scan = _first(hospital)
    data, annotated = render(scan, hospital, seed=5)
    printed, same = render(replace(scan, rendering="pdf"), hospital, seed=5)
    assert annotated == same
    assert _extracted(data).strip() == ""
    with pymupdf.open(stream=data) as pictures, pymupdf.open(stream=printed) as pages:
        assert len(pictures) == len(pages) > 1
        for picture, page in zip(pictures, pages, strict=True):
            ((number, _, width, height, *_),) = picture.get_images()
            assert width * height > 1_500_000
            assert pictures.extract_image(number)["colorspace"] == 1
            assert pictures.extract_image(number)["ext"] == "jpeg"
            assert not picture.get_fonts()
            assert _likeness(picture, page) > 0.5
        assert "LEFÈVRE" not in str(pictures.metadata)


def _likeness(one: pymupdf.Page, other: pymupdf.Page) -> float:
    """The correlation of two pages' ink at a low resolution, where a slight turn matters little."""
    grey = [page.get_pixmap(dpi=12, colorspace=pymupdf.csGRAY) for page in (one, other)]
    flat = [np.frombuffer(pixmap.samples, np.uint8).astype(float) for pixmap in grey]
    return float(np.corrcoef(flat)[0, 1])


# Lines ------------------------------------------------------------------------------------------


def _wrapped(text: str, width: int) -> list[str]:
    return [part.text for part in wrap(MarkedLine(text), width, len)]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("un deux trois", 8, ["un deux", "trois"]),
        ("un deux trois", 13, ["un deux trois"]),
        ("un   deux", 5, ["un", "deux"]),
        ("  - tiret", 5, ["  -", "tiret"]),
        ("le Jean-Paul", 8, ["le Jean-", "Paul"]),
        ("12-03-2024 soir", 10, ["12-03-2024", "soir"]),
        ("le 12-03-2024", 8, ["le", "12-03-20", "24"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("un\u00a0an deux", 7, ["un\u00a0an", "deux"]),
        ("ab", 1, ["a", "b"]),
        ("", 5, [""]),
    ],
)
def test_wrap(text: str, width: int, expected: list[str]) -> None:
    assert _wrapped(text, width) == expected


@given(st.text("ab -é\u00a0", max_size=60), st.integers(1, 20))
def test_wrap_loses_nothing_and_fits(text: str, width: int) -> None:
    parts = _wrapped(text.rstrip(" "), width)
    assert "".join("".join(parts).split(" ")) == "".join(text.split(" "))
    assert all(len(part) <= width for part in parts)


def _in_lines(text: str, spans: list[Span], width: int) -> Annotated:
    annotated = Annotated(Document("1", text), tuple(spans))
    script = Transcript()
    for paragraph in paragraphs(annotated):
        for part in wrap(paragraph, width, len) if paragraph.text.strip() else ():
            script.write(part)
    return script.annotated(annotated.document)


def test_an_identifier_over_a_line_end_is_one_span() -> None:
    annotated = _in_lines("chez Jean-Paul\nDurand ici", [Span(5, 21, "NAME")], 11)
    assert annotated.document.text == "chez Jean-\nPaul\nDurand ici"
    assert _values(annotated) == [("NAME", "Jean-\nPaul\nDurand")]


def test_an_identifier_over_a_page_end_is_two_spans() -> None:
    script = Transcript()
    first, second = wrap(line("ici ", ("Anne Durand", "NAME")), 8, len)
    for row in (first, line("Page 1"), second.without_continuation()):
        script.write(row)
    annotated = script.annotated(Document("1", ""))
    assert _values(annotated) == [("NAME", "Anne"), ("NAME", "Durand")]


@st.composite
def _marked(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """Words and blanks, some of the words labelled, alone or several together."""
    words = st.text("abcÉ-1", min_size=1, max_size=12)
    text, spans = "", []
    for _ in range(draw(st.integers(1, 12))):
        value = draw(st.sampled_from([" ", "\n", "  "])).join(
            draw(st.lists(words, min_size=1, max_size=3))
        )
        if draw(st.booleans()):
            spans.append(Span(len(text), len(text) + len(value), draw(st.sampled_from("AB"))))
        text += value + draw(st.sampled_from([" ", "\n", "\n\n  ", ", "]))
    return text, spans


@given(_marked(), st.integers(3, 30))
@settings(max_examples=300)
def test_wrapping_keeps_every_span(marked: tuple[str, list[Span]], width: int) -> None:
    text, spans = marked
    annotated = _in_lines(text, spans, width)
    assert _squeezed(annotated.document.text) == _squeezed(text)
    expected = [(span.label, _squeezed(text[span.start : span.end])) for span in spans]
    assert [(label, _squeezed(value)) for label, value in _values(annotated)] == expected


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
def test_drawable_is_one_for_one_and_encodable(text: str) -> None:
    assert len(drawable(text)) == len(text)
    drawable(text).encode("cp1252")
    assert drawable(drawable(text)) == drawable(text)


def test_drawable_keeps_western_letters() -> None:
    letters = "àâäçéèêëîïôöùûüÿœæÀÉŒñáíóú¿¡ß’«»–—€µ°²"
    assert drawable(letters) == letters


def test_line_leaves_out_empty_values() -> None:
    assert line("Tél. : ", ("", "PHONE"), "!") == MarkedLine("Tél. : !")
    assert line("a ", ("bc", "NAME")) == MarkedLine("a bc", (Mark(2, 4, "NAME"),))
