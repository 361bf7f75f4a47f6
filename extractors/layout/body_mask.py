"""Baseline segmenter of pages: lines inside a fixed rectangle are body text."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extractors.document.lines import Box
from extractors.document.page import BODY_CLASSES, LineClass, Page
from extractors.layout.labelled_pages import LabelledPage
from record.errors import ConfigError

Floats = NDArray[np.float64]

# Losing a character of clinical text costs as much as keeping this many others.
_WEIGHT = 3.0
_CANDIDATES = 40
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class BodyMask:
    """Keeps lines with at least the share `coverage` of their area inside `body`.

    `body` is x0, y0, x1, y1 as shares of the page's width and height. Raises ConfigError.
    """

    body: Box = (0.08, 0.15, 0.95, 0.92)
    coverage: float = 0.5

    def __post_init__(self) -> None:
        x0, y0, x1, y1 = self.body
        if not (0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1):
            raise ConfigError(
                "mask.body", "must lie within the page", "give 0 <= x0 < x1 <= 1, and y likewise"
            )
        if not 0 < self.coverage <= 1:
            raise ConfigError(
                "mask.coverage", "must be above 0 and at most 1", "give such a number"
            )

    def classify(self, pages: Sequence[Page]) -> list[list[LineClass]]:
        """Return the class of each line: body, or header, footer or margin note by position."""
        return [self._classes(page) for page in pages]

    def _classes(self, page: Page) -> list[LineClass]:
        places = _relative_boxes(page)
        inside = _covered_share(places, np.array(self.body)) >= self.coverage
        middle = (places[:, 1] + places[:, 3]) / 2
        return [
            LineClass.BODY if kept else self._class_beside(float(y))
            for kept, y in zip(inside.tolist(), middle, strict=True)
        ]

    def _class_beside(self, y: float) -> LineClass:
        if y < self.body[1]:
            return LineClass.HEADER
        return LineClass.FOOTER if y > self.body[3] else LineClass.MARGIN_NOTE

    @classmethod
    def learn(cls, pages: Sequence[LabelledPage], *, coverage: float = 0.5) -> "BodyMask":
        """Fit the rectangle that best separates clinical text from the rest of labelled pages.

        A lost character of clinical text counts three times as much as another one kept.
        """
        places = np.concatenate(
            [np.zeros((0, 4)), *(_relative_boxes(labelled.page) for labelled in pages)]
        )
        lines = [line for labelled in pages for line in labelled.page.lines]
        kinds = [kind for labelled in pages for kind in labelled.classes]
        length = np.array([len(line.text.strip()) for line in lines], np.float64)
        medicine = np.array([kind in BODY_CLASSES for kind in kinds], bool)
        if not medicine.any():
            raise ConfigError("mask", "no line is labelled body or table", "label a line as body")
        gains = np.where(medicine, _WEIGHT, -1.0) * length
        return cls(_fit_body(places, gains, places[medicine], coverage), coverage)


def _relative_boxes(page: Page) -> Floats:
    places = np.array([line.place for line in page.lines], np.float64).reshape(-1, 4)
    relative: Floats = places / np.maximum([page.width, page.height] * 2, 1.0)
    return relative


def _covered_share(places: Floats, body: Floats) -> Floats:
    low = np.maximum(places[:, :2], body[:2])
    high = np.minimum(places[:, 2:], body[2:])
    size = np.maximum(places[:, 2:] - places[:, :2], 1e-9)
    share: Floats = np.prod(np.clip(high - low, 0, None) / size, axis=1)
    return share


def _fit_body(places: Floats, gains: Floats, medicine: Floats, coverage: float) -> Box:
    """Optimize one edge after the other until none moves."""
    slack = 0.005
    edges = np.quantile(medicine, np.linspace(0, 1, _CANDIDATES), axis=0)
    edges = np.clip(edges + np.array([-slack, -slack, slack, slack]), 0, 1)
    body = np.array([*edges[0, :2], *edges[-1, 2:]])
    for _ in range(_ROUNDS):
        before = body.copy()
        for side in range(4):
            body = max(
                (_move_edge(body, side, edge) for edge in (body[side], *edges[:, side])),
                key=lambda at: _total_gain(places, gains, at, coverage),
            )
        if np.array_equal(before, body):
            break
    x0, y0, x1, y1 = (round(float(edge), 4) for edge in body)
    return x0, y0, x1, y1


def _move_edge(body: Floats, side: int, edge: float) -> Floats:
    moved = body.copy()
    moved[side] = edge
    return moved


def _total_gain(places: Floats, gains: Floats, body: Floats, coverage: float) -> float:
    if body[0] >= body[2] or body[1] >= body[3]:
        return float("-inf")
    return float(gains[_covered_share(places, body) >= coverage].sum())
