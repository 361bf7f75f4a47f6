"""From the notes of a batch to counts: labels, shapes, bins and lengths, never a word of text."""

from collections import Counter
from collections.abc import Iterable

from pipeline.notes.batch import (
    Item,
    Refused,
)
from pipeline.notes.date_formats import shape
from pipeline.state.count_cells import (
    Cell,
    Cells,
)
from record.document import Document
from record.label import Label
from record.release import Release
from record.span import Span

NO_SITE = "none"


def count(items: Iterable[Item], refused: Iterable[Refused]) -> Cells:
    """Count the notes of a batch: those that are ready for release, and those in quarantine."""
    cells: Cells = Counter()
    drawn: dict[Cell, set[str]] = {}
    for item in items:
        if item.document is not None and item.release is not None:
            place = _place(item, item.document)
            cells[_worked(place)] += 1
            _add_note(cells, item, item.document, place)
            _add_surrogates(drawn, item.release, place.day)
    for cell, values in drawn.items():
        cells[cell] += len(values)
    for each in refused:
        place = _worked(_place(each.item, each.item.document))
        cells[place] += 1
        cells[place._replace(measure="refused", name=each.failure.reason or "none")] += 1
    return cells


def _place(item: Item, document: Document | None) -> Cell:
    written = document.written if document else None
    return Cell(
        "notes",
        kind=item.kind,
        site=item.site or NO_SITE,
        extractor=document.origin if document else "",
        day=written.date().isoformat() if written else "",
    )


def _worked(place: Cell) -> Cell:
    return place._replace(measure="worked", extractor="")


def _add_note(cells: Cells, item: Item, document: Document, place: Cell) -> None:
    text, day = document.text, place.day
    _, _, _, kind, site, extractor, _ = place

    def add(measure: str, name: str, number: int, detector: str = "") -> None:
        cells[Cell(measure, name, detector, kind, site, extractor, day)] += number

    add("notes", "", 1)
    add("characters", "", len(text))
    add("lengths", _bin(len(text)), 1)
    add("empty", "", not item.found)
    for name, number in {"text": text.count("\n") + 1, **item.classes}.items():
        add("lines", name, number)
        cells[Cell("line-squares", name, day=day)] += number * number
    found = Counter((span.label, span.detector) for span in item.found)
    labels: Counter[str] = Counter()
    for (label, detector), number in found.items():
        add("spans", label, number, detector)
        labels[label] += number
    for (tenth, detector), number in Counter(map(_scored, item.found)).items():
        cells[Cell("scores", tenth, detector, day=day)] += number
    dates = (span for span in item.found if span.label == Label.DATE)
    shapes = Counter(shape(text[span.start : span.end]) for span in dates)
    for name, number in shapes.items():
        add("dates", name, number)
    for measure, counted in (("span-squares", labels), ("date-squares", shapes)):
        for name, number in counted.items():
            cells[Cell(measure, name, day=day)] += number * number


def _add_surrogates(drawn: dict[Cell, set[str]], release: Release, day: str) -> None:
    for span in release.spans:
        cell = Cell("surrogates", span.label, day=day)
        drawn.setdefault(cell, set()).add(release.text[span.start : span.end])


def _bin(characters: int) -> str:
    """Name a length by the power of two that it reaches."""
    return f"{1 << max(characters.bit_length() - 1, 0)}+"


def _scored(span: Span) -> tuple[str, str]:
    return _TENTHS[min(int(span.score * 10), 9)], span.detector


_TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(10))
