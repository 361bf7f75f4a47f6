"""How far a page was turned when it was put into the scanner."""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

import math

import numpy as np
import pymupdf
from numpy.typing import NDArray

_Numbers = NDArray[np.float64]

# In degrees. Beyond that nobody calls it skew.
_MOST = 3.0
_COARSE = 0.2
_FINE = 0.05

_PIXELS = 1_200  # along the longer side
_DARKER = 60  # than the paper
_FEW_DARK = 200
_MOST_DARK = 200_000


def skew(page: pymupdf.Page) -> float:
    """Return the angle by which a page is turned clockwise, in degrees; 0 where none shows.

    Quarters of a turn do not count. The right angle gathers the ink in the fewest rows of pixels,
    or columns on a page that lies on its side (projection profile; Postl 1986).
    """
    down, across = _ink(page)
    if down.size < _FEW_DARK:
        return 0.0
    angle, _ = max(_clearest(down, across), _clearest(-across, down), key=lambda pair: pair[1])
    return angle if abs(angle) < _MOST else 0.0


def _clearest(down: _Numbers, across: _Numbers) -> tuple[float, float]:
    angles = np.arange(-_MOST, _MOST + _COARSE / 2, _COARSE)
    coarse, _ = _sharpest(down, across, angles)
    return _sharpest(down, across, np.arange(coarse - _COARSE, coarse + _COARSE, _FINE))


def _ink(page: pymupdf.Page) -> tuple[_Numbers, _Numbers]:
    scale = _PIXELS / max(page.rect.width, page.rect.height, 1)
    matrix = pymupdf.Matrix(scale, scale)
    picture = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)
    dark = grey[:, : picture.width].astype(np.int16) < int(np.median(grey)) - _DARKER
    down, across = np.nonzero(dark)
    step = down.size // _MOST_DARK + 1
    return down[::step].astype(np.float64), across[::step].astype(np.float64)


def _sharpest(down: _Numbers, across: _Numbers, angles: _Numbers) -> tuple[float, float]:
    sharpness = [_sharpness(down, across, float(angle)) for angle in angles]
    best = int(np.argmax(sharpness))
    return round(float(angles[best]), 2), sharpness[best]


def _sharpness(down: _Numbers, across: _Numbers, angle: float) -> float:
    rows = down - across * math.tan(math.radians(angle))
    counts = np.bincount((rows - rows.min()).astype(np.int64)).astype(np.float64)
    return float(counts @ counts)
