"""Labelled pages of fictional letters: rendered, extracted, and matched to their marks."""

from collections.abc import Iterator, Sequence

from extractors.document.limits import Limits
from extractors.document.lines import Box, Line
from extractors.document.page import LineClass, Page
from extractors.layout.labelled_pages import LabelledPage
from extractors.pdf.mupdf_reader import read_pages
from synthesis.fictional.labelled_pages.pages import LabelledPdf, PageMark, labelled_letter

LANGUAGES = ("en", "es", "fr")


def render_letters(
    seeds: Sequence[int], *, held_out: bool
) -> Iterator[tuple[LabelledPdf, list[LabelledPage]]]:
    """Render the letters of these seeds, in one language after the other, and read them."""
    for seed in seeds:
        letter = labelled_letter(seed, LANGUAGES[seed % len(LANGUAGES)], held_out=held_out)
        yield letter, label_pages(letter, f"{'held-out' if held_out else 'training'}-{seed}")


def label_pages(letter: LabelledPdf, name: str) -> list[LabelledPage]:
    """Return the lines that the extractor reads the class of the mark that they cover most."""
    pages = read_pages(letter.data, Limits()).pages
    marks: list[list[PageMark]] = [[] for _ in pages]
    for mark in letter.marks:
        marks[mark.page].append(mark)
    return [_labelled(page, marks[page.number], name) for page in pages]


def _labelled(page: Page, marks: Sequence[PageMark], name: str) -> LabelledPage:
    pairs = [(line, _kind(line, marks)) for line in page.lines]
    known = [(line, kind) for line, kind in pairs if kind is not None]
    page = Page(page.number, page.width, page.height, tuple(line for line, _ in known))
    return LabelledPage(name, page, tuple(kind for _, kind in known))


def _kind(line: Line, marks: Sequence[PageMark]) -> LineClass | None:
    if not line.text.strip():
        return None
    best = max(marks, key=lambda mark: _fit(line, mark), default=None)
    return LineClass(best.kind) if best and _fit(line, best) > (False, 0) else None


def _fit(line: Line, mark: PageMark) -> tuple[bool, float]:
    shared = shared_area(line.place, mark.box)
    return shared > 0 and line.text.strip() in mark.text, shared


def shared_area(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
