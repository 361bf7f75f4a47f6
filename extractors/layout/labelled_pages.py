"""Labelled pages in a file of JSON lines, which a person can correct, and scores against them."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol

from extractors.document.lines import Box, Line, turned
from extractors.document.page import MEDICINE, BoxClass, Page
from record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of the document named `document`, and the class of each of its lines."""

    document: str
    page: Page
    classes: tuple[BoxClass, ...]

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.page.lines):
            raise ConfigError("labelled page", "not one class for each line", "label every line")


class Segmenter(Protocol):
    """Tells what each line of a document is."""

    def classify(self, pages: Sequence[Page]) -> list[list[BoxClass]]:
        """Return one class for each line of each page; the pages are those of one document."""


def documents(pages: Iterable[LabelledPage]) -> list[list[LabelledPage]]:
    """Gather the pages of each document; they stand together in a file."""
    return [list(group) for _, group in groupby(pages, lambda page: page.document)]


def write_pages(pages: Iterable[LabelledPage], path: Path) -> None:
    """Write one JSON object a line; it holds text of documents, so only its owner may read it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, 0o600)  # a file that was there keeps its mode otherwise
        for labelled in pages:
            file.write(json.dumps(_written(labelled), ensure_ascii=True) + "\n")


def _written(labelled: LabelledPage) -> dict[str, object]:
    page = labelled.page
    return {
        "document": labelled.document,
        "page": page.number,
        "width": page.width,
        "height": page.height,
        "lines": [
            {
                "class": str(kind),
                "text": line.text,
                "place": line.place,
                "size": line.size,
                "bold": line.bold,
                "direction": line.direction,
                "block": line.block,
            }
            for line, kind in zip(page.lines, labelled.classes, strict=True)
        ],
    }


def read_pages(path: Path) -> Iterator[LabelledPage]:
    """Read pages that `write_pages` wrote. Raises ConfigError, which names the line of the file."""
    try:
        file = path.open(encoding="utf-8")
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise ConfigError(path.name, problem, "name a file of labelled pages") from None
    with file:
        number = 0
        try:
            for number, row in enumerate(file, 1):  # noqa: B007
                if row.strip():
                    yield _page(json.loads(row))
        except (ValueError, KeyError, TypeError, ConfigError):
            raise ConfigError(
                f"{path.name}, line {number + (number == 0)}",
                "is no labelled page",
                f"give every line of text a class: {', '.join(BoxClass)}",
            ) from None


def _page(row: Mapping[str, object]) -> LabelledPage:
    lines = _rows(row["lines"])
    page = Page(
        _integer(row["page"]),
        _number(row["width"]),
        _number(row["height"]),
        tuple(_line(line) for line in lines),
    )
    classes = tuple(BoxClass(str(line["class"])) for line in lines)
    return LabelledPage(_string(row["document"]), page, classes)


def _line(row: Mapping[str, object]) -> Line:
    x0, y0, x1, y1 = _numbers(row["place"])
    dx, dy = _numbers(row["direction"])
    place: Box = (x0, y0, x1, y1)
    return Line(
        _string(row["text"]),
        _integer(row["block"]),
        turned(place, (dx, dy)),
        (dx, dy),
        place,
        _number(row["size"]),
        bool(row["bold"]),
    )


def _rows(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise TypeError
    return value


def _numbers(value: object) -> list[float]:
    if not isinstance(value, list):
        raise TypeError
    return [_number(number) for number in value]


def _number(value: object) -> float:
    # A number beyond all pages would be no number any more once squared.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
        raise TypeError
    return float(value)


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


@dataclass(slots=True)
class LineScores:
    """How a segmenter did: counts of lines by class, of characters by whether they are medicine.

    `confusion[true, given]` counts lines. `kept` and `lost` count characters of medicine,
    `leaked` and `dropped` those of everything else; blanks at either end do not count.
    """

    confusion: dict[tuple[BoxClass, BoxClass], int] = field(default_factory=dict)
    kept: int = 0
    lost: int = 0
    leaked: int = 0
    dropped: int = 0

    def add(self, line: Line, true: BoxClass, given: BoxClass) -> None:
        """Count one line."""
        self.confusion[true, given] = self.confusion.get((true, given), 0) + 1
        length = len(line.text.strip())
        if true in MEDICINE:
            self.kept += length * (given in MEDICINE)
            self.lost += length * (given not in MEDICINE)
        else:
            self.leaked += length * (given in MEDICINE)
            self.dropped += length * (given not in MEDICINE)

    @property
    def recall(self) -> float:
        """The share of the characters of medicine that is kept."""
        return self.kept / max(self.kept + self.lost, 1)

    @property
    def precision(self) -> float:
        """The share of the kept characters that is medicine."""
        return self.kept / max(self.kept + self.leaked, 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.kept / max(2 * self.kept + self.lost + self.leaked, 1)

    def f1_of(self, kind: BoxClass) -> float:
        """F1 of the lines of one class; 1 where there are none and none were given."""
        right = self.confusion.get((kind, kind), 0)
        count = sum(n for pair, n in self.confusion.items() for side in pair if side is kind)
        return 2 * right / count if count else 1.0


def score(segmenter: Segmenter, labelled: Iterable[Sequence[LabelledPage]]) -> LineScores:
    """Classify the pages of each document and compare."""
    scores = LineScores()
    for pages in labelled:
        given = segmenter.classify([page.page for page in pages])
        for page, kinds in zip(pages, given, strict=True):
            for line, true, kind in zip(page.page.lines, page.classes, kinds, strict=True):
                scores.add(line, true, kind)
    return scores
