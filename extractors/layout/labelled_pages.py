"""Pages with a class for each line: JSON Lines files of them, and scoring segmenters on them."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol

from extractors.document.lines import Box, Line, rotate_upright
from extractors.document.page import BODY_CLASSES, LineClass, Page
from record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of the document `document`, with the class of each of its lines."""

    document: str
    page: Page
    classes: tuple[LineClass, ...]

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.page.lines):
            raise ConfigError("labelled page", "must have one class per line", "label every line")


class Segmenter(Protocol):
    """Classifies the lines of a document."""

    def classify(self, pages: Sequence[Page]) -> list[list[LineClass]]:
        """Return the class of each line of each page; the pages are those of one document."""


def group_by_document(pages: Iterable[LabelledPage]) -> list[list[LabelledPage]]:
    """Group consecutive pages of one document."""
    return [list(group) for _, group in groupby(pages, lambda page: page.document)]


def write_pages(pages: Iterable[LabelledPage], path: Path) -> None:
    """Write pages as JSON Lines, readable by the owner only since they hold text of documents."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, 0o600)  # an existing file would keep its mode
        for labelled in pages:
            page = labelled.page
            lines = [
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
            ]
            row = {"document": labelled.document, "page": page.number, "width": page.width}
            row |= {"height": page.height, "lines": lines}
            file.write(json.dumps(row, ensure_ascii=True) + "\n")


def read_pages(path: Path) -> Iterator[LabelledPage]:
    """Read pages that `write_pages` wrote. Raises ConfigError with the number of the line."""
    try:
        file = path.open(encoding="utf-8")
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise ConfigError(path.name, problem, "give a file of labelled pages") from None
    with file:
        number = 0
        try:
            for number, row in enumerate(file, 1):  # noqa: B007
                if row.strip():
                    yield _parse_page(json.loads(row))
        except (ValueError, KeyError, TypeError, ConfigError):
            raise ConfigError(
                f"{path.name}, line {number + (number == 0)}",
                "not a valid labelled page",
                f"give every line of text one of the classes {', '.join(LineClass)}",
            ) from None


def _parse_page(row: Mapping[str, object]) -> LabelledPage:
    value = row["lines"]
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise TypeError
    lines = value
    page = Page(
        _check_integer(row["page"]),
        _check_number(row["width"]),
        _check_number(row["height"]),
        tuple(_parse_line(line) for line in lines),
    )
    classes = tuple(LineClass(str(line["class"])) for line in lines)
    return LabelledPage(_check_string(row["document"]), page, classes)


def _parse_line(row: Mapping[str, object]) -> Line:
    x0, y0, x1, y1 = _check_numbers(row["place"])
    dx, dy = _check_numbers(row["direction"])
    place: Box = (x0, y0, x1, y1)
    return Line(
        _check_string(row["text"]),
        _check_integer(row["block"]),
        rotate_upright(place, (dx, dy)),
        (dx, dy),
        place,
        _check_number(row["size"]),
        bool(row["bold"]),
    )


def _check_numbers(value: object) -> list[float]:
    if not isinstance(value, list):
        raise TypeError
    return [_check_number(number) for number in value]


def _check_number(value: object) -> float:
    # Larger numbers than any page would overflow when squared.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
        raise TypeError
    return float(value)


def _check_integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _check_string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


@dataclass(slots=True)
class LineScores:
    """Scores of a segmenter: lines by class, characters by whether they are clinical text.

    `confusion[true, given]` counts lines. `kept` and `lost` count characters of clinical text
    (`BODY_CLASSES`), `leaked` and `dropped` all others; outer blanks do not count.
    """

    confusion: dict[tuple[LineClass, LineClass], int] = field(default_factory=dict)
    kept: int = 0
    lost: int = 0
    leaked: int = 0
    dropped: int = 0

    def add(self, line: Line, true: LineClass, given: LineClass) -> None:
        """Count one line."""
        self.confusion[true, given] = self.confusion.get((true, given), 0) + 1
        length = len(line.text.strip())
        if true in BODY_CLASSES:
            self.kept += length * (given in BODY_CLASSES)
            self.lost += length * (given not in BODY_CLASSES)
        else:
            self.leaked += length * (given in BODY_CLASSES)
            self.dropped += length * (given not in BODY_CLASSES)

    @property
    def recall(self) -> float:
        """The share of the characters of clinical text that is kept."""
        return self.kept / max(self.kept + self.lost, 1)

    @property
    def precision(self) -> float:
        """The share of the kept characters that is clinical text."""
        return self.kept / max(self.kept + self.leaked, 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.kept / max(2 * self.kept + self.lost + self.leaked, 1)

    def f1_of(self, kind: LineClass) -> float:
        """Return the F1 of the lines of one class; 1 if neither true nor given anywhere."""
        right = self.confusion.get((kind, kind), 0)
        count = sum(n for pair, n in self.confusion.items() for side in pair if side is kind)
        return 2 * right / count if count else 1.0


def score_segmenter(segmenter: Segmenter, labelled: Iterable[Sequence[LabelledPage]]) -> LineScores:
    """Classify the pages of each document and compare with their labels."""
    scores = LineScores()
    for pages in labelled:
        given = segmenter.classify([page.page for page in pages])
        for page, kinds in zip(pages, given, strict=True):
            for line, true, kind in zip(page.page.lines, page.classes, kinds, strict=True):
                scores.add(line, true, kind)
    return scores
