"""Turns printed pages into what a scanner makes of them: grey pictures without text."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf
from PIL import Image

_DPI = 200
_QUALITY = 30

# The library's classes come without annotations.
_document: Any = pymupdf.open
_matrix: Any = pymupdf.Matrix

Grey = npt.NDArray[np.uint8]


def scan(pdf: bytes, *, seed: int, dpi: int = _DPI) -> bytes:
    """Make an image-only PDF of another, a little turned and noisy; the same bytes for one seed."""
    random = np.random.default_rng(seed)
    with _document(stream=pdf, filetype="pdf") as printed, _document() as scanned:
        for page in printed:
            sheet = scanned.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(
                sheet.rect, stream=_picture(page, random, dpi), keep_proportion=False
            )
        scanned.set_metadata({"producer": "Scanner", "creator": "Scanner"})
        return bytes(scanned.tobytes(no_new_id=True, garbage=0, deflate=False))


def _picture(page: Any, random: np.random.Generator, dpi: int) -> bytes:
    turn = _matrix(dpi / 72, dpi / 72).prerotate(random.uniform(-0.9, 0.9))
    pixmap = page.get_pixmap(matrix=turn, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
    stream = io.BytesIO()
    Image.fromarray(_worn(grey, random)).save(stream, "JPEG", quality=_QUALITY)
    return stream.getvalue()


def _worn(grey: Grey, random: np.random.Generator) -> Grey:
    """Grain, paler ink, paper that is not quite white, and a few specks of dust."""
    height, width = grey.shape
    grain = random.integers(0, 16, (height, width), np.uint8)
    worn: Grey = np.clip(grey, 28, 251) - grain
    specks = random.integers(0, height, 60), random.integers(0, width, 60)
    worn[specks] = 60
    return worn
