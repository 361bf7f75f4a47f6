"""Labelled pages: that marks say what is drawn, and that held-out layouts are new."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from itertools import combinations
from random import Random

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.errors import ConfigError
from synthesis.fictional.labelled_pages.pages import (
    HELD_OUT_LAYOUTS,
    MEDICINE,
    TRAINING_LAYOUTS,
    LabelledPdf,
    PageLayout,
    PageMark,
    broken,
    labelled_letter,
    sample_layout,
)
from synthesis.fictional.pdf_letters.drawing import measure
from synthesis.fictional.pdf_letters.layouts import LAYOUTS, SANS, LetterLayout, PrintStyle
from synthesis.fictional.pdf_letters.letterhead import LetterDirectory
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, drawable
from synthesis.fictional.pdf_letters.rendering import Composer, scan
from synthesis.fictional.people.records import Hospital

KINDS = {
    *("body", "table", "header", "footer", "margin-note", "page-number", "stamp", "signature"),
}
LANGS = ("fr", "en", "es")
SEEDS = 34
MEASURED = {"size", "leading", "small", "accent", "grey", "justified", "hyphens", "indent"}
FREE = {*MEASURED, "turned", "name", "novel", "margins"}


@cache
def _letter(seed: int, held_out: bool) -> LabelledPdf:
    return labelled_letter(seed, LANGS[seed % 3], held_out=held_out)


def _letters() -> Iterator[LabelledPdf]:
    for held_out in (False, True):
        yield from (_letter(seed, held_out) for seed in range(SEEDS))


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("\u00ad", "-")


def _marks_by_page(letter: LabelledPdf) -> dict[int, list[PageMark]]:
    pages: dict[int, list[PageMark]] = {}
    for mark in letter.marks:
        pages.setdefault(mark.page, []).append(mark)
    return pages


# Marks ------------------------------------------------------------------------------------------


def test_every_drawn_character_belongs_to_a_mark() -> None:
    for letter in _letters():
        pages = _marks_by_page(letter)
        with pymupdf.open(stream=letter.data) as document:
            assert set(pages) == set(range(len(document)))
            for number, page in enumerate(document):
                found = _squeezed(page.get_text(flags=0))
                drawn = _squeezed("".join(mark.text for mark in pages[number]))
                assert Counter(found) == Counter(drawn), letter.layout


def _characters(page: pymupdf.Page) -> Iterator[tuple[str, pymupdf.Point]]:
    for block in page.get_text("rawdict", flags=0)["blocks"]:
        for line in block["lines"]:
            for span in line["spans"]:
                for char in span["chars"]:
                    yield char["c"], pymupdf.Point(char["origin"]) * page.rotation_matrix


@pytest.mark.parametrize("held_out", [False, True])
def test_the_box_of_a_mark_holds_its_characters(held_out: bool) -> None:
    for seed in (*range(8), 28, 31):
        letter = _letter(seed, held_out)
        with pymupdf.open(stream=letter.data) as document:
            for number, marks in _marks_by_page(letter).items():
                characters = list(_characters(document[number]))
                for mark in marks:
                    x0, y0, x1, y1 = mark.box
                    inside = Counter(
                        char.replace("\u00ad", "-")
                        for char, at in characters
                        if x0 - 0.5 <= at.x <= x1 + 0.5 and y0 - 0.5 <= at.y <= y1 + 0.5
                    )
                    assert not Counter(_squeezed(mark.text)) - inside, (letter.layout, mark.kind)


def test_marks_lie_on_the_page_and_not_on_each_other() -> None:
    """Rubber stamps and labels stand askew: their boxes are larger than what they cover."""
    for letter in _letters():
        with pymupdf.open(stream=letter.data) as document:
            for number, marks in _marks_by_page(letter).items():
                width, height = document[number].rect[2:]
                for x0, y0, x1, y1 in (mark.box for mark in marks):
                    assert -0.1 <= x0 < x1 <= width + 0.1
                    assert -0.1 <= y0 < y1 <= height + 0.1
                straight = [mark for mark in marks if mark.kind != "stamp"]
                assert not any(_overlap(a, b) for a, b in combinations(straight, 2)), letter.layout


def _overlap(one: PageMark, other: PageMark) -> bool:
    across = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    down = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    height = min(mark.box[3] - mark.box[1] for mark in (one, other))
    return across > 2.0 and down > 0.4 * height


def test_all_kinds_occur_and_no_other() -> None:
    kinds = Counter(mark.kind for letter in _letters() for mark in letter.marks)
    assert set(kinds) == KINDS
    assert kinds["body"] == max(kinds.values())
    assert min(kinds.values()) > 50
    assert all(any(mark.kind == "body" for mark in letter.marks) for letter in _letters())


def test_identifiers_stand_in_their_lines_and_mostly_around_the_body() -> None:
    around = 0
    for letter in _letters():
        assert all(value in mark.text for mark in letter.marks for value in mark.identifiers)
        medicine = " ".join(mark.text for mark in letter.marks if mark.kind in MEDICINE)
        outside = letter.outside()
        assert not any(value in medicine for value in outside)
        around += len(outside)
    assert around / (2 * SEEDS) > 15
    bodies = [mark for letter in _letters() for mark in letter.marks if mark.kind == "body"]
    assert sum(bool(mark.identifiers) for mark in bodies) > 500


def test_texts_are_not_shown() -> None:
    letter = _letter(3, False)
    shown = repr(letter)
    assert not any(value in shown for value in letter.outside())


def test_bodies_are_short_and_long() -> None:
    lines = [sum(mark.kind == "body" for mark in letter.marks) for letter in _letters()]
    pages = [max(mark.page for mark in letter.marks) + 1 for letter in _letters()]
    assert min(lines) <= 5
    assert max(lines) > 70
    assert 1 in pages
    assert max(pages) >= 3


def test_both_hyphens_end_lines() -> None:
    ends = Counter(
        mark.text[-1] for letter in _letters() for mark in letter.marks if mark.kind == "body"
    )
    assert ends["-"] > 5
    assert ends["\u00ad"] > 5


def test_print_runs_up_and_down_the_edges() -> None:
    notes = [m for letter in _letters() for m in letter.marks if m.kind == "margin-note"]
    upright = [m for m in notes if m.box[3] - m.box[1] > 3 * (m.box[2] - m.box[0])]
    assert len(upright) > 20


def test_turned_pages_are_shown_upright() -> None:
    turned = [s for s in range(SEEDS) if sample_layout(s, held_out=True).turned]
    assert turned
    for seed in turned:
        with pymupdf.open(stream=_letter(seed, True).data) as document:
            assert document[0].rotation == 90
            paper = sample_layout(seed, held_out=True).paper
            assert document[0].rect[2:] == pytest.approx(paper, abs=0.1)


# Layouts ----------------------------------------------------------------------------------------


def test_there_are_enough_layouts_and_all_differ() -> None:
    for layouts, least in ((TRAINING_LAYOUTS, 200), (HELD_OUT_LAYOUTS, 60)):
        arrangements = {layout.name.split(":")[1] for layout in layouts}
        assert len(arrangements) == len(layouts) >= least
    assert len({layout.novel for layout in HELD_OUT_LAYOUTS}) > 60


def _value(layout: PageLayout, field: str) -> object:
    return getattr(layout, field)


def test_what_is_novel_occurs_in_no_training_layout() -> None:
    names = [field.name for field in fields(PageLayout) if field.name not in FREE]
    known = {name: {_value(layout, name) for layout in TRAINING_LAYOUTS} for name in names}
    for layout in HELD_OUT_LAYOUTS:
        assert len(layout.novel) == 4
        for name in set(layout.novel) & set(names):
            assert _value(layout, name) not in known[name], (layout.name, name)


def test_every_field_is_novel_somewhere_and_bodies_are_shifted() -> None:
    novel = {name for layout in HELD_OUT_LAYOUTS[:40] for name in layout.novel}
    assert novel == {field.name for field in fields(PageLayout)} - (FREE - {"margins"})
    assert sum(layout.shifted for layout in HELD_OUT_LAYOUTS[:40]) >= 10
    assert not any(layout.shifted for layout in TRAINING_LAYOUTS)


def test_a_letter_is_a_function_of_its_arguments() -> None:
    for held_out in (False, True):
        assert labelled_letter(5, "es", held_out=held_out) == labelled_letter(
            5, "es", held_out=held_out
        )
    letters = {labelled_letter(5, lang, held_out=h).data for lang in LANGS for h in (True, False)}
    assert len(letters) == 6
    assert _letter(4, True).layout == HELD_OUT_LAYOUTS[4].name


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ConfigError):
        labelled_letter(1, "xx")


# Setting ----------------------------------------------------------------------------------------


@given(
    st.lists(st.text("abeiorsthé", min_size=1, max_size=14), min_size=1, max_size=30),
    st.sampled_from(["", "hard", "soft"]),
    st.floats(60.0, 300.0),
)
@settings(max_examples=150)
def test_broken_lines_say_what_the_paragraph_says(
    words: list[str], hyphens: str, width: float
) -> None:
    face = PrintStyle(SANS.plain, 10.0, 12.0)
    parts = list(broken(MarkedLine(" ".join(words)), width, face, (0.0, hyphens)))
    text = "".join(part.text.rstrip("-\u00ad") for part in parts)
    assert _squeezed(text) == _squeezed(" ".join(words))
    assert all(measure(face)(part.text) <= width + 0.01 for part in parts)
    assert hyphens or not any(part.text.endswith(("-", "\u00ad")) for part in parts)


# Letters of the fictional hospital ----------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_what_surrounds_a_rendered_note_is_not_called_body(
    small_hospital: Callable[..., Hospital], layout: LetterLayout
) -> None:
    hospital = small_hospital(repeats=9)
    note = next(iter(hospital.notes()))
    letter = LetterDirectory(hospital).letter(note, seed=1)
    sheets = Composer(letter, layout, Random(1)).sheets()
    said = _squeezed(drawable(note.annotated.document.text))
    title = _squeezed(note.title)
    for sheet in sheets:
        kinds = Counter(placed.kind for placed in sheet.placed)
        assert kinds["page-number"] == 1
        assert kinds["footer"] >= 2
        for placed in sheet.placed:
            row = _squeezed(placed.line.text)
            assert placed.kind != "body" or row in said or row in title
    assert sum(placed.kind == "signature" for placed in sheets[-1].placed) >= 1


def test_a_scan_has_the_resolution_that_was_asked_for() -> None:
    printed = _letter(2, False).data
    with pymupdf.open(stream=printed) as document:
        width = document[0].rect.width
    for dpi in (150, 200, 300):
        data = scan(printed, seed=1, dpi=dpi)
        with pymupdf.open(stream=data) as document:
            ((_, _, pixels, *_),) = document[0].get_images()
            assert pixels == pytest.approx(width * dpi / 72, rel=0.03)
            assert len(data) / len(document) < 900_000
