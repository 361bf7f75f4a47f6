"""What a page looks like, in shades of grey: as little of it as is asked about."""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

import math

import numpy as np
import pymupdf
from numpy.typing import NDArray

_PIXELS = 1_000
_MAX_SCALE = 2.0
_FEW_PLACES = 4  # above that, all of a page is printed at once
_BESIDE, _ABOVE, _EDGE = 600.0, 30.0, 2.0  # points


class Proof:
    """A page in shades of grey, printed when needed: a few places, or all of it."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._drawn = page.get_displaylist()
        self._frame = page.rect
        self._scale = _scale(page)
        self._printed: list[tuple[pymupdf.Rect, pymupdf.Pixmap]] = []

    def shades(self, box: pymupdf.Rect) -> NDArray[np.uint8]:
        """Return the shades in a box of the page."""
        picture = self._picture(box & self._frame)
        if picture is None:
            return np.empty((0, 0), np.uint8)
        grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)
        x0, y0 = box.x0 * self._scale - picture.x, box.y0 * self._scale - picture.y
        x1, y1 = box.x1 * self._scale - picture.x, box.y1 * self._scale - picture.y
        grey = grey[max(int(y0), 0) : math.ceil(y1), : picture.width]
        return grey[:, max(int(x0), 0) : math.ceil(x1)]

    def is_blank(self) -> bool:
        """Return whether all of the page is of one shade."""
        matrix = pymupdf.Matrix(self._scale, self._scale)
        picture = self._drawn.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=0)
        return bool(picture.is_unicolor)

    def _picture(self, box: pymupdf.Rect) -> pymupdf.Pixmap | None:
        if box.is_empty:
            return None
        for place, picture in self._printed:
            if box in place:
                return picture
        # What is asked about next often stands near: a banner, the cells of a table.
        around = box + pymupdf.Rect(-_BESIDE, -_ABOVE, _BESIDE, _ABOVE)
        place = (around if len(self._printed) < _FEW_PLACES else self._frame) & self._frame
        clip = (place + pymupdf.Rect(-_EDGE, -_EDGE, _EDGE, _EDGE)) & self._frame
        matrix = pymupdf.Matrix(self._scale, self._scale)
        printed: pymupdf.Pixmap = self._drawn.get_pixmap(
            matrix=matrix, colorspace=pymupdf.csGRAY, alpha=0, clip=clip
        )
        self._printed.append((place, printed))
        return printed


def _scale(page: pymupdf.Page) -> float:
    return float(min(_PIXELS / max(page.rect.width, page.rect.height, 1), _MAX_SCALE))
